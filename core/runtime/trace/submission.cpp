// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/submission.h"

#include <fmt/format.h>

#include "patchbay/dtype.h"

namespace patchbay::runtime {
namespace {

std::uint64_t bytes_of(const patchbay_argument& tensor) {
  std::uint64_t bytes = size_bytes(static_cast<DType>(tensor.dtype));
  for (int d = 0; d < tensor.rank; ++d) {
    if (tensor.strides[d] != 0 || tensor.shape[d] == 0) {
      bytes *= static_cast<std::uint64_t>(tensor.shape[d]);
    }
  }
  return bytes;
}

}  // namespace

std::string Submission::row_name() const {
  return is_copy ? fmt::format("copy {} -> {}", from, to) : std::string(name);
}

std::uint64_t Submission::moved_bytes() const {
  std::uint64_t bytes = size_bytes;
  for (const patchbay_argument& argument : arguments) {
    if (argument.kind != PATCHBAY_TENSOR) continue;
    const std::uint64_t once = bytes_of(argument);
    if ((argument.access & PATCHBAY_READ) != 0) bytes += once;
    if ((argument.access & PATCHBAY_WRITE) != 0) bytes += once;
  }
  return bytes;
}

}  // namespace patchbay::runtime
