// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "bench.h"
#ifdef PATCHBAY_BENCH_TORCH
#include "peers/torch.h"
#endif

namespace bench {
namespace {

using patchbay::Tensor;

constexpr int kPairs = 50;  // of operations

/// A hundred operations, each on the last one's result.
Tensor run_small(const Tensor& x) {
  Tensor y = x;
  for (int i = 0; i < kPairs; ++i) y = (y + x) * 0.5;
  return y;
}

}  // namespace

void register_graph() {
  for (const std::int64_t count : {1, 64, 1024}) {
    const std::string group = "graph/100x" + std::to_string(count);
    add_benchmark(
        group + "/patchbay",
        [count] {
          auto y = std::make_shared<Tensor>();
          const Tensor x = random_tensor({count});
          return
              [y, graph = patchbay::record_graph([=] { *y = run_small(x); })] { graph.replay(); };
        },
        benchmark::kMicrosecond);
    add_benchmark(
        group + "/eager",
        [count] {
          return [x = random_tensor({count})] { benchmark::DoNotOptimize(run_small(x)); };
        },
        benchmark::kMicrosecond);
#ifdef PATCHBAY_BENCH_TORCH
    add_benchmark(
        group + "/libtorch",
        [count] {
          return [peer = std::make_shared<TorchAdd>(count, kThreads)] { peer->chain(kPairs); };
        },
        benchmark::kMicrosecond);
#endif
  }
}

}  // namespace bench
