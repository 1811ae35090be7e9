// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_DTYPE_H_
#define PATCHBAY_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#include "patchbay/export.h"

namespace patchbay {

/// The types of elements. Every backend has f32, i32, i64, u8 and boolean; the others exist where
/// the device can.
enum class DType : std::uint8_t {
  f32 = 1,
  f64 = 2,
  f16 = 3,
  bf16 = 4,
  i32 = 5,
  i64 = 6,
  u8 = 7,
  boolean = 8  // printed "bool"; one byte, 0 or 1
};

constexpr std::size_t size_bytes(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::i64: return 8;
    case DType::f32:
    case DType::i32: return 4;
    case DType::f16:
    case DType::bf16: return 2;
    case DType::u8:
    case DType::boolean: return 1;
  }
  return 0;
}
constexpr bool is_floating(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

/// "f32", "bool" ...
PATCHBAY_API std::string_view to_string(DType dtype);
/// The dtype of that name. Error: kInvalidArgument, which lists the names.
PATCHBAY_API DType parse_dtype(std::string_view name);
PATCHBAY_API std::ostream& operator<<(std::ostream& out, DType dtype);

/// The dtype whose elements are C++ values of type T; T is one of float, double, std::int32_t,
/// std::int64_t, std::uint8_t, bool.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, bool>)
    return DType::boolean;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return DType::u8;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 4)
    return DType::i32;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8)
    return DType::i64;
  else
    static_assert(!sizeof(T), "no dtype has elements of this type");
}

}  // namespace patchbay

#endif  // PATCHBAY_DTYPE_H_
