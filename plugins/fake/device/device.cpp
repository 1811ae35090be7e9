// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/device.hpp"

#include <utility>

#include "fake/device/event.hpp"
#include "fake/device/kernel.hpp"
#include "fake/device/memory.hpp"
#include "fake/device/stream.hpp"
#include "kit/expression/program.hpp"

namespace fake {

Device::Device(std::uint32_t index, const Options& options, Faults& faults,
               executor::Executor& executor, const std::shared_ptr<device::Health>& health)
    : device::Device(options.of_device(index), executor,
                     std::make_unique<Allocator>(options.memory_bytes, health, faults), health),
      index_(index),
      options_(options),
      faults_(faults) {}

std::unique_ptr<plugin::Stream> Device::create_stream(std::uint32_t) {
  health()->check();
  faults_.count(Call::kCreateStream);
  return std::make_unique<Stream>(*this);
}

std::unique_ptr<plugin::Event> Device::create_event(std::uint32_t) {
  faults_.count(Call::kCreateEvent);
  health()->check();
  return std::make_unique<Event>();
}

std::unique_ptr<plugin::Kernel> Device::prepare(const patchbay_kernel_spec& spec) {
  health()->check();
  faults_.count(Call::kPrepare);
  const patchbay_kernel_spec rest = without_marked(spec, options_.workspace_bytes);
  return std::make_unique<Kernel>(
      std::string(plugin::from_abi(spec.op)), device::Device::prepare(rest),
      std::vector(spec.arguments, spec.arguments + spec.num_arguments), options_.workspace_bytes);
}

std::unique_ptr<plugin::Module> Device::load_module(std::string_view format, std::string_view code,
                                                    std::string_view options) {
  const bool fuses = patchbay::expression::is_expression(format);
  if (fuses && !options_.fuses) {
    plugin::unsupported("fused expressions, as the setting fake_fusion asks");
  }
  return std::make_unique<Module>(faults_, device::Device::load_module(format, code, options),
                                  fuses);
}

bool Device::can_access_peer(plugin::Device& other) {
  return options_.reaches(index_, static_cast<Device&>(other).index_);
}

void Device::lose(std::string why) {
  health()->lose(std::move(why));
  faults_.wake();
}

std::uint64_t Device::next_queue() {
  return (std::uint64_t{index_} << 32) | num_streams_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace fake
