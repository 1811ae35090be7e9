// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "product.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "patchbay/plugin/kit/error.hpp"

#include "stream.hpp"

namespace patchbay::cpu {
namespace {

// Below this many multiply-adds a fork and join costs more than it saves.
constexpr double kWorthSplitting = 64.0 * 64.0 * 64.0;

GemmProblem problem_of(plugin::Arguments arguments) {
  const patchbay_argument& out = arguments[0];
  const patchbay_argument& a = arguments[1];
  const patchbay_argument& b = arguments[2];
  const bool fits = out.rank == 2 && a.rank == 2 && b.rank == 2 && out.shape[0] == a.shape[0] &&
                    out.shape[1] == b.shape[1] && a.shape[1] == b.shape[0];
  if (!fits) plugin::invalid_argument("gemm.1: the matrices' shapes do not fit each other");
  return {out.shape[0],
          out.shape[1],
          a.shape[1],
          data_of(a),
          data_of(b),
          data_of(out),
          {a.strides[0], a.strides[1]},
          {b.strides[0], b.strides[1]},
          {out.strides[0], out.strides[1]}};
}

/// BLAS counts in int.
bool fits_int(const GemmProblem& p) {
  std::int64_t largest = std::max({p.m, p.n, p.k});
  for (const auto* strides : {&p.a_strides, &p.b_strides, &p.out_strides}) {
    largest = std::max({largest, (*strides)[0], (*strides)[1]});
  }
  return largest <= INT_MAX;
}

/// 'N' with the leading dimension of a column-major matrix, or 'T' with that of a row-major one.
struct Layout {
  char trans;
  int leading;
  Layout(const std::int64_t (&strides)[2], std::int64_t rows)
      : trans(strides[0] == 1 && strides[1] >= rows ? 'N' : 'T'),
        leading(static_cast<int>(trans == 'N' ? strides[1] : strides[0])) {}
};

template <class T>
void call_blas(GemmEntry<T> gemm, const GemmProblem& p, const ScalarCell& alpha,
               const ScalarCell& beta) {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const Layout a(p.a_strides, p.m), b(p.b_strides, p.k);
  const int ldc = static_cast<int>(p.out_strides[1]);
  T alpha_value, beta_value;
  std::memcpy(&alpha_value, &alpha.bits, sizeof(T));
  std::memcpy(&beta_value, &beta.bits, sizeof(T));
  gemm(&a.trans, &b.trans, &m, &n, &k, &alpha_value, reinterpret_cast<const T*>(p.a), &a.leading,
       reinterpret_cast<const T*>(p.b), &b.leading, &beta_value, reinterpret_cast<T*>(p.out), &ldc);
}

}  // namespace

void ProductKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                           std::string_view name) {
  GemmProblem problem = problem_of(arguments);
  if (problem.m == 0 || problem.n == 0) return;
  const ScalarCell alpha = convert_scalar(arguments[3], dtype_);
  const ScalarCell beta = convert_scalar(arguments[4], dtype_);
  if (!normalise(problem)) {
    plugin::unsupported("gemm.1: a matrix has no unit stride; copy it to a contiguous one first");
  }
  if (blas_ != nullptr && !fits_int(problem)) {
    plugin::unsupported("gemm.1: extents and leading dimensions over 2^31 - 1 are not supported");
  }
  static_cast<Stream&>(stream).submit({}, name, [=, this](plugin::Arguments) {
    workers_.run([&] { compute(problem, alpha, beta); });
  });
}

void ProductKernel::compute(const GemmProblem& problem, const ScalarCell& alpha,
                            const ScalarCell& beta) const {
  if (blas_mutex_ != nullptr) {
    const std::lock_guard<std::mutex> lock(*blas_mutex_);
    return compute_piece(problem, alpha, beta);
  }
  const double work = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                      static_cast<double>(problem.k);
  const int threads = work < kWorthSplitting ? 1 : workers_.num_threads();
  if (threads == 1) return compute_piece(problem, alpha, beta);
  const GemmGrid grid = choose_grid(problem.m, problem.n, problem.k, threads);
  workers_.parallel_for(grid.m_pieces * grid.n_pieces, [&](int index) {
    compute_piece(piece_of(problem, grid, index, element_bytes(dtype_)), alpha, beta);
  });
}

void ProductKernel::compute_piece(const GemmProblem& p, const ScalarCell& alpha,
                                  const ScalarCell& beta) const noexcept {
  if (p.m <= 0 || p.n <= 0) return;
  if (dtype_ == PATCHBAY_F32) return call_blas<float>(blas_->sgemm, p, alpha, beta);
  if (dtype_ == PATCHBAY_F64) return call_blas<double>(blas_->dgemm, p, alpha, beta);
  // Our own loop runs along rows of the output: turn the problem back.
  integer_gemm_({p.n,
                 p.m,
                 p.k,
                 p.b,
                 p.a,
                 p.out,
                 {p.b_strides[1], p.b_strides[0]},
                 {p.a_strides[1], p.a_strides[0]},
                 {p.out_strides[1], p.out_strides[0]},
                 &alpha.bits,
                 &beta.bits});
}

}  // namespace patchbay::cpu
