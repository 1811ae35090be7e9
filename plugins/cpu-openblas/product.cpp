// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "product.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>

#include "patchbay/plugin/kit/error.hpp"

#include "stream.hpp"

namespace patchbay::cpu {
namespace {

// Below this many multiply-adds a fork and join costs more than it saves.
constexpr double kWorthSplitting = 64.0 * 64.0 * 64.0;

GemmProblem problem_of(plugin::Arguments arguments) {
  const patchbay_argument &out = arguments[0], &a = arguments[1], &b = arguments[2];
  const int row = out.rank - 2, column = out.rank - 1;
  bool fits = row >= 0 && a.rank == out.rank && b.rank == out.rank &&
              out.shape[row] == a.shape[row] && out.shape[column] == b.shape[column] &&
              a.shape[column] == b.shape[row];
  for (int d = 0; fits && d < row; ++d) {
    fits = out.shape[d] == a.shape[d] && out.shape[d] == b.shape[d];
  }
  if (!fits) plugin::invalid_argument("gemm.1: the matrices' shapes do not fit each other");
  return {out.shape[row],
          out.shape[column],
          a.shape[column],
          data_of(a),
          data_of(b),
          data_of(out),
          {a.strides[row], a.strides[column]},
          {b.strides[row], b.strides[column]},
          {out.strides[row], out.strides[column]}};
}

GemmBatch batch_of(plugin::Arguments arguments) {
  GemmBatch batch;
  batch.rank = arguments[0].rank - 2;
  for (int d = 0; d < batch.rank; ++d) {
    batch.count *= arguments[0].shape[d];
    batch.shape[d] = arguments[0].shape[d];
    batch.out_strides[d] = arguments[0].strides[d];
    batch.a_strides[d] = arguments[1].strides[d];
    batch.b_strides[d] = arguments[2].strides[d];
  }
  return batch;
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
T value_of(const ScalarCell& cell) {
  T value;
  std::memcpy(&value, &cell.bits, sizeof(T));
  return value;
}

template <class T>
void call_gemm(GemmEntry<T> gemm, const GemmProblem& p, T alpha, T beta) {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const Layout a(p.a_strides, p.m), b(p.b_strides, p.k);
  const int ldc = static_cast<int>(p.out_strides[1]);
  gemm(&a.trans, &b.trans, &m, &n, &k, &alpha, reinterpret_cast<const T*>(p.a), &a.leading,
       reinterpret_cast<const T*>(p.b), &b.leading, &beta, reinterpret_cast<T*>(p.out), &ldc);
}

/// One column of out: a b, without packing a.
template <class T>
void call_gemv(GemvEntry<T> gemv, const GemmProblem& p, T alpha, T beta) {
  T* out = reinterpret_cast<T*>(p.out);
  if (beta == 0) std::fill(out, out + p.m, T(0));  // it is not read: 0 times NaN is none
  const Layout a(p.a_strides, p.m);
  const bool plain = a.trans == 'N';
  const int rows = static_cast<int>(plain ? p.m : p.k);
  const int columns = static_cast<int>(plain ? p.k : p.m);
  const int step_b = static_cast<int>(p.b_strides[0]), step_out = 1;
  gemv(&a.trans, &rows, &columns, &alpha, reinterpret_cast<const T*>(p.a), &a.leading,
       reinterpret_cast<const T*>(p.b), &step_b, &beta, out, &step_out);
}

template <class T>
void call_blas(GemmEntry<T> gemm, GemvEntry<T> gemv, const GemmProblem& p, T alpha, T beta) {
  if (p.k == 0) return call_gemm<T>(gemm, p, alpha, beta);
  if (p.n == 1 && p.b_strides[0] > 0) return call_gemv<T>(gemv, p, alpha, beta);
  call_gemm<T>(gemm, p, alpha, beta);
}

/// out^T = b^T a^T
GemmProblem turned(const GemmProblem& p) {
  return {p.n,
          p.m,
          p.k,
          p.b,
          p.a,
          p.out,
          {p.b_strides[1], p.b_strides[0]},
          {p.a_strides[1], p.a_strides[0]},
          {p.out_strides[1], p.out_strides[0]}};
}

double work_of(const GemmProblem& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

}  // namespace

/// A launch.
struct ProductKernel::Job {
  GemmProblem first;
  GemmBatch batch;
  ScalarCell alpha, beta;
};

void ProductKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                           std::string_view name) {
  const std::uint8_t computed = half_ ? std::uint8_t{PATCHBAY_F32} : dtype_;
  Job job{problem_of(arguments), batch_of(arguments), convert_scalar(arguments[3], computed),
          convert_scalar(arguments[4], computed)};
  if (job.first.m == 0 || job.first.n == 0 || job.batch.count == 0) return;
  if (!normalise(job.first, job.batch)) {
    plugin::unsupported("gemm.1: a matrix has no unit stride; copy it to a contiguous one first");
  }
  if (blas_ != nullptr && !fits_int(job.first)) {
    plugin::unsupported("gemm.1: extents and leading dimensions over 2^31 - 1 are not supported");
  }
  static_cast<Stream&>(stream).submit(
      {}, name, [=, this](plugin::Arguments) { workers_.run([&] { compute(job); }); });
}

namespace {

/// Of 16-bit floats: what each part of a launch works in.
class Scratch {
 public:
  Scratch(bool needed, const GemmProblem& largest, int num_parts)
      : each_(needed ? HalfProduct::scratch_floats(largest) : 0),
        all_(needed ? new float[static_cast<std::size_t>(each_ * num_parts)] : nullptr) {}
  float* of(int part) const noexcept { return all_.get() + each_ * part; }

 private:
  const std::int64_t each_;
  const std::unique_ptr<float[]> all_;
};

}  // namespace

/// Whole products for each thread while there are enough of them, for they share nothing; those
/// left over in pieces, if that pays.
void ProductKernel::compute(const Job& job) const {
  const std::int64_t count = job.batch.count;
  if (blas_mutex_ != nullptr) {
    const std::lock_guard<std::mutex> lock(*blas_mutex_);
    return compute_whole(job, 0, count, 1);
  }
  const double work = work_of(job.first);
  const int threads = workers_.num_threads();
  const bool is_small = work < kWorthSplitting;
  const std::int64_t whole = is_small || threads == 1 ? count : count / threads * threads;
  const bool stays = threads == 1 || work * static_cast<double>(whole) < kWorthSplitting;
  // More parts than threads even out what other programs take from a core.
  const std::int64_t parts = stays ? 1 : whole >= 8 * threads ? 4 * threads : threads;
  compute_whole(job, 0, whole, static_cast<int>(std::min(whole, parts)));
  for (std::int64_t i = whole; i < count; ++i) compute_split(job, i, threads);
}

void ProductKernel::compute_whole(const Job& job, std::int64_t begin, std::int64_t end,
                                  int num_parts) const {
  if (begin == end) return;
  const Scratch scratch(half_.has_value(), job.first, num_parts);
  const auto compute_part = [&](int part) {
    const std::int64_t last = begin + (end - begin) * (part + 1) / num_parts;
    for (std::int64_t i = begin + (end - begin) * part / num_parts; i < last; ++i) {
      compute_piece(product_of(job.first, job.batch, i, element_bytes(dtype_)), job,
                    scratch.of(part));
    }
  };
  if (num_parts == 1) {
    compute_part(0);
  } else {
    workers_.parallel_for(num_parts, compute_part);
  }
}

void ProductKernel::compute_split(const Job& job, std::int64_t index, int num_threads) const {
  const GemmProblem problem = product_of(job.first, job.batch, index, element_bytes(dtype_));
  const GemmGrid grid = choose_grid(problem.m, problem.n, problem.k, num_threads);
  const int num_parts = grid.m_pieces * grid.n_pieces;
  GemmProblem largest = problem;
  largest.m = std::min(problem.m, grid.m_piece);
  largest.n = std::min(problem.n, grid.n_piece);
  const Scratch scratch(half_.has_value(), largest, num_parts);
  workers_.parallel_for(num_parts, [&](int part) {
    compute_piece(piece_of(problem, grid, part, element_bytes(dtype_)), job, scratch.of(part));
  });
}

void ProductKernel::compute_piece(const GemmProblem& p, const Job& job,
                                  float* scratch) const noexcept {
  if (p.m <= 0 || p.n <= 0) return;
  const ScalarCell &alpha = job.alpha, &beta = job.beta;
  if (half_) return half_->compute(p, value_of<float>(alpha), value_of<float>(beta), scratch);
  if (dtype_ == PATCHBAY_F32) {
    return call_blas(blas_->sgemm, blas_->sgemv, p, value_of<float>(alpha), value_of<float>(beta));
  }
  if (dtype_ == PATCHBAY_F64) {
    return call_blas(blas_->dgemm, blas_->dgemv, p, value_of<double>(alpha),
                     value_of<double>(beta));
  }
  // Our own loop runs along rows of the output: turn the problem back.
  const GemmProblem rows = turned(p);
  integer_gemm_({rows.m,
                 rows.n,
                 rows.k,
                 rows.a,
                 rows.b,
                 rows.out,
                 {rows.a_strides[0], rows.a_strides[1]},
                 {rows.b_strides[0], rows.b_strides[1]},
                 {rows.out_strides[0], rows.out_strides[1]},
                 &alpha.bits,
                 &beta.bits});
}

}  // namespace patchbay::cpu
