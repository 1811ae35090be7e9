// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Formats elements on the host as aligned rows of text.
#ifndef PATCHBAY_CORE_TENSOR_PRINT_PRINTER_H_
#define PATCHBAY_CORE_TENSOR_PRINT_PRINTER_H_

#include <span>
#include <string>
#include <vector>

#include "patchbay/dtype.h"
#include "patchbay/print.h"
#include "patchbay/shape.h"

namespace patchbay::tensor {

/// Errors: kInvalidArgument, which names `operation`.
void check_print_options(const char* operation, const PrintOptions& options);

/// The extents of the printed part of a tensor. A shortened dimension has its first elements in one
/// half, its last in the other.
Shape printed_shape(const Shape& shape, const PrintOptions& options);

/// The text of printed elements, given in row-major order: nested brackets, one line or several for
/// each row, empty lines between matrices.
std::string print_rows(const Shape& shape, DType dtype, std::span<const char> printed,
                       const PrintOptions& options);

/// Each element's text. Floats have equally many digits after the point. If they are very large,
/// very small or very different, all have exponents.
std::vector<std::string> element_texts(DType dtype, std::span<const char> elements, int precision);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_PRINT_PRINTER_H_
