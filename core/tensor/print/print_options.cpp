// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The print options of a thread's scopes.
#include <utility>

#include "core/base/error.h"
#include "core/tensor/print/printer.h"

namespace patchbay {

namespace {

constinit thread_local PrintOptions current;

}  // namespace

namespace tensor {

void check_print_options(const char* operation, const PrintOptions& options) {
  constexpr int kMostDigits = 17;  // more digits distinguish no further doubles
  const auto refuse = [&](const char* what, const char* expected, std::int64_t got) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[{}] bad {}: expected {}, got {}. Leave it out for the default.", operation,
                   what, expected, got);
  };
  if (options.precision < 0 || options.precision > kMostDigits) {
    refuse("precision", "0 to 17 digits", options.precision);
  }
  if (options.line_width < 1) refuse("line_width", "at least 1", options.line_width);
  if (options.max_elements < 0) refuse("max_elements", "at least 0", options.max_elements);
  if (options.edge_elements < 1) refuse("edge_elements", "at least 1", options.edge_elements);
}

}  // namespace tensor

const PrintOptions& print_options() { return current; }

PrintScope::PrintScope(const PrintOptions& options) : previous_(current) {
  tensor::check_print_options("PrintScope", options);
  current = options;
}

PrintScope::~PrintScope() { current = previous_; }

}  // namespace patchbay
