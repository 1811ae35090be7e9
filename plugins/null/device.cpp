// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "event.hpp"
#include "kernel.hpp"
#include "stream.hpp"

namespace null {

std::unique_ptr<plugin::Stream> Device::create_stream(std::uint32_t) {
  return std::make_unique<Stream>();
}

std::unique_ptr<plugin::Event> Device::create_event(std::uint32_t) {
  return std::make_unique<Event>();
}

std::unique_ptr<plugin::Kernel> Device::prepare(const patchbay_kernel_spec& spec) {
  return std::make_unique<Kernel>(spec);
}

bool Device::can_access_peer(plugin::Device&) { return false; }

std::unique_ptr<plugin::Stream> Device::wrap_stream(std::uint64_t) { todo("wrap_stream"); }

std::unique_ptr<plugin::Module> Device::load_module(std::string_view, std::string_view,
                                                    std::string_view) {
  todo("load_module");
}

std::uint64_t Device::native_handle(std::uint32_t, void*) { todo("native_handle"); }

}  // namespace null
