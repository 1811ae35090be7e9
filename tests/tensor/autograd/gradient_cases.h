// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions whose gradients are compared with finite differences.
#ifndef PATCHBAY_TESTS_TENSOR_AUTOGRAD_GRADIENT_CASES_H_
#define PATCHBAY_TESTS_TENSOR_AUTOGRAD_GRADIENT_CASES_H_

#include <functional>
#include <string>
#include <vector>

#include <patchbay/autograd.h>
#include <patchbay/ops.h>

namespace patchbay::test {

using Inputs = std::vector<Tensor>;

struct GradientCase {
  std::string record;  // the operator whose derivative it is; empty: of views, copies, compositions
  std::string name;
  std::vector<Shape> shapes;  // of the inputs
  std::function<Tensor(const Inputs&)> function;
  /// Inputs are drawn from here, where the function is smooth.
  double low = -2, high = 2;
  bool has_second = true;  // the second derivative is checked too
};

const std::vector<GradientCase>& gradient_cases();

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_TENSOR_AUTOGRAD_GRADIENT_CASES_H_
