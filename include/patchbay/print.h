// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How show() and << write tensors as text.
#ifndef PATCHBAY_PRINT_H_
#define PATCHBAY_PRINT_H_

#include <cstdint>

#include "patchbay/export.h"

namespace patchbay {

struct PrintOptions {
  int precision = 4;                 // at most so many digits after the point, 0 to 17
  int line_width = 80;               // longer rows are wrapped
  std::int64_t max_elements = 1000;  // larger tensors are shortened:
  std::int64_t edge_elements = 3;    // each dimension to so many at either end
};

/// The options of this thread: those of the innermost PrintScope, else the defaults.
PATCHBAY_API const PrintOptions& print_options();

/// Sets the options of this thread until the scope ends. Scopes nest.
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
