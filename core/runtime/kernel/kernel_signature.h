// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The arguments of a text's kernels, parsed from the text.
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
  int line = 0;  // in the text, from 1
  std::vector<KernelParameter> parameters;

  /// "saxpy(input f32 x, inout f32 y, f32 a, i64 n)"
  std::string to_string() const;
};

/// Parses each `PATCHBAY_KERNEL(name)(...)` of the text in order, skipping comments, literals and
/// preprocessor lines. Errors: kInvalidArgument with `text_name` and line for an invalid signature,
/// a repeated kernel name, a text without kernels, an argument named by a reserved word, and a
/// PATCHBAY_BIND that is missing or does not fit its argument.
std::vector<KernelSignature> parse_signatures(std::string_view text, std::string_view text_name);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_SIGNATURE_H_
