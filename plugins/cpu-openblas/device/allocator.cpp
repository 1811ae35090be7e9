// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/device/allocator.hpp"

#include <stdlib.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "kit/machine/memory.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::uint64_t kHugePage = 2 << 20;
// Blocks of at least this size count against the budget.
constexpr std::uint64_t kWorthAsking = 1 << 20;
// The fraction of free memory that is given out before the kernel is asked again, which takes a
// quarter of a millisecond.
constexpr std::uint64_t kBudgetShare = 8;

[[noreturn]] void throw_out_of_memory(std::uint64_t size_bytes) {
  const machine::MemoryState state = machine::read_memory_state();
  throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, "requested " + std::to_string(size_bytes) +
                                                        " bytes, free " +
                                                        std::to_string(state.free_bytes) + " of " +
                                                        std::to_string(state.total_bytes));
}

/// Aligns by hand, because aligned requests of small blocks take 40 ns more in the C library. The
/// pointer from malloc precedes the block, whose address is never a multiple of a huge page.
void* allocate_small(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
  const std::uint64_t slack = 2 * alignment_bytes + sizeof(void*);
  char* raw =
      size_bytes <= UINT64_MAX - slack ? static_cast<char*>(malloc(size_bytes + slack)) : nullptr;
  if (raw == nullptr) return nullptr;
  char* data = raw + sizeof(void*);
  data += (alignment_bytes - reinterpret_cast<std::uintptr_t>(data) % alignment_bytes) %
          alignment_bytes;
  if (reinterpret_cast<std::uintptr_t>(data) % kHugePage == 0) data += alignment_bytes;
  std::memcpy(data - sizeof(raw), &raw, sizeof(raw));
  return data;
}

void* allocate_large(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
  void* data = nullptr;
  if (posix_memalign(&data, std::max(alignment_bytes, kHugePage), size_bytes) != 0) return nullptr;
  madvise(data, size_bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  return data;
}

}  // namespace

/// The kernel overcommits memory, so check here: later, the first use would fail.
void Allocator::check_free(std::uint64_t size_bytes) {
  std::uint64_t budget = budget_bytes_.load(std::memory_order_relaxed);
  while (size_bytes <= budget) {
    if (budget_bytes_.compare_exchange_weak(budget, budget - size_bytes)) return;
  }
  const machine::MemoryState state = machine::read_memory_state();
  if (state.total_bytes == 0) return;  // no memory information
  if (size_bytes > state.free_bytes) throw_out_of_memory(size_bytes);
  budget_bytes_.store((state.free_bytes - size_bytes) / kBudgetShare, std::memory_order_relaxed);
}

plugin::Memory Allocator::allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                                   std::uint64_t alignment_bytes) {
  if (memory_kind < PATCHBAY_MEMORY_DEVICE || memory_kind > PATCHBAY_MEMORY_UNIFIED) {
    plugin::unsupported("memory kind " + std::to_string(memory_kind) + " is not known");
  }
  if (size_bytes >= kWorthAsking) check_free(size_bytes);
  const bool is_large = size_bytes >= 2 * kHugePage || alignment_bytes >= kHugePage;
  void* data = is_large ? allocate_large(size_bytes, alignment_bytes)
                        : allocate_small(size_bytes, std::max(alignment_bytes, kMemoryAlignment));
  if (data == nullptr) throw_out_of_memory(size_bytes);
  return {data, 0};
}

void Allocator::release(std::uint32_t, plugin::Memory memory) noexcept {
  void* raw = memory.base;
  if (reinterpret_cast<std::uintptr_t>(raw) % kHugePage != 0) {
    std::memcpy(&raw, static_cast<char*>(raw) - sizeof(raw), sizeof(raw));
  }
  free(raw);
}

plugin::Allocator::Info Allocator::info() {
  const machine::MemoryState state = machine::read_memory_state();
  return {state.free_bytes, state.total_bytes};
}

plugin::Memory Allocator::wrap(std::uint64_t native_handle, std::uint64_t) {
  return {reinterpret_cast<void*>(static_cast<std::uintptr_t>(native_handle)), 0};
}

}  // namespace patchbay::cpu
