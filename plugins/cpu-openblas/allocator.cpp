// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "allocator.hpp"

#include <stdlib.h>
#include <sys/mman.h>

#include <algorithm>
#include <string>

#include "processor.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::uint64_t kHugePage = 2 << 20;
// From here on asking the kernel what is free costs little against using the memory.
constexpr std::uint64_t kWorthAsking = 1 << 20;

[[noreturn]] void throw_out_of_memory(std::uint64_t size_bytes) {
  const MemoryState state = read_memory_state("");
  throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, "requested " + std::to_string(size_bytes) +
                                                        " bytes, free " +
                                                        std::to_string(state.free_bytes) + " of " +
                                                        std::to_string(state.total_bytes));
}

}  // namespace

plugin::Memory Allocator::allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                                   std::uint64_t alignment_bytes) {
  if (memory_kind != PATCHBAY_MEMORY_DEVICE && memory_kind != PATCHBAY_MEMORY_PINNED) {
    plugin::unsupported("memory kind " + std::to_string(memory_kind) + " is not known");
  }
  // The kernel promises more than it has; the refusal must come here and not at the first use.
  if (size_bytes >= kWorthAsking && size_bytes > read_memory_state("").free_bytes) {
    throw_out_of_memory(size_bytes);
  }
  const bool is_large = size_bytes >= 2 * kHugePage;
  const std::uint64_t least = is_large ? kHugePage : kMemoryAlignment;
  void* data = nullptr;
  if (posix_memalign(&data, std::max(alignment_bytes, least), size_bytes) != 0) {
    throw_out_of_memory(size_bytes);
  }
  if (is_large) madvise(data, size_bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  return {data, 0};
}

void Allocator::release(std::uint32_t, plugin::Memory memory) noexcept { free(memory.base); }

plugin::Allocator::Info Allocator::info() {
  const MemoryState state = read_memory_state("");
  return {state.free_bytes, state.total_bytes};
}

plugin::Memory Allocator::wrap(std::uint64_t native_handle, std::uint64_t) {
  return {reinterpret_cast<void*>(static_cast<std::uintptr_t>(native_handle)), 0};
}

}  // namespace patchbay::cpu
