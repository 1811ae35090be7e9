// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The expected content of random tensors: Philox4x32-10 as in Salmon et al., Parallel Random
// Numbers: As Easy as 1, 2, 3, 2011, and the distributions in long double.
#ifndef PATCHBAY_CONFORMANCE_REFERENCE_PHILOX_H_
#define PATCHBAY_CONFORMANCE_REFERENCE_PHILOX_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace patchbay::conformance {

using Words = std::array<std::uint32_t, 4>;

inline Words philox(Words counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(first)};
    key = {key[0] + 0x9e3779b9u, key[1] + 0xbb67ae85u};
  }
  return counter;
}

/// The draws of a call.
struct Draws {
  std::uint64_t seed = 0, offset = 0;

  Words block(std::uint64_t counter) const {
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    return philox({low(counter), high(counter), low(offset), high(offset)},
                  {low(seed), high(seed)});
  }
  /// The draw for element `index`.
  std::uint32_t word(std::uint64_t index) const { return block(index / 4)[index % 4]; }
  std::uint64_t wide(std::uint64_t index) const {
    const Words words = block(index / 2);
    return words[2 * (index % 2)] | std::uint64_t{words[2 * (index % 2) + 1]} << 32;
  }

  /// In [0, 1), in the precision of T.
  template <class T>
  T uniform(std::uint64_t index) const {
    if constexpr (sizeof(T) == 4)
      return static_cast<T>(word(index) >> 8) * T(0x1p-24);
    else
      return static_cast<T>(wide(index) >> 11) * T(0x1p-53);
  }
  /// Box and Muller, 1958: radius from one draw, angle from the next.
  template <class T>
  long double normal(std::uint64_t index) const {
    const std::uint64_t first = index / 2 * 2;
    const auto u = static_cast<long double>(uniform<T>(first));
    const long double radius = std::sqrt(-2 * std::log1p(-u));
    // Remove whole quarter turns, so that values near their multiples stay accurate.
    const auto turns = static_cast<long double>(uniform<T>(first + 1)) * 4;
    const long double whole = std::nearbyint(turns);
    const long double angle = 2 * std::atan(1.0L) * (turns - whole);
    const int quarters = static_cast<int>(whole) + (index == first ? 0 : 3);  // sin: 3 further
    const long double side = quarters % 2 == 0 ? std::cos(angle) : std::sin(angle);
    return quarters % 4 == 1 || quarters % 4 == 2 ? -radius * side : radius * side;
  }
  /// low + floor(draw range / 2^bits of the draw).
  std::int64_t integer(std::uint64_t index, std::int64_t low, std::uint64_t range) const {
    __extension__ using Wide = unsigned __int128;
    const bool is_wide = range > std::uint64_t{1} << 32;
    const std::uint64_t chosen = is_wide
                                     ? static_cast<std::uint64_t>(Wide{wide(index)} * range >> 64)
                                     : word(index) * range >> 32;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + chosen);
  }
  /// The numbers below n, ordered by their draws of 64 bits.
  std::vector<std::int64_t> permutation(std::int64_t n) const {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = wide(i);
    std::vector<std::int64_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
    return order;
  }
};

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_REFERENCE_PHILOX_H_
