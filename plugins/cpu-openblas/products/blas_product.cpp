// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/blas_product.hpp"

#include <algorithm>
#include <climits>

namespace patchbay::cpu {
namespace {

/// 'N' with the leading dimension of a column-major matrix, or 'T' with that of a row-major one.
struct Layout {
  char trans;
  int leading;
  Layout(const std::int64_t (&strides)[2], std::int64_t rows)
      : trans(strides[0] == 1 && strides[1] >= rows ? 'N' : 'T'),
        leading(static_cast<int>(trans == 'N' ? strides[1] : strides[0])) {}
};

template <class T>
void call_gemm(GemmEntry<T> gemm, const GemmProblem& p, T alpha, T beta) {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const Layout a(p.a_strides, p.m), b(p.b_strides, p.k);
  const int ldc = static_cast<int>(p.out_strides[1]);
  gemm(&a.trans, &b.trans, &m, &n, &k, &alpha, reinterpret_cast<const T*>(p.a), &a.leading,
       reinterpret_cast<const T*>(p.b), &b.leading, &beta, reinterpret_cast<T*>(p.out), &ldc);
}

/// Computes a column of out without packing a.
template <class T>
void call_gemv(GemvEntry<T> gemv, const GemmProblem& p, T alpha, T beta) {
  T* out = reinterpret_cast<T*>(p.out);
  if (beta == 0) std::fill(out, out + p.m, T(0));  // out is not read, because 0 times NaN is NaN
  const Layout a(p.a_strides, p.m);
  const bool plain = a.trans == 'N';
  const int rows = static_cast<int>(plain ? p.m : p.k);
  const int columns = static_cast<int>(plain ? p.k : p.m);
  const int step_b = static_cast<int>(p.b_strides[0]), step_out = 1;
  gemv(&a.trans, &rows, &columns, &alpha, reinterpret_cast<const T*>(p.a), &a.leading,
       reinterpret_cast<const T*>(p.b), &step_b, &beta, out, &step_out);
}

template <class T>
void multiply(GemmEntry<T> gemm, GemvEntry<T> gemv, const GemmProblem& p, const void* alpha,
              const void* beta) {
  const T by = *static_cast<const T*>(alpha), before = *static_cast<const T*>(beta);
  if (p.n == 1 && p.k > 0 && p.b_strides[0] > 0) return call_gemv<T>(gemv, p, by, before);
  call_gemm<T>(gemm, p, by, before);
}

}  // namespace

bool fits_blas(const GemmProblem& p) noexcept {
  std::int64_t largest = std::max({p.m, p.n, p.k});
  for (const auto* strides : {&p.a_strides, &p.b_strides, &p.out_strides}) {
    largest = std::max({largest, (*strides)[0], (*strides)[1]});
  }
  return largest <= INT_MAX;
}

void multiply_by_blas(const Blas& blas, std::uint8_t dtype, const GemmProblem& p, const void* alpha,
                      const void* beta) noexcept {
  if (dtype == PATCHBAY_F32) return multiply<float>(blas.sgemm, blas.sgemv, p, alpha, beta);
  multiply<double>(blas.dgemm, blas.dgemv, p, alpha, beta);
}

}  // namespace patchbay::cpu
