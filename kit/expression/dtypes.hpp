// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The dtypes of fused expressions, by name and size.
#ifndef PATCHBAY_KIT_EXPRESSION_DTYPES_HPP_
#define PATCHBAY_KIT_EXPRESSION_DTYPES_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/plugin/types.h"

namespace patchbay::expression {

struct Dtype {
  std::string_view name;
  std::uint8_t number;
  std::size_t size_bytes;
};
inline constexpr Dtype kDtypes[] = {{"f32", PATCHBAY_F32, 4}, {"f64", PATCHBAY_F64, 8},
                                    {"f16", PATCHBAY_F16, 2}, {"bf16", PATCHBAY_BF16, 2},
                                    {"i32", PATCHBAY_I32, 4}, {"i64", PATCHBAY_I64, 8},
                                    {"u8", PATCHBAY_U8, 1},   {"bool", PATCHBAY_BOOL, 1}};

constexpr unsigned bit_of(std::uint8_t dtype) { return 1U << dtype; }

/// 0 for a name that is none of them.
inline std::uint8_t parse_dtype(std::string_view name) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.name == name) return dtype.number;
  }
  return 0;
}
inline const Dtype& dtype_at(std::uint8_t number) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.number == number) return dtype;
  }
  return kDtypes[0];
}
inline std::string dtype_name(std::uint8_t number) { return std::string(dtype_at(number).name); }
inline std::size_t element_bytes(std::uint8_t number) { return dtype_at(number).size_bytes; }

}  // namespace patchbay::expression

#endif  // PATCHBAY_KIT_EXPRESSION_DTYPES_HPP_
