// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_BASE_ELEMENT_BITS_H_
#define PATCHBAY_CORE_BASE_ELEMENT_BITS_H_

#include <cstdint>

namespace patchbay::base {

/// The value of one element of any dtype, in the bytes of the lowest addresses; the others are 0.
/// As large as the value of a scalar argument of a plugin: the largest dtype may have 16 bytes.
struct ElementBits {
  constexpr ElementBits() = default;
  /// Of a dtype of 8 bytes or fewer.
  constexpr ElementBits(std::uint64_t bits) : low(bits) {}  // NOLINT(google-explicit-constructor)

  constexpr ElementBits(std::uint64_t first, std::uint64_t second) : low(first), high(second) {}

  bool operator==(const ElementBits&) const = default;

  std::uint64_t low = 0, high = 0;
};

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_ELEMENT_BITS_H_
