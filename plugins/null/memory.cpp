// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

namespace null {

plugin::Memory Allocator::allocate(std::uint32_t, std::uint64_t, std::uint64_t) {
  todo("allocate");
}

// Not called while allocate is not implemented.
void Allocator::release(std::uint32_t, plugin::Memory) noexcept {}

Allocator::Info Allocator::info() { todo("info"); }

plugin::Memory Allocator::wrap(std::uint64_t, std::uint64_t) { todo("wrap"); }

}  // namespace null
