// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The host's part of texts/divisor.pbk.
#ifndef PATCHBAY_KIT_PORTABLE_BASE_DIVISOR_HPP_
#define PATCHBAY_KIT_PORTABLE_BASE_DIVISOR_HPP_

#include <bit>
#include <cstdint>

namespace patchbay::portable {

/// The text's struct of the same name.
struct Divisor {
  std::int64_t divisor = 1;
  std::int64_t factor = 0, shift = 0;
};

/// For numerators of 0 to `most`. The divisor is at least 1.
constexpr Divisor divisor_of(std::int64_t divisor, std::int64_t most) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;
  if (divisor > kMost || most > kMost) return {divisor};
  // factor = 2^shift / divisor, rounded up. The error of n * factor / 2^shift is below 1 / divisor,
  // because 2^shift is at least 2^31 times the divisor.
  const std::int64_t shift = 31 + std::bit_width(static_cast<std::uint64_t>(divisor - 1));
  return {divisor, ((std::int64_t{1} << shift) + divisor - 1) / divisor, shift};
}

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_BASE_DIVISOR_HPP_
