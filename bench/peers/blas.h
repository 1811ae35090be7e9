// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Other BLAS libraries, each opened by its own path, to be called directly.
#ifndef PATCHBAY_BENCH_PEERS_BLAS_H_
#define PATCHBAY_BENCH_PEERS_BLAS_H_

#include <string>
#include <vector>

namespace bench {

using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                       float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                       float* c, int ldc);

struct BlasPeer {
  std::string name;
  Sgemm sgemm = nullptr;

  /// c = a b, square and row-major.
  void multiply(int n, const float* a, const float* b, float* c) const {
    constexpr int kRowMajor = 101;
    constexpr int kNoTranspose = 111;
    sgemm(kRowMajor, kNoTranspose, kNoTranspose, n, n, n, 1.0F, a, n, b, n, 0.0F, c, n);
  }
};

/// The libraries that are installed, set to `threads` threads.
std::vector<BlasPeer> open_blas_peers(int threads);

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_BLAS_H_
