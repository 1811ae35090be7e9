// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory of a CPU device: aligned host memory. All memory kinds are the same.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_ALLOCATOR_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_ALLOCATOR_HPP_

#include <atomic>
#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

namespace patchbay::cpu {

constexpr std::uint64_t kMemoryAlignment = 64;

class Allocator final : public plugin::Allocator {
 public:
  plugin::Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) override;
  void release(std::uint32_t memory_kind, plugin::Memory memory) noexcept override;
  Info info() override;
  /// `native_handle` is a pointer that the application owns.
  plugin::Memory wrap(std::uint64_t native_handle, std::uint64_t size_bytes) override;

 private:
  void check_free(std::uint64_t size_bytes);

  // The number of bytes that may be given out before the kernel is asked again.
  std::atomic<std::uint64_t> budget_bytes_{0};
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_ALLOCATOR_HPP_
