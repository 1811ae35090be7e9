// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How messages name what an argument takes, and what it got.
#ifndef PATCHBAY_CORE_TENSOR_CALL_VALUE_TEXT_H_
#define PATCHBAY_CORE_TENSOR_CALL_VALUE_TEXT_H_

#include <string>

#include "patchbay/call.h"

#include "core/tensor/call/signature.h"

namespace patchbay::tensor {

/// "a tensor", "a list of integers"; for words of an enum all of them: "none, mean or sum".
std::string describe(const Argument& argument);
/// "the number 1.5", "the text 'x'", "a list of 2 integers".
std::string describe(const CallValue& value);
/// Whether the argument takes the value. Words and names are not looked up.
bool takes(ValueKind kind, const CallValue& value);

/// "sum(a, [axes], [keep])": the arguments in order, in brackets those that may be left out.
std::string describe(const Signature& signature);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_CALL_VALUE_TEXT_H_
