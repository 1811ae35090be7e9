// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The operators that `patchbay bench ops` measures.
#ifndef PATCHBAY_TOOLS_BENCH_OPERATOR_CASES_H_
#define PATCHBAY_TOOLS_BENCH_OPERATOR_CASES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <patchbay/device.h>

namespace patchbay::tools {

/// An operator at one size. All tensors are f32.
struct OperatorCase {
  std::string name;   // unique: "conv2d 3x3"
  std::string shape;  // of the operands
  double flops = 0;
  double bytes_read = 0, bytes_written = 0;  // operands; result: each once
  /// Makes the operands, and returns a function that submits the operator once.
  std::function<std::function<void()>(const Device&)> make;
};

/// Extents for a device: large ones exceed its caches.
struct CaseSizes {
  std::int64_t elements = 0;  // of elementwise operators and reductions; rows have 1024
  std::int64_t gemm_small = 0, gemm_large = 0;
  std::vector<std::int64_t> gemm_limits;  // sizes for the device's rate
  std::int64_t images = 0, sequence = 0;

  static CaseSizes of(const Device& device, bool quick);
};

std::vector<OperatorCase> operator_cases(const CaseSizes& sizes);
/// A square product.
OperatorCase gemm_case(std::int64_t size);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_BENCH_OPERATOR_CASES_H_
