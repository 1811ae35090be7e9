// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elementwise operations on the record. Their derivatives are the elementwise table's.
#ifndef PATCHBAY_CORE_TENSOR_AUTOGRAD_ELEMENTWISE_H_
#define PATCHBAY_CORE_TENSOR_AUTOGRAD_ELEMENTWISE_H_

#include <array>
#include <span>
#include <type_traits>

#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// An operand as the user gave it: a tensor, or a number.
class Term {
 public:
  Term() = default;
  Term(const Tensor& tensor) : tensor_(tensor) {}  // NOLINT(google-explicit-constructor)
  Term(const Scalar& number) : number_(number) {}  // NOLINT(google-explicit-constructor)
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  Term(N number) : number_(number) {}  // NOLINT(google-explicit-constructor): (T)2 of the table

  bool is_tensor() const { return tensor_.defined(); }
  const Tensor& tensor() const { return tensor_; }
  const Scalar& number() const { return number_; }

 private:
  Tensor tensor_;
  Scalar number_ = 0;
};

/// Records op(operands) = result if an operand needs a gradient and the operator has a derivative.
/// `operands` are in the table's order: a, b; condition, a, b; a, low, high.
void record_terms(const Operator& op, const Tensor& result, std::span<const Term> operands);
template <class... T>
void record_elementwise(const Operator& op, const Tensor& result, const T&... operands) {
  const std::array<Term, sizeof...(T)> terms{Term(operands)...};
  record_terms(op, result, terms);
}

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_AUTOGRAD_ELEMENTWISE_H_
