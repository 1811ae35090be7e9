// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// libtorch's pooling, orders, recurrent layers, attention and updates behind plain functions. All
// run once, in f32.
#ifndef PATCHBAY_BENCH_PEERS_TORCH_NETWORK_H_
#define PATCHBAY_BENCH_PEERS_TORCH_NETWORK_H_

#include <cstdint>
#include <functional>
#include <string>

namespace bench {

/// "max_pool2d" or "avg_pool2d" of [n, c, extent, extent]; with `gradient` that of the input.
struct TorchPool {
  std::string operation;
  std::int64_t n, c, extent, kernel, stride, padding;
  bool gradient;
};
std::function<void()> torch_pool(const TorchPool& sizes, int threads);

/// "cumsum", "sort", "topk" (of 10) or "prod" along the last dimension of [rows, columns].
std::function<void()> torch_order(const std::string& operation, std::int64_t rows,
                                  std::int64_t columns, int threads);

/// "lstm" or "gru" over [steps, batch, width] with as many hidden features, one layer; with
/// `gradient` forward and backward.
std::function<void()> torch_recurrent(const std::string& operation, std::int64_t steps,
                                      std::int64_t batch, std::int64_t width, bool gradient,
                                      int threads);

/// Attention of [heads, length, features]; with `gradient` forward and backward.
std::function<void()> torch_attention(std::int64_t heads, std::int64_t length,
                                      std::int64_t features, bool gradient, int threads);

/// One step of "sgd" (momentum 0.9) or "adam" over `count` tensors of `size` parameters.
std::function<void()> torch_update(const std::string& operation, int count, std::int64_t size,
                                   int threads);

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_TORCH_NETWORK_H_
