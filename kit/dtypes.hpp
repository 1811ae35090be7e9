// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Queries about dtypes, answered from the shared dtype table.
#ifndef PATCHBAY_KIT_DTYPES_HPP_
#define PATCHBAY_KIT_DTYPES_HPP_

#include <cstdint>
#include <string_view>

#include "patchbay/plugin/kernels/dtypes.hpp"

namespace patchbay {

using kernels::dtype_name;
using kernels::DtypeKind;
using kernels::element_bytes;

constexpr bool is_known(std::uint8_t dtype) { return kernels::find_dtype(dtype) != nullptr; }
/// f16 and bf16: stored in 16 bits, computed in f32.
constexpr bool is_small_float(std::uint8_t dtype) {
  return kernels::is_of_kind(dtype, DtypeKind::kHalf);
}
constexpr bool is_float(std::uint8_t dtype) {
  return kernels::is_of_kind(dtype, DtypeKind::kFloat) || is_small_float(dtype);
}
constexpr bool is_signed_integer(std::uint8_t dtype) {
  return kernels::is_of_kind(dtype, DtypeKind::kSigned);
}
constexpr bool is_integer(std::uint8_t dtype) {
  return is_signed_integer(dtype) || kernels::is_of_kind(dtype, DtypeKind::kUnsigned);
}

/// 0 if no dtype has this name.
constexpr std::uint8_t dtype_named(std::string_view name) {
  for (const kernels::Dtype& dtype : kernels::kDtypes) {
    if (dtype.name == name) return dtype.number;
  }
  return 0;
}

}  // namespace patchbay

#endif  // PATCHBAY_KIT_DTYPES_HPP_
