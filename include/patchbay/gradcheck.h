// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compares the gradients of a function with differences of its values: docs/autograd.md.
#ifndef PATCHBAY_GRADCHECK_H_
#define PATCHBAY_GRADCHECK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/tensor.h"

namespace patchbay {

struct GradcheckOptions {
  double eps = 1e-6;  // the step of the differences
  /// A gradient agrees if |gradient - difference| <= atol + rtol |difference|.
  double atol = 1e-5, rtol = 1e-3;
  /// Runs everything again with inputs and incoming gradients that are not contiguous.
  bool non_contiguous = false;
};

/// Whether all gradients agree; if not, where the first one does not.
struct GradcheckResult {
  bool passed = true;
  std::size_t input = 0, output = 0;  // their numbers
  /// The elements of both, in row-major order.
  std::int64_t input_element = 0, output_element = 0;
  double gradient = 0, difference = 0;
  bool non_contiguous = false;  // it was found there
  /// All of this in a sentence; empty if the gradients agree.
  std::string message = {};

  explicit operator bool() const { return passed; }
};

using TensorsFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
using TensorFunction = std::function<Tensor(const std::vector<Tensor>&)>;

/// Compares the gradient of every element of every result that requires gradients, with respect to
/// every element of every input that does, with (f(x + eps) - f(x - eps)) / (2 eps). The inputs
/// stay as they are; the function gets copies, and must give the same values each time. It runs
/// twice for each such element of the inputs. Inputs without gradients are passed on as they are,
/// undefined ones too. A gradient that is undefined counts as 0. On any devices that have f64;
/// values are fetched, in counted copies, so it blocks. Errors: kInvalidArgument for an empty
/// function, no input or no result that requires gradients, another number of results than before,
/// and an eps that is not above 0; kDtypeMismatch unless such inputs and results are f64;
/// kShapeMismatch if a result changes its shape; what the function throws.
[[nodiscard]] PATCHBAY_API GradcheckResult gradcheck(const TensorsFunction& function,
                                                     const std::vector<Tensor>& inputs,
                                                     const GradcheckOptions& options = {});
[[nodiscard]] PATCHBAY_API GradcheckResult gradcheck(const TensorFunction& function,
                                                     const std::vector<Tensor>& inputs,
                                                     const GradcheckOptions& options = {});

}  // namespace patchbay

#endif  // PATCHBAY_GRADCHECK_H_
