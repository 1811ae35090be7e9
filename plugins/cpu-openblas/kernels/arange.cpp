// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/kernels/arange.hpp"

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
void ArangeKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                          std::string_view name) {
  static_cast<Stream&>(stream).submit(arguments, name,
                                      [this](plugin::Arguments kept) { compute(kept); });
}

void ArangeKernel::compute(plugin::Arguments arguments) const {
  const patchbay_argument& out = arguments[0];
  const std::int64_t n = num_elements(out);
  if (n == 0) return;
  const ScalarCell start = convert_scalar(arguments[1], dtype_);
  const ScalarCell step = convert_scalar(arguments[2], dtype_);
  const bool contiguous = is_contiguous(out);
  const std::int64_t row = contiguous ? n : out.shape[out.rank - 1];
  const std::int64_t stride = contiguous ? 1 : out.strides[out.rank - 1];
  const auto fill = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t count = std::min(end - i, row - i % row);
      char* to = data_of(out) + (contiguous ? i : offset_of(out, i)) * element_bytes(dtype_);
      entry_(i, count, to, stride, &start.bits, &step.bits);
      i += count;
    }
  };
  workers_.run([&] { workers_.split(n, 4096, n * element_bytes(dtype_), fill); });
}

}  // namespace patchbay::cpu
