// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How tensors are written as text, by show() and by <<.
#ifndef PATCHBAY_PRINT_H_
#define PATCHBAY_PRINT_H_

#include <cstdint>

#include "patchbay/export.h"

namespace patchbay {

struct PrintOptions {
  int precision = 4;                 // digits after the point at most, 0 to 17
  int line_width = 80;               // longer rows are wrapped
  std::int64_t max_elements = 1000;  // larger tensors are shortened:
  std::int64_t edge_elements = 3;    // each dimension to so many at either end
};

/// Those of this thread: the innermost scope's, else the defaults.
PATCHBAY_API const PrintOptions& print_options();

/// A scope in which this thread prints so; scopes nest.
/// Errors: kInvalidArgument for a precision not in 0..17, or for a width or edge below 1.
class PATCHBAY_API PrintScope {
 public:
  explicit PrintScope(const PrintOptions& options);
  ~PrintScope();
  PrintScope(const PrintScope&) = delete;
  PrintScope& operator=(const PrintScope&) = delete;

 private:
  PrintOptions previous_;
};

}  // namespace patchbay

#endif  // PATCHBAY_PRINT_H_
