// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The dtype table as C++ values, for the library and for plugins.
#ifndef PATCHBAY_PLUGIN_KERNELS_DTYPES_HPP_
#define PATCHBAY_PLUGIN_KERNELS_DTYPES_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/dtype_table.h"

namespace patchbay::kernels {

enum class DtypeKind : std::uint8_t { kFloat, kHalf, kSigned, kUnsigned, kBool };

struct Dtype {
  std::string_view name;  // "f32"
  std::uint8_t number;    // patchbay_dtype
  std::uint8_t size_bytes;
  DtypeKind kind;
  std::string_view element_type;  // of an element in memory, in kernel texts
  std::uint8_t dlpack_code;
};

#define PATCHBAY_ROW(name, printed, NAME, number, size_bytes, kind, type, dlpack_code) \
  Dtype{printed, number, size_bytes, DtypeKind::k##kind, #type, dlpack_code},
inline constexpr auto kDtypes = std::to_array<Dtype>({PATCHBAY_DTYPES(PATCHBAY_ROW)});
#undef PATCHBAY_ROW

/// The size of tables that are indexed by a dtype's number; entry 0 is no dtype.
inline constexpr std::size_t kNumDtypeNumbers = kDtypes.size() + 1;

constexpr bool numbers_have_no_gaps() {
  for (std::size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].number != i + 1) return false;
  }
  return true;
}
static_assert(numbers_have_no_gaps());

/// Null if no dtype has the number.
constexpr const Dtype* find_dtype(std::uint8_t number) {
  return number == 0 || number >= kNumDtypeNumbers ? nullptr : &kDtypes[number - 1U];
}
constexpr bool is_of_kind(std::uint8_t number, DtypeKind kind) {
  const Dtype* const dtype = find_dtype(number);
  return dtype != nullptr && dtype->kind == kind;
}
/// 0 if no dtype has the number.
constexpr std::size_t element_bytes(std::uint8_t number) {
  const Dtype* const dtype = find_dtype(number);
  return dtype == nullptr ? 0 : dtype->size_bytes;
}
/// "f32", or "dtype 77" for a number that no dtype has.
inline std::string dtype_name(std::uint8_t number) {
  const Dtype* const dtype = find_dtype(number);
  return dtype == nullptr ? "dtype " + std::to_string(number) : std::string(dtype->name);
}

/// A set of dtypes: bit n is the dtype of number n.
using DtypeSet = std::uint32_t;
static_assert(kNumDtypeNumbers <= 8 * sizeof(DtypeSet));

constexpr DtypeSet bit_of(std::uint8_t number) { return DtypeSet{1} << number; }
constexpr bool contains(DtypeSet set, std::uint8_t number) {
  return number < kNumDtypeNumbers && (set & bit_of(number)) != 0;
}
constexpr DtypeSet all_of_kind(DtypeKind kind) {
  DtypeSet set = 0;
  for (const Dtype& dtype : kDtypes) {
    if (dtype.kind == kind) set |= bit_of(dtype.number);
  }
  return set;
}
/// "f32, f64, i32"
inline std::string list_of(DtypeSet set, std::string_view between = ", ") {
  std::string text;
  for (const Dtype& dtype : kDtypes) {
    if (!contains(set, dtype.number)) continue;
    if (!text.empty()) text += between;
    text += dtype.name;
  }
  return text;
}

}  // namespace patchbay::kernels

#endif  // PATCHBAY_PLUGIN_KERNELS_DTYPES_HPP_
