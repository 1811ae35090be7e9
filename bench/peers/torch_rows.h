// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// libtorch's softmax, cross entropy and normalization behind a plain function.
#ifndef PATCHBAY_BENCH_PEERS_TORCH_ROWS_H_
#define PATCHBAY_BENCH_PEERS_TORCH_ROWS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct TorchRows {
  std::string operation;  // softmax, log_softmax, cross_entropy, layer_norm, rms_norm, batch_norm
  std::vector<std::int64_t> shape;
  bool backward;  // the gradients, not the result
};
/// Runs once, in f32. Softmax is along dimension 1; rms_norm is made of single operations.
std::function<void()> torch_rows(const TorchRows& row, int threads);

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_TORCH_ROWS_H_
