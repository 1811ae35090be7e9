// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

namespace null {

void Stream::copy_to_device(plugin::Memory, const void*, std::uint64_t) { todo("copy_to_device"); }

void Stream::copy_to_host(void*, plugin::Memory, std::uint64_t) { todo("copy_to_host"); }

void Stream::copy_on_device(plugin::Memory, plugin::Memory, std::uint64_t) {
  todo("copy_on_device");
}

void Stream::record(plugin::Event&) { todo("record"); }

void Stream::wait_event(plugin::Event&) { todo("wait_event"); }

void Stream::flush() { todo("flush"); }

bool Stream::synchronize(std::uint64_t) { todo("synchronize"); }

void Stream::copy_to_peer(plugin::Device&, plugin::Memory, plugin::Memory, std::uint64_t) {
  todo("copy_to_peer");
}

void Stream::add_callback(plugin::Callback) { todo("add_callback"); }

}  // namespace null
