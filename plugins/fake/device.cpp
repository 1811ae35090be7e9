// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "event.hpp"
#include "kernel.hpp"
#include "stream.hpp"

namespace fake {

Device::Device(std::uint32_t index, const Options& options, Faults& faults)
    : name_("fake:" + std::to_string(index)),
      options_(options),
      faults_(faults),
      memory_(options.memory_bytes, health_, faults) {}

std::unique_ptr<plugin::Stream> Device::create_stream(std::uint32_t) {
  health_->check();
  faults_.count(Call::kCreateStream);
  return std::make_unique<Stream>(*this);
}

std::unique_ptr<plugin::Event> Device::create_event(std::uint32_t) {
  health_->check();
  return std::make_unique<Event>();
}

std::unique_ptr<plugin::Kernel> Device::prepare(const patchbay_kernel_spec& spec) {
  health_->check();
  faults_.count(Call::kPrepare);
  return std::make_unique<Kernel>(spec, options_);
}

bool Device::can_access_peer(plugin::Device& other) { return options_.peer && &other != this; }

}  // namespace fake
