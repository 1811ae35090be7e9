// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/device.hpp"

#include "fake/device/event.hpp"
#include "fake/device/stream.hpp"
#include "fake/kernels/kernel.hpp"
#include "fake/kernels/module.hpp"
#include "kit/expression/program.hpp"

namespace fake {

Device::Device(std::uint32_t index, const Options& options, Faults& faults,
               patchbay::executor::Executor& executor)
    : index_(index),
      name_("fake:" + std::to_string(index)),
      options_(options),
      faults_(faults),
      executor_(executor),
      memory_(options.memory_bytes, health_, faults),
      portable_(*this, executor) {}

std::unique_ptr<plugin::Stream> Device::create_stream(std::uint32_t) {
  health_->check();
  faults_.count(Call::kCreateStream);
  return std::make_unique<Stream>(*this);
}

std::unique_ptr<plugin::Event> Device::create_event(std::uint32_t) {
  faults_.count(Call::kCreateEvent);
  health_->check();
  return std::make_unique<Event>();
}

std::unique_ptr<plugin::Kernel> Device::prepare(const patchbay_kernel_spec& spec) {
  health_->check();
  faults_.count(Call::kPrepare);
  return prepare_operator(*this, spec);
}

std::unique_ptr<plugin::Module> Device::load_module(std::string_view format, std::string_view code,
                                                    std::string_view) {
  health_->check();
  if (patchbay::expression::is_expression(format)) {
    if (!options_.fuses) plugin::unsupported("fused expressions, as the option fake_fusion asks");
    return load_fused(*this, code);
  }
  return std::make_unique<Module>(*this, executor_.load(format, code));
}

bool Device::can_access_peer(plugin::Device& other) {
  return options_.reaches(index_, static_cast<Device&>(other).index_);
}

void Device::lose(std::string why) {
  health_->lose(std::move(why));
  faults_.wake();
}

std::uint64_t Device::next_queue() {
  return (std::uint64_t{index_} << 32) | num_streams_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace fake
