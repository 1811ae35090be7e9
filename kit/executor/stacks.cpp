// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/stacks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace patchbay::executor {
namespace {

constexpr std::size_t kPage = Stacks::kPageBytes;

/// The size of a page that catches an overflow, the saved stack pointers, the stacks, and the
/// shared memory at the end.
std::size_t bytes_for(int num_work_items) {
  const auto n = static_cast<std::size_t>(num_work_items);
  const std::size_t bytes = n * (Stacks::kStackBytes + sizeof(void*)) + 64;
  return kPage + (bytes + kPage - 1) / kPage * kPage + Stacks::kSharedBytes;
}

}  // namespace

Stacks::~Stacks() {
  for (const Area& area : kept_) munmap(area.memory - kPage, area.size_bytes);
}

Stacks::Area Stacks::take(std::size_t size_bytes) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Area& area) {
      return area.size_bytes >= size_bytes;
    });
    if (found != kept_.end()) {
      const Area area = *found;
      kept_.erase(found);
      return area;
    }
  }
  void* const mapped = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  mprotect(mapped, kPage, PROT_NONE);
  return {static_cast<char*>(mapped) + kPage, size_bytes};
}

void Stacks::give_back(Area area) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    if (kept_.size() < kMostKept) {
      kept_.push_back(area);
      return;
    }
  } catch (const std::bad_alloc&) {  // don't keep it
  }
  munmap(area.memory - kPage, area.size_bytes);
}

Stacks::Lease::Lease(Stacks& owner, int num_work_items)
    : owner_(owner), area_(owner.take(bytes_for(num_work_items))) {}

Stacks::Lease::~Lease() { owner_.give_back(area_); }

}  // namespace patchbay::executor
