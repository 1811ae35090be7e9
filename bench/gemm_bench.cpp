// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "bench.h"
#include "peers/blas.h"
#ifdef PATCHBAY_BENCH_TORCH
#include "peers/torch.h"
#endif

namespace bench {
namespace {

void register_size(int n, const std::vector<BlasPeer>& peers) {
  const std::string group = "gemm/" + std::to_string(n) + "/";
  const patchbay::Shape square = {n, n};
  add_benchmark(
      group + "patchbay",
      [square] {
        return [a = random_tensor(square), b = random_tensor(square), out = random_tensor(square)] {
          patchbay::matmul_out(out, a, b);
        };
      },
      benchmark::kMicrosecond);
  for (const BlasPeer& peer : peers) {
    add_benchmark(
        group + peer.name,
        [n, square, peer] {
          return
              [a = random_tensor(square), b = random_tensor(square), out = random_tensor(square), n,
               peer] { peer.multiply(n, a.data<float>(), b.data<float>(), out.data<float>()); };
        },
        benchmark::kMicrosecond);
  }
#ifdef PATCHBAY_BENCH_TORCH
  add_benchmark(
      group + "libtorch",
      [n] { return [peer = std::make_shared<TorchMatmul>(n, kThreads)] { peer->existing(); }; },
      benchmark::kMicrosecond);
#endif
}

}  // namespace

void register_gemm() {
  const std::vector<BlasPeer> peers = open_blas_peers(kThreads);
  for (const int n : {64, 100, 256, 512, 1024, 2048}) register_size(n, peers);
}

}  // namespace bench
