// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the kernels of a text take, read from the text.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_SIGNATURE_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_SIGNATURE_H_

#include <string>
#include <string_view>
#include <vector>

#include "patchbay/dtype.h"
#include "patchbay/kernel.h"

namespace patchbay::runtime {

struct KernelParameter {
  std::string name;
  ArgumentSpec spec;  // a tensor of any shape, or a scalar
};

struct KernelSignature {
  std::string name;
  int line = 0;  // of the text, from 1
  std::vector<KernelParameter> parameters;

  /// "saxpy(input f32 x, inout f32 y, f32 a, i64 n)"
  std::string to_string() const;
};

/// Each `PATCHBAY_KERNEL(name)(...)` of the text in order; comments, literals and preprocessor
/// lines are skipped. Errors: kInvalidArgument with `text_name` and line for what is no signature,
/// for two kernels of one name, for a text without any, for an argument whose name is a reserved
/// word, and for a PATCHBAY_BIND that does not fit its argument or is missing.
std::vector<KernelSignature> parse_signatures(std::string_view text, std::string_view text_name);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_SIGNATURE_H_
