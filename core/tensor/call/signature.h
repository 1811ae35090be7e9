// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The functions that can be called by name. tools/interface writes their table, functions.cpp.
#ifndef PATCHBAY_CORE_TENSOR_CALL_SIGNATURE_H_
#define PATCHBAY_CORE_TENSOR_CALL_SIGNATURE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "patchbay/tensor.h"

namespace patchbay::tensor {

class Arguments;

/// What an argument takes.
enum class ValueKind : std::uint8_t {
  kTensor,
  kOperand,  // a tensor or a number
  kTensors,
  kScalar,  // a number that takes a tensor's dtype
  kNumber,
  kInteger,
  kIntegers,
  kBool,
  kText,
  kWord,  // of an enum
  kDtype,
  kDevice,
  kGenerator
};

/// A word of an enum.
struct Word {
  std::string_view text;
  std::int64_t value;
};

/// A parameter, or a field of a parameter that is a struct.
struct Argument {
  std::string_view name;
  ValueKind kind;
  bool is_required;
  std::span<const Word> words = {};
};

/// One way to call a function.
struct Signature {
  std::string_view function;
  std::span<const Argument> arguments;
  std::vector<Tensor> (*run)(const Arguments& in);
};

/// A public function that can't be called by name, and why not.
struct NotCalled {
  std::string_view function, reason;
};

/// All signatures, in the order of the functions' names.
std::span<const Signature> signatures();
std::span<const NotCalled> not_called();

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_CALL_SIGNATURE_H_
