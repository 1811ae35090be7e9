// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Element types of the simulated libraries that C++20 does not have.
#ifndef PATCHBAY_TESTS_SIM_SMALL_FLOATS_H_
#define PATCHBAY_TESTS_SIM_SMALL_FLOATS_H_

#include <bit>
#include <cstdint>

namespace patchbay::sim {

struct Bf16 {
  std::uint16_t bits = 0;

  Bf16() = default;
  /// Rounds to the nearest, of two to the even one.
  explicit Bf16(float value) {
    const auto wide = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounding = 0x7fff + (wide >> 16 & 1);
    bits = static_cast<std::uint16_t>(value != value ? 0x7fff : (wide + rounding) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};
__extension__ using F16 = _Float16;

/// An f32 of which a product reads 10 bits of fraction.
struct Tf32 {
  float value = 0;

  Tf32() = default;
  explicit Tf32(float result) : value(result) {}
  explicit operator float() const {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000) & 0xffffe000);
  }
};

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_SMALL_FLOATS_H_
