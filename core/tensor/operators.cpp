// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/operators.h"

#include <string>

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

}  // namespace patchbay::tensor
