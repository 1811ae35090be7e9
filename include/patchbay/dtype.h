// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_DTYPE_H_
#define PATCHBAY_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#include "patchbay/dtype_table.h"
#include "patchbay/export.h"

namespace patchbay {

/// The types of elements: f32, f64, f16, bf16, i32, i64, u8, boolean (printed "bool"; one byte, 0
/// or 1). Every backend has f32, i32, i64, u8 and boolean; the others exist where the device can.
enum class DType : std::uint8_t {
#define PATCHBAY_NUMBERED(name, printed, NAME, number, ...) name = (number),
  PATCHBAY_DTYPES(PATCHBAY_NUMBERED)
#undef PATCHBAY_NUMBERED
};

/// All dtypes, in the order of their numbers.
#define PATCHBAY_LISTED(name, ...) DType::name,
inline constexpr DType kDTypes[] = {PATCHBAY_DTYPES(PATCHBAY_LISTED)};
#undef PATCHBAY_LISTED

constexpr std::size_t size_bytes(DType dtype) {
#define PATCHBAY_SIZE(name, printed, NAME, number, size_bytes, ...) \
  case DType::name: return size_bytes;
  switch (dtype) { PATCHBAY_DTYPES(PATCHBAY_SIZE) }
#undef PATCHBAY_SIZE
  return 0;
}
constexpr bool is_floating(DType dtype) {
  enum Kind { Float, Half, Signed, Unsigned, Bool };
#define PATCHBAY_FLOATING(name, printed, NAME, number, size_bytes, kind, ...) \
  case DType::name: return kind == Float || kind == Half;
  switch (dtype) { PATCHBAY_DTYPES(PATCHBAY_FLOATING) }
#undef PATCHBAY_FLOATING
  return false;
}

/// "f32", "bool" ...
PATCHBAY_API std::string_view to_string(DType dtype);
/// The dtype of that name. Error: kInvalidArgument, which lists the names.
PATCHBAY_API DType parse_dtype(std::string_view name);
PATCHBAY_API std::ostream& operator<<(std::ostream& out, DType dtype);

/// The dtype whose elements are of the C++ type T: float, double, std::int32_t, std::int64_t,
/// std::uint8_t or bool.
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
