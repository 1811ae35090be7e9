// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Unsigned numbers in the order of elements.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_SORT_KEY_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_SORT_KEY_HPP_

#include <cstdint>
#include <type_traits>

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/types.h"

#include "kit/dtypes.hpp"

namespace patchbay::cpu {

/// For floats, given as their bits: below zero the order of the bits is turned round. Both zeros
/// have one key, and NaN the largest. `infinity`: the bits of the positive one.
template <class Bits>
constexpr Bits float_key(Bits bits, Bits infinity) {
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto magnitude = static_cast<Bits>(bits & static_cast<Bits>(~kSign));
  if (magnitude > infinity) return static_cast<Bits>(~Bits{0});
  if (magnitude == 0) return kSign;
  return static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
}
template <class Bits>
constexpr Bits signed_key(Bits bits) {
  return static_cast<Bits>(bits ^ Bits{1} << (8 * sizeof(Bits) - 1));
}

/// Calls body(key), where key(bits) maps the bits of an element (an unsigned integer of its size)
/// to its key of the same type.
template <class Body>
void with_key(std::uint8_t dtype, const Body& body) {
  using U8 = std::uint8_t;
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  switch (dtype) {
    case PATCHBAY_F32: return body([](U32 bits) { return float_key<U32>(bits, 0x7f800000U); });
    case PATCHBAY_F64:
      return body([](U64 bits) { return float_key<U64>(bits, 0x7ff0000000000000U); });
    case PATCHBAY_F16: return body([](U16 bits) { return float_key<U16>(bits, 0x7c00U); });
    case PATCHBAY_BF16: return body([](U16 bits) { return float_key<U16>(bits, 0x7f80U); });
    case PATCHBAY_I8: return body([](U8 bits) { return signed_key<U8>(bits); });
    case PATCHBAY_I16: return body([](U16 bits) { return signed_key<U16>(bits); });
    case PATCHBAY_I32: return body([](U32 bits) { return signed_key<U32>(bits); });
    case PATCHBAY_I64: return body([](U64 bits) { return signed_key<U64>(bits); });
    case PATCHBAY_BOOL: return body([](U8 bits) { return U8{bits != 0}; });
    case PATCHBAY_U8: return body([](U8 bits) { return bits; });
    case PATCHBAY_U16: return body([](U16 bits) { return bits; });
    case PATCHBAY_U32: return body([](U32 bits) { return bits; });
    case PATCHBAY_U64: return body([](U64 bits) { return bits; });
    default: plugin::unsupported("sort.1 has no order for " + dtype_name(dtype));
  }
}

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_SORT_KEY_HPP_
