// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/operators.h"

#include <string>

#include "patchbay/kernel.h"

namespace patchbay::tensor {

std::string to_string(DTypes set) {
  std::string text;
  for (unsigned i = 1; i <= static_cast<unsigned>(DType::boolean); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!contains(set, dtype)) continue;
    if (!text.empty()) text += ", ";
    text += patchbay::to_string(dtype);
  }
  return text;
}

namespace {

ArgumentSpec argument_spec(char letter, DType out, DType dtype, bool scalar) {
  switch (letter) {
    case 'o': return ArgumentSpec::tensor(out, Access::kWrite);
    case 'c': return ArgumentSpec::tensor(DType::boolean, Access::kRead);
    case 'u': return ArgumentSpec::tensor(out, Access::kReadWrite);
    case 'x': return ArgumentSpec::tensor(scalar ? DType::i32 : DType::i64, Access::kRead);
    case 'i': return ArgumentSpec::scalar(DType::i64);
    case 's': return ArgumentSpec::scalar(scalar_dtype(dtype));
    default:
      return scalar ? ArgumentSpec::scalar(scalar_dtype(dtype))
                    : ArgumentSpec::tensor(dtype, Access::kRead);
  }
}

}  // namespace

KernelSpec make_spec(const Operator& op, DType out, DType dtype, unsigned scalars) {
  KernelSpec spec;
  spec.op = op.kernel;
  for (std::size_t i = 0; op.arguments[i] != 0; ++i) {
    const bool scalar = i > 0 && (scalars >> (i - 1) & 1u) != 0;
    spec.arguments.push_back(argument_spec(op.arguments[i], out, dtype, scalar));
  }
  return spec;
}

}  // namespace patchbay::tensor
