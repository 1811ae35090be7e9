// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/dtype.h"

#include <ostream>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace patchbay {

std::string_view to_string(DType dtype) {
#define PATCHBAY_PRINTED(name, printed, ...) \
  case DType::name: return printed;
  switch (dtype) { PATCHBAY_TENSOR_DTYPES(PATCHBAY_PRINTED) }
#undef PATCHBAY_PRINTED
  return "no dtype";
}

DType parse_dtype(std::string_view name) {
  std::string known;
  for (const DType dtype : kDTypes) {
    if (to_string(dtype) == name) return dtype;
    known += std::string(to_string(dtype)) + ", ";
  }
  base::raise(ErrorCode::kInvalidArgument,
              "[parse_dtype] unknown dtype: expected one of {}got {}. Use one of these names.",
              known, base::quote(name));
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << to_string(dtype); }

}  // namespace patchbay
