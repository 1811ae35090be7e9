// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The operators that plugins provide, as tensors use them. Made from the installed table
// (plugin/kernels/operators.h and elementwise.h), like documentation, tests and the kit's checks.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_OPERATORS_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_OPERATORS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/dtype.h"
#include "patchbay/kernel.h"
#include "patchbay/plugin/kernels/signatures.hpp"

#include "core/runtime/kernel/kernel_cache.h"

namespace patchbay::tensor {

/// A set of dtypes, one bit each.
using DTypes = kernels::DtypeSet;
template <class... T>
constexpr DTypes dtypes_of(T... dtypes) {
  return (DTypes{0} | ... | kernels::bit_of(static_cast<std::uint8_t>(dtypes)));
}
constexpr bool contains(DTypes set, DType dtype) {
  const auto number = static_cast<std::uint8_t>(dtype);
  return number <= static_cast<std::uint8_t>(DType::c128) && (set & kernels::bit_of(number)) != 0;
}
inline constexpr DTypes kSmallFloats = kernels::all_of_kind(kernels::DtypeKind::kHalf);
/// 16-bit floats: computed in f32 and rounded once.
constexpr bool is_small(DType dtype) { return contains(kSmallFloats, dtype); }
/// "f32, f64, i32"
std::string to_string(DTypes set, std::string_view between = ", ");

inline constexpr DTypes kFloats = PATCHBAY_SET_FLOATS;
inline constexpr DTypes kNumbers = PATCHBAY_SET_NUMBERS;
inline constexpr DTypes kBooleans = PATCHBAY_SET_BOOLS;
/// Kept, and not computed in.
inline constexpr DTypes kStorage = PATCHBAY_SET_STORAGE;
inline constexpr DTypes kAll = PATCHBAY_SET_ALL;
/// Pairs of floats: operations of their own, whose kernels compute with the parts.
inline constexpr DTypes kComplex = dtypes_of(DType::c64, DType::c128);

/// Whether every device has the dtype. Others are optional.
constexpr bool is_everywhere(DType dtype) {
  return contains(kAll, dtype) && (!is_floating(dtype) || dtype == DType::f32);
}

using Result = kernels::Result;

/// One cache line, because each launch reads all of it.
struct alignas(64) Operator {
  const char* name;    // for errors and traces
  const char* kernel;  // with its version
  /// The kernel's kernels::Role for each argument, then 0.
  std::array<char, kernels::kMostParameters + 1> arguments;
  DTypes dtypes;  // of the operands
  Result result;
  const char* derivative;  // null: none, or in the elementwise table
  std::uint16_t id;        // its index in kOperators
  std::uint8_t num_attributes, name_size;
  const kernels::Signature* signature;

  std::string_view shown() const { return {name, name_size}; }
};
static_assert(sizeof(Operator) == 64);

namespace records {

constexpr Operator operator_of(const kernels::Signature& signature, std::size_t id) {
  const bool has_derivative = *signature.derivative != 0;
  Operator op{signature.name,
              signature.kernel,
              {},
              signature.dtypes,
              signature.result,
              has_derivative ? signature.derivative : nullptr,
              static_cast<std::uint16_t>(id),
              static_cast<std::uint8_t>(signature.attributes.size()),
              static_cast<std::uint8_t>(std::string_view(signature.name).size()),
              &signature};
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    op.arguments[i] = static_cast<char>(signature.parameters[i].role);
  }
  return op;
}
template <std::size_t... i>
constexpr std::array<Operator, sizeof...(i)> all_of(std::index_sequence<i...>) {
  return {operator_of(kernels::kSignatures[i], i)...};
}

}  // namespace records

/// In the order of the documentation.
inline constexpr auto kOperators =
    records::all_of(std::make_index_sequence<kernels::kSignatures.size()>());
static_assert(kOperators.size() <= std::numeric_limits<std::uint16_t>::max());

/// The operator of that name, at compile time: `record("add")`.
consteval const Operator& record(std::string_view name) {
  for (const Operator& op : kOperators) {
    if (name == op.name) return op;
  }
  throw "no such operator";
}

/// The operators by name: `op::add`.
namespace op {
#define PATCHBAY_NAMED(name, ...) inline constexpr const Operator& name = record(#name);
PATCHBAY_OPERATORS_MEMORY(PATCHBAY_NAMED)
PATCHBAY_OPERATORS_DIMENSION(PATCHBAY_NAMED)
PATCHBAY_OPERATORS_REDUCTION(PATCHBAY_NAMED)
PATCHBAY_OPERATORS_RANDOM(PATCHBAY_NAMED)
PATCHBAY_OPERATORS_MATRIX(PATCHBAY_NAMED)
PATCHBAY_OPERATORS_WINDOW(PATCHBAY_NAMED)
PATCHBAY_OPERATORS_ROW(PATCHBAY_NAMED)
PATCHBAY_OPERATORS_FACTOR(PATCHBAY_NAMED)
PATCHBAY_OPERATORS_TRANSFORM(PATCHBAY_NAMED)
PATCHBAY_OPERATORS_COMPOSITE(PATCHBAY_NAMED)
PATCHBAY_ELEMENTWISE_NOTES(PATCHBAY_NAMED)
#undef PATCHBAY_NAMED
}  // namespace op

constexpr DType result_dtype(const Operator& op, DType operand) {
  return DType{kernels::result_dtype(op.result, static_cast<std::uint8_t>(operand))};
}
/// The dtype in which a scalar is passed: u8 for bool.
constexpr DType scalar_dtype(DType dtype) {
  return DType{kernels::scalar_dtype(static_cast<std::uint8_t>(dtype))};
}

/// The values of an operator's attributes in the signature's order: integers, the bits of numbers,
/// the indices of words in their list.
using AttributeWords = std::span<const std::uint64_t>;

[[noreturn]] void raise_attributes(const Operator& op, std::size_t num_given);

/// The key of a kernel in the device's cache. All attributes are given. Bit i of `scalars`: input i
/// is a scalar, or indices are i32, not i64.
inline runtime::KernelKey kernel_key(const Operator& op, DType out, DType dtype,
                                     unsigned scalars = 0, AttributeWords attributes = {}) {
  static_assert(kernels::kMostParameters <= 8 * sizeof(runtime::KernelKey::variant));
  static_assert(sizeof(DType) == sizeof(runtime::KernelKey::out));
  if (attributes.size() != op.num_attributes) [[unlikely]]
    raise_attributes(op, attributes.size());
  return {op.id, static_cast<std::uint8_t>(out), static_cast<std::uint8_t>(dtype),
          static_cast<std::uint16_t>(scalars), attributes};
}

/// The spec of an operator's kernel for operands of `dtype`, with the same parameters.
KernelSpec make_spec(const Operator& op, DType out, DType dtype, unsigned scalars = 0,
                     AttributeWords attributes = {});

/// Attribute values that the operator can be prepared with: the defaults, or the smallest.
std::vector<std::uint64_t> any_attributes(const Operator& op);

/// The prepared kernel. Hashes only the key.
template <class Cache>
[[gnu::always_inline]] inline runtime::KernelState& prepared(Cache& cache, const Operator& op,
                                                             DType out, DType dtype,
                                                             unsigned scalars = 0,
                                                             AttributeWords attributes = {}) {
  return cache.at(kernel_key(op, out, dtype, scalars, attributes),
                  [&] { return make_spec(op, out, dtype, scalars, attributes); });
}

/// The prepared kernel of an operator that a plugin may leave out: then null.
template <class Cache>
runtime::KernelState* prepared_if_any(Cache& cache, const Operator& op, DType dtype,
                                      AttributeWords attributes = {}) {
  return cache.find_at(kernel_key(op, dtype, dtype, 0, attributes),
                       [&] { return make_spec(op, dtype, dtype, 0, attributes); });
}

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_OPERATORS_H_
