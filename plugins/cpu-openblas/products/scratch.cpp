// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/scratch.hpp"

#include <stdlib.h>

#include <algorithm>
#include <string>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::cpu {
namespace {

// As many as streams are likely to multiply concurrently.
constexpr std::size_t kMostKept = 8;
constexpr std::size_t kLargestKept = std::size_t{64} << 20;  // bytes
constexpr std::size_t kAlignment = 64;

}  // namespace

ScratchPool::~ScratchPool() {
  for (const ScratchBlock& block : kept_) free(block.data);
}

/// Takes the smallest block that is large enough.
bool ScratchPool::find_kept(std::size_t size_bytes, ScratchBlock& block) noexcept {
  auto best = kept_.end();
  for (auto each = kept_.begin(); each != kept_.end(); ++each) {
    if (each->size_bytes < size_bytes) continue;
    if (best == kept_.end() || each->size_bytes < best->size_bytes) best = each;
  }
  if (best == kept_.end()) return false;
  block = *best;
  kept_.erase(best);
  return true;
}

/// Frees the largest block, so that blocks grow instead of adding up.
void ScratchPool::drop_largest() noexcept {
  const auto largest =
      std::max_element(kept_.begin(), kept_.end(),
                       [](const auto& a, const auto& b) { return a.size_bytes < b.size_bytes; });
  if (largest == kept_.end()) return;
  free(largest->data);
  kept_.erase(largest);
}

ScratchPool::Lease ScratchPool::take(std::size_t size_bytes) {
  if (size_bytes == 0) return {};
  ScratchBlock block{nullptr, size_bytes};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (find_kept(size_bytes, block)) return {*this, block};
    drop_largest();            // which is too small
    kept_.reserve(kMostKept);  // so that returning a block does not allocate
  }
  void* data = nullptr;
  if (posix_memalign(&data, kAlignment, size_bytes) != 0) {
    throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, "requested " + std::to_string(size_bytes) +
                                                          " bytes of scratch memory");
  }
  block.data = static_cast<char*>(data);
  return {*this, block};
}

/// Frees large blocks, and the smallest if there are too many.
void ScratchPool::give_back(ScratchBlock block) noexcept {
  if (block.size_bytes <= kLargestKept) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept_.size() < kMostKept) return kept_.push_back(block);
    const auto smallest =
        std::min_element(kept_.begin(), kept_.end(),
                         [](const auto& a, const auto& b) { return a.size_bytes < b.size_bytes; });
    if (smallest->size_bytes < block.size_bytes) std::swap(*smallest, block);
  }
  free(block.data);
}

}  // namespace patchbay::cpu
