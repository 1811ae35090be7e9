// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elements on the host, as aligned rows of text.
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

/// The extents of what is printed of a tensor. A dimension with fewer than in `shape` is cut: half
/// of them are its first elements, the others its last.
Shape printed_shape(const Shape& shape, const PrintOptions& options);

/// The elements of what is printed, in row-major order: nested brackets, one row a line or several
/// lines, one empty line or more between matrices.
std::string print_rows(const Shape& shape, DType dtype, std::span<const char> printed,
                       const PrintOptions& options);

/// Each element's text. Floats are written with equally many digits after the point, all of them
/// with exponents if they are very large, very small, or very unlike.
std::vector<std::string> element_texts(DType dtype, std::span<const char> elements, int precision);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_PRINT_PRINTER_H_
