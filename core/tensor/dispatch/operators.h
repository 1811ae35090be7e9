// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The operators that plugins provide: one record each, from which dispatch, messages, documentation
// and tests are made.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_OPERATORS_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_OPERATORS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "patchbay/dtype.h"

namespace patchbay {

struct KernelSpec;

namespace tensor {

/// A set of dtypes, one bit each.
using DTypes = std::uint16_t;
template <class... T>
constexpr DTypes dtypes_of(T... dtypes) {
  return static_cast<DTypes>((0u | ... | (1u << static_cast<unsigned>(dtypes))));
}
constexpr bool contains(DTypes set, DType dtype) {
  return ((set >> static_cast<unsigned>(dtype)) & 1u) != 0;
}
/// Of 16 bits: computed in f32 and rounded once.
constexpr bool is_small(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }
/// "f32, f64, i32"
std::string to_string(DTypes set);

inline constexpr DTypes kFloats = dtypes_of(DType::f32, DType::f64, DType::f16, DType::bf16);
inline constexpr DTypes kSmallFloats = dtypes_of(DType::f16, DType::bf16);
inline constexpr DTypes kIntegers = dtypes_of(DType::i32, DType::i64, DType::u8);
inline constexpr DTypes kIndices = dtypes_of(DType::i64);
inline constexpr DTypes kMatrix = kFloats | dtypes_of(DType::i32, DType::i64);
inline constexpr DTypes kNumbers = kMatrix | dtypes_of(DType::u8);
inline constexpr DTypes kBooleans = dtypes_of(DType::boolean);
inline constexpr DTypes kAll = kNumbers | kBooleans;

/// The dtype of the result, from that of the operands.
enum class Result : std::uint8_t {
  kSame,
  kBoolean,
  kTotal,   // floats keep theirs, the others become i64
  kIndex,   // i64
  kChosen,  // by the caller
};

/// Units of an ErrorBound for f32 and f64. f16 and bf16 are computed in f32 and rounded once: 0
/// where that is exact, else 1.
struct Ulps {
  bool of_terms;
  double f32, f64;
};
inline constexpr Ulps kRounded{false, 0, 0};
constexpr Ulps of_result(double f32, double f64) { return {false, f32, f64}; }
constexpr Ulps of_terms(double f32, double f64) { return {true, f32, f64}; }

struct Operator {
  const char* name;    // for errors and traces
  const char* kernel;  // with its version
  const char* family;
  /// Of the kernel, a letter each: o the result, u a result that is read as well, t a tensor,
  /// c a tensor of bools, x a tensor of indices, a a tensor or a scalar, s a scalar, i a scalar of
  /// dtype i64.
  const char* arguments;
  const char* shapes;
  DTypes dtypes;  // of the operands
  Result result;
  Ulps bound;
  const char* derivative;  // null: none, or the elementwise table's
  const char* source;      // of the formula
  std::uint8_t id = 0;     // its place in kOperators
};

constexpr DType result_dtype(const Operator& op, DType operand) {
  switch (op.result) {
    case Result::kSame: return operand;
    case Result::kBoolean: return DType::boolean;
    case Result::kTotal: return is_floating(operand) ? operand : DType::i64;
    case Result::kIndex: return DType::i64;
    case Result::kChosen: return operand;
  }
  return operand;
}

/// Numbers a kernel in the device's cache: operator, dtype, and 3 bits that tell its variants
/// apart (which operands are scalars, the dtype of a cast's source, or that of indices).
constexpr std::size_t kernel_slot(const Operator& op, DType dtype, unsigned variant) {
  return std::size_t{op.id} << 6 | (static_cast<std::size_t>(dtype) - 1) << 3 | variant;
}

/// Scalars are never bool: a bool travels as u8.
constexpr DType scalar_dtype(DType dtype) { return dtype == DType::boolean ? DType::u8 : dtype; }

/// The kernel of an operator for operands of `dtype`; bit i of `scalars`: input i is a scalar, or
/// indices are i32 in place of i64.
KernelSpec make_spec(const Operator& op, DType out, DType dtype, unsigned scalars = 0);

}  // namespace tensor
}  // namespace patchbay

#include "core/tensor/dispatch/records.h"

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_OPERATORS_H_
