// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The operators that plugins provide: one record each. Functions are generated from these lists.
#ifndef PATCHBAY_CORE_TENSOR_OPERATORS_H_
#define PATCHBAY_CORE_TENSOR_OPERATORS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "patchbay/dtype.h"

namespace patchbay::tensor {

/// A set of dtypes, one bit each.
using DTypes = std::uint16_t;
template <class... T>
constexpr DTypes dtypes_of(T... dtypes) {
  return static_cast<DTypes>((0u | ... | (1u << static_cast<unsigned>(dtypes))));
}
constexpr bool contains(DTypes set, DType dtype) {
  return ((set >> static_cast<unsigned>(dtype)) & 1u) != 0;
}
/// "f32, f64, i32"
std::string to_string(DTypes set);

inline constexpr DTypes kFloats = dtypes_of(DType::f32, DType::f64, DType::f16, DType::bf16);
inline constexpr DTypes kMatrix = kFloats | dtypes_of(DType::i32, DType::i64);
inline constexpr DTypes kNumbers = kMatrix | dtypes_of(DType::u8);
inline constexpr DTypes kBooleans = dtypes_of(DType::boolean);
inline constexpr DTypes kAll = kNumbers | kBooleans;

/// The dtype of the result, from that of the operands.
enum class Result : std::uint8_t {
  kSame,
  kBoolean,
  kTotal,  // floats keep theirs, the others become i64
  kIndex   // i64
};

// X(name, dtypes, result). The kernel's name is the operator's with its version: "add.1".
#define PATCHBAY_MEMORY_OPERATORS(X) \
  X(fill, kAll, kSame)               \
  X(copy, kAll, kSame)               \
  X(cast, kAll, kSame)               \
  X(arange, kNumbers, kSame)

#define PATCHBAY_BINARY_OPERATORS(X)  \
  X(add, kNumbers, kSame)             \
  X(sub, kNumbers, kSame)             \
  X(mul, kNumbers, kSame)             \
  X(div, kNumbers, kSame)             \
  X(maximum, kNumbers, kSame)         \
  X(minimum, kNumbers, kSame)         \
  X(eq, kAll, kBoolean)               \
  X(ne, kAll, kBoolean)               \
  X(lt, kAll, kBoolean)               \
  X(le, kAll, kBoolean)               \
  X(gt, kAll, kBoolean)               \
  X(ge, kAll, kBoolean)               \
  X(logical_and, kBooleans, kBoolean) \
  X(logical_or, kBooleans, kBoolean)

#define PATCHBAY_UNARY_OPERATORS(X) \
  X(neg, kNumbers, kSame)           \
  X(abs, kNumbers, kSame)           \
  X(square, kNumbers, kSame)        \
  X(sqrt, kFloats, kSame)           \
  X(exp, kFloats, kSame)            \
  X(log, kFloats, kSame)            \
  X(logical_not, kBooleans, kBoolean)

#define PATCHBAY_REDUCTIONS(X)     \
  X(sum, kAll, kTotal)             \
  X(min, kAll, kSame)              \
  X(max, kAll, kSame)              \
  X(argmin, kAll, kIndex)          \
  X(argmax, kAll, kIndex)          \
  X(sum_squares, kNumbers, kTotal) \
  X(sum_abs, kFloats, kSame)       \
  X(max_abs, kFloats, kSame)

#define PATCHBAY_MATRIX_OPERATORS(X) X(gemm, kMatrix, kSame)

#define PATCHBAY_OPERATORS(X)  \
  PATCHBAY_MEMORY_OPERATORS(X) \
  PATCHBAY_BINARY_OPERATORS(X) \
  PATCHBAY_UNARY_OPERATORS(X)  \
  PATCHBAY_REDUCTIONS(X)       \
  PATCHBAY_MATRIX_OPERATORS(X)

enum class OperatorId : std::uint8_t {
#define PATCHBAY_ID(name, dtypes, result) name,
  PATCHBAY_OPERATORS(PATCHBAY_ID)
#undef PATCHBAY_ID
};

struct Operator {
  OperatorId id;
  const char* name;    // for errors and traces
  const char* kernel;  // with its version
  DTypes dtypes;
  Result result;
};

/// `op::add` and so on.
namespace op {
#define PATCHBAY_RECORD(name, dtypes, result) \
  inline constexpr Operator name{OperatorId::name, #name, #name ".1", dtypes, Result::result};
PATCHBAY_OPERATORS(PATCHBAY_RECORD)
#undef PATCHBAY_RECORD
}  // namespace op

constexpr DType result_dtype(const Operator& op, DType operand) {
  switch (op.result) {
    case Result::kSame: return operand;
    case Result::kBoolean: return DType::boolean;
    case Result::kTotal: return is_floating(operand) ? operand : DType::i64;
    case Result::kIndex: return DType::i64;
  }
  return operand;
}

/// Numbers a kernel in the device's cache: operator, dtype, and 3 bits that tell its variants
/// apart (which operands are scalars, or the dtype of a cast's source).
constexpr std::size_t kernel_slot(const Operator& op, DType dtype, unsigned variant) {
  return static_cast<std::size_t>(op.id) << 6 | (static_cast<std::size_t>(dtype) - 1) << 3 |
         variant;
}

/// Scalars are never bool: a bool travels as u8.
constexpr DType scalar_dtype(DType dtype) { return dtype == DType::boolean ? DType::u8 : dtype; }

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_OPERATORS_H_
