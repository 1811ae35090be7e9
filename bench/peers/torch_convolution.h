// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// libtorch's convolutions behind a plain function.
#ifndef PATCHBAY_BENCH_PEERS_TORCH_CONVOLUTION_H_
#define PATCHBAY_BENCH_PEERS_TORCH_CONVOLUTION_H_

#include <cstdint>
#include <functional>

namespace bench {

struct TorchConvolution {
  std::int64_t n, c, extent, o, kernel, stride, padding;
  int part;  // 0: the result, 1: the gradient of the input, 2: that of the weight
};
/// Runs once, in f32.
std::function<void()> torch_convolution(const TorchConvolution& sizes, int threads);

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_TORCH_CONVOLUTION_H_
