// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_DTYPE_H_
#define PATCHBAY_DTYPE_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#include "patchbay/dtype_table.h"
#include "patchbay/export.h"

namespace patchbay {

/// The types of elements: f32, f64, f16, bf16, i32, i64, u8, boolean (printed "bool"; one byte, 0
/// or 1), i8, i16, u16, u32, u64, and complex numbers of two f32 (c64) or two f64 (c128). Every
/// backend has f32, c64, the integers and boolean; the other floats, and c128, exist where the
/// device can. Nothing is computed in i8, i16, u16, u32 and u64: cast them first.
enum class DType : std::uint8_t {
#define PATCHBAY_NUMBERED(name, printed, NAME, number, ...) name = (number),
  PATCHBAY_TENSOR_DTYPES(PATCHBAY_NUMBERED)
#undef PATCHBAY_NUMBERED
};

/// All dtypes, in the order of their numbers.
#define PATCHBAY_LISTED(name, ...) DType::name,
inline constexpr DType kDTypes[] = {PATCHBAY_TENSOR_DTYPES(PATCHBAY_LISTED)};
#undef PATCHBAY_LISTED

/// The size of one element.
constexpr std::size_t size_bytes(DType dtype) {
#define PATCHBAY_SIZE(name, printed, NAME, number, size_bytes, ...) \
  case DType::name: return size_bytes;
  switch (dtype) { PATCHBAY_TENSOR_DTYPES(PATCHBAY_SIZE) }
#undef PATCHBAY_SIZE
  return 0;
}
/// Whether the elements are floats: f32, f64, f16 or bf16.
constexpr bool is_floating(DType dtype) {
  enum Kind { Float, Half, Signed, Unsigned, Bool, Complex };
#define PATCHBAY_FLOATING(name, printed, NAME, number, size_bytes, kind, ...) \
  case DType::name: return kind == Float || kind == Half;
  switch (dtype) { PATCHBAY_TENSOR_DTYPES(PATCHBAY_FLOATING) }
#undef PATCHBAY_FLOATING
  return false;
}

/// Whether the elements are complex: c64 or c128.
constexpr bool is_complex(DType dtype) { return dtype == DType::c64 || dtype == DType::c128; }
/// The dtype of the parts of a complex dtype; any other dtype is its own.
constexpr DType real_dtype(DType dtype) {
  return dtype == DType::c64 ? DType::f32 : dtype == DType::c128 ? DType::f64 : dtype;
}
/// The complex dtype with parts of that dtype: c64 for f32, c128 for f64; any other is its own.
constexpr DType complex_dtype(DType dtype) {
  return dtype == DType::f32 ? DType::c64 : dtype == DType::f64 ? DType::c128 : dtype;
}

/// "f32", "bool" ...
PATCHBAY_API std::string_view to_string(DType dtype);
/// The dtype of that name. Error: kInvalidArgument, which lists the names.
PATCHBAY_API DType parse_dtype(std::string_view name);
PATCHBAY_API std::ostream& operator<<(std::ostream& out, DType dtype);

/// The dtype whose elements are C++ values of type T; T is float, double, std::complex of one of
/// these, bool, or an integer, such as std::int8_t (but not char, whose sign is the compiler's
/// choice).
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return DType::c64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return DType::c128;
  else if constexpr (std::is_same_v<T, bool>)
    return DType::boolean;
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, char>)
    switch (sizeof(T)) {
      case 1: return std::is_signed_v<T> ? DType::i8 : DType::u8;
      case 2: return std::is_signed_v<T> ? DType::i16 : DType::u16;
      case 4: return std::is_signed_v<T> ? DType::i32 : DType::u32;
      default: return std::is_signed_v<T> ? DType::i64 : DType::u64;
    }
  else
    static_assert(!sizeof(T), "no dtype has elements of this type");
}

}  // namespace patchbay

#endif  // PATCHBAY_DTYPE_H_
