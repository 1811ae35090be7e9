// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Expressions as readable text.
#ifndef PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_TEXT_H_
#define PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_TEXT_H_

#include <span>
#include <string>
#include <string_view>

#include "core/tensor/fuse/expression.h"

namespace patchbay::tensor {

/// "a > 0 ? grad : 0.5 * exp(a)". `names` are the inputs' names, by number. Long parts that occur
/// several times get names: "x / (1 + x) with x = exp(minimum(maximum(a, -40), 40))".
std::string to_text(const Expression& expression, std::span<const std::string_view> names);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_TEXT_H_
