// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Dtypes by name, size and kind.
#ifndef PATCHBAY_KIT_DTYPES_HPP_
#define PATCHBAY_KIT_DTYPES_HPP_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "patchbay/plugin/types.h"

namespace patchbay {

enum class DtypeKind : std::uint8_t { kNone, kFloat, kSmallFloat, kSigned, kUnsigned, kBool };

struct DtypeRow {
  std::string_view name;
  std::size_t size_bytes;
  DtypeKind kind;
};
/// By their numbers in plugin/types.h; the first one is none.
inline constexpr DtypeRow kDtypes[] = {
    {"none", 0, DtypeKind::kNone},       {"f32", 4, DtypeKind::kFloat},
    {"f64", 8, DtypeKind::kFloat},       {"f16", 2, DtypeKind::kSmallFloat},
    {"bf16", 2, DtypeKind::kSmallFloat}, {"i32", 4, DtypeKind::kSigned},
    {"i64", 8, DtypeKind::kSigned},      {"u8", 1, DtypeKind::kUnsigned},
    {"bool", 1, DtypeKind::kBool}};
static_assert(PATCHBAY_F32 == 1 && PATCHBAY_BF16 == 4 && PATCHBAY_I64 == 6 && PATCHBAY_BOOL == 8);

constexpr const DtypeRow& dtype_row(std::uint8_t dtype) {
  return kDtypes[dtype < std::size(kDtypes) ? dtype : 0];
}

constexpr bool is_known(std::uint8_t dtype) { return dtype_row(dtype).kind != DtypeKind::kNone; }
/// 0 for a dtype that is not known.
constexpr std::size_t element_bytes(std::uint8_t dtype) { return dtype_row(dtype).size_bytes; }

/// f16 and bf16: stored in 16 bits, computed in f32.
constexpr bool is_small_float(std::uint8_t dtype) {
  return dtype_row(dtype).kind == DtypeKind::kSmallFloat;
}
constexpr bool is_float(std::uint8_t dtype) {
  return dtype_row(dtype).kind == DtypeKind::kFloat || is_small_float(dtype);
}
constexpr bool is_signed_integer(std::uint8_t dtype) {
  return dtype_row(dtype).kind == DtypeKind::kSigned;
}
constexpr bool is_integer(std::uint8_t dtype) {
  return is_signed_integer(dtype) || dtype_row(dtype).kind == DtypeKind::kUnsigned;
}

/// "f32", or "dtype 77".
inline std::string dtype_name(std::uint8_t dtype) {
  return is_known(dtype) ? std::string(dtype_row(dtype).name) : "dtype " + std::to_string(dtype);
}
/// 0 for a name that is none of them.
constexpr std::uint8_t dtype_named(std::string_view name) {
  for (std::uint8_t dtype = 1; dtype < std::size(kDtypes); ++dtype) {
    if (kDtypes[dtype].name == name) return dtype;
  }
  return 0;
}

}  // namespace patchbay

#endif  // PATCHBAY_KIT_DTYPES_HPP_
