// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// From dtypes to C++ types. Each function calls `chosen` with a value of the type of `dtype`, and
// gives null for a dtype that is not of its set.
#ifndef PATCHBAY_PLUGINS_FAKE_KERNELS_DTYPES_HPP_
#define PATCHBAY_PLUGINS_FAKE_KERNELS_DTYPES_HPP_

#include <cstdint>
#include <type_traits>

#include "fake/kernels/operators.hpp"

namespace fake {

/// An element of a bool tensor. Not C++'s bool, for which other bytes than 0 and 1 are undefined.
struct Boolean {
  std::uint8_t byte;
};

template <class Chosen>
Function for_floats(std::uint8_t dtype, Chosen chosen) {
  switch (dtype) {
    case PATCHBAY_F32: return chosen(float{});
    case PATCHBAY_F64: return chosen(double{});
    default: return nullptr;
  }
}

template <class Chosen>
Function for_numbers(std::uint8_t dtype, Chosen chosen) {
  switch (dtype) {
    case PATCHBAY_I32: return chosen(std::int32_t{});
    case PATCHBAY_I64: return chosen(std::int64_t{});
    case PATCHBAY_U8: return chosen(std::uint8_t{});
    default: return for_floats(dtype, chosen);
  }
}

template <class Chosen>
Function for_all(std::uint8_t dtype, Chosen chosen) {
  return dtype == PATCHBAY_BOOL ? chosen(Boolean{}) : for_numbers(dtype, chosen);
}

/// Whether an argument's elements are of `dtype`; a scalar for bool travels as u8.
inline bool has_dtype(const patchbay_argument_spec& spec, std::uint8_t dtype) {
  if (spec.kind == PATCHBAY_SCALAR && dtype == PATCHBAY_BOOL) return spec.dtype == PATCHBAY_U8;
  return spec.dtype == dtype;
}
inline bool all_have_dtype(Specs specs, std::uint8_t dtype) {
  for (const auto& spec : specs) {
    if (!has_dtype(spec, dtype)) return false;
  }
  return true;
}

/// Integer arithmetic in the unsigned type, where wrapping around is defined.
template <class T>
using Unsigned = std::make_unsigned_t<T>;

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_DTYPES_HPP_
