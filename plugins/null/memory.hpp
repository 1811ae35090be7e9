// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Allocates memory from the driver. The core caches it, not the plugin.
#ifndef PATCHBAY_NULL_MEMORY_HPP_
#define PATCHBAY_NULL_MEMORY_HPP_

#include "todo.hpp"

namespace null {

class Allocator : public plugin::Allocator {
 public:
  plugin::Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) override;
  void release(std::uint32_t memory_kind, plugin::Memory memory) noexcept override;
  Info info() override;

  // Optional
  plugin::Memory wrap(std::uint64_t native_handle, std::uint64_t size_bytes) override;
};

}  // namespace null

#endif  // PATCHBAY_NULL_MEMORY_HPP_
