// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random orders on the host. Those of randperm, which needs a device, and whose result would have
// to be copied from there.
#ifndef PATCHBAY_CORE_NN_DATA_PERMUTATION_H_
#define PATCHBAY_CORE_NN_DATA_PERMUTATION_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::nn::data {

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, 2011).
inline PhiloxBlock philox(std::uint64_t key, PhiloxBlock counter) {
  constexpr std::uint64_t kFactor0 = 0xd2511f53, kFactor1 = 0xcd9e8d57;
  constexpr std::uint32_t kWeyl0 = 0x9e3779b9, kWeyl1 = 0xbb67ae85;
  constexpr int kRounds = 10;
  auto key0 = static_cast<std::uint32_t>(key), key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = kFactor0 * counter[0], product1 = kFactor1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

/// 0 to n - 1, sorted by (draw of 64 bits, index).
inline std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed,
                                             std::uint64_t offset) {
  struct Drawn {
    std::uint64_t draw;
    std::int64_t index;
  };
  std::vector<Drawn> drawn;
  drawn.reserve(static_cast<std::size_t>(n));
  PhiloxBlock block = {};
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % 2 == 0) {
      const auto number = static_cast<std::uint64_t>(i / 2);
      block = philox(
          seed, {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32),
                 static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset >> 32)});
    }
    const std::size_t low = i % 2 == 0 ? 0 : 2;
    drawn.push_back({block[low] | std::uint64_t{block[low + 1]} << 32, i});
  }
  std::ranges::sort(drawn, [](const Drawn& a, const Drawn& b) {
    return a.draw != b.draw ? a.draw < b.draw : a.index < b.index;
  });
  std::vector<std::int64_t> order;
  order.reserve(drawn.size());
  for (const Drawn& each : drawn) order.push_back(each.index);
  return order;
}

}  // namespace patchbay::nn::data

#endif  // PATCHBAY_CORE_NN_DATA_PERMUTATION_H_
