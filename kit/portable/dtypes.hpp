// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Dtypes as the kernels' texts name them.
#ifndef PATCHBAY_KIT_PORTABLE_DTYPES_HPP_
#define PATCHBAY_KIT_PORTABLE_DTYPES_HPP_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/types.h"

#include "kit/portable/backend.hpp"

namespace patchbay::portable {

using Specs = std::span<const patchbay_argument_spec>;

inline bool is_float(std::uint8_t dtype) { return dtype == PATCHBAY_F32 || dtype == PATCHBAY_F64; }
inline bool is_signed_integer(std::uint8_t dtype) {
  return dtype == PATCHBAY_I32 || dtype == PATCHBAY_I64;
}

inline bool is_integer(std::uint8_t dtype) {
  return is_signed_integer(dtype) || dtype == PATCHBAY_U8;
}
/// Whether the texts compute with it.
inline bool is_known(std::uint8_t dtype) {
  return is_float(dtype) || is_integer(dtype) || dtype == PATCHBAY_BOOL;
}

/// "f32"; "bool" for bools.
std::string dtype_name(std::uint8_t dtype);
/// The type of an element in memory: a bool is a u8.
std::string element_type(std::uint8_t dtype);
std::size_t element_bytes(std::uint8_t dtype);

/// Whether the elements are of `dtype`; a scalar for a bool travels as u8.
inline bool has_dtype(const patchbay_argument_spec& spec, std::uint8_t dtype) {
  if (spec.kind == PATCHBAY_SCALAR && dtype == PATCHBAY_BOOL) return spec.dtype == PATCHBAY_U8;
  return spec.dtype == dtype;
}

/// Throws unless number and kinds are as `kinds` says, a letter an argument: o a tensor to write,
/// t a tensor to read, s a scalar, a either of these two; and unless the device has the dtypes.
void check_specs(std::string_view op, std::string_view kinds, Specs specs, const Traits& device);
/// Throws unsupported: "add.1: no kernel for (f32, f32, scalar i32)".
[[noreturn]] void refuse(std::string_view op, Specs specs);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_DTYPES_HPP_
