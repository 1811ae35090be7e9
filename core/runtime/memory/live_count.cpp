// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory/live_count.h"

#include <algorithm>

namespace patchbay::runtime {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

std::uint64_t count(std::int64_t sum) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
}

}  // namespace

void LiveCount::publish(Shard& shard, std::int64_t bytes) noexcept {
  const std::int64_t known = shard.published_bytes.load(kRelaxed);
  if (bytes - known <= kSlackBytes && known - bytes <= kSlackBytes) return;
  published_bytes_.fetch_add(bytes - shard.published_bytes.exchange(bytes, kRelaxed), kRelaxed);
}

void LiveCount::add_bytes(std::size_t size_bytes) noexcept {
  Shard& shard = own_shard();
  const auto size = static_cast<std::int64_t>(size_bytes);
  const std::int64_t own = shard.bytes.fetch_add(size, kRelaxed) + size;
  publish(shard, own);
  const std::int64_t all =
      published_bytes_.load(kRelaxed) - shard.published_bytes.load(kRelaxed) + own;
  std::int64_t peak = shard.peak_bytes.load(kRelaxed);
  while (all > peak && !shard.peak_bytes.compare_exchange_weak(peak, all, kRelaxed)) {
  }
}

void LiveCount::remove(std::size_t size_bytes) noexcept {
  remove_block();
  Shard& shard = own_shard();
  const auto size = static_cast<std::int64_t>(size_bytes);
  publish(shard, shard.bytes.fetch_sub(size, kRelaxed) - size);
}

std::uint64_t LiveCount::bytes() const noexcept {
  std::int64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.bytes.load(kRelaxed);
  return count(sum);
}

std::uint64_t LiveCount::blocks() const noexcept {
  std::int64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.blocks.load();
  return count(sum);
}

std::uint64_t LiveCount::peak_bytes() const noexcept {
  std::uint64_t peak = bytes();
  for (const Shard& shard : shards_) peak = std::max(peak, count(shard.peak_bytes.load(kRelaxed)));
  return peak;
}

}  // namespace patchbay::runtime
