// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/product.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <string>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/products/blas.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/layers.hpp"

namespace patchbay::cpu {
namespace {

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
          {out.strides[row], out.strides[column]},
          a.contents,
          b.contents};
}

/// Of out [m, n], a [m, k], weight [n, k] and bias [n].
GemmProblem linear_of(plugin::Arguments arguments) {
  check_linear(arguments);
  const patchbay_argument &out = arguments[0], &a = arguments[1], &weight = arguments[2],
                          &bias = arguments[3];
  return {out.shape[0],
          out.shape[1],
          a.shape[1],
          data_of(a),
          data_of(weight),
          data_of(out),
          {a.strides[0], a.strides[1]},
          {weight.strides[1], weight.strides[0]},
          {out.strides[0], out.strides[1]},
          a.contents,
          weight.contents,
          data_of(bias),
          {0, bias.strides[0]}};
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

float float_of(const ScalarCell& cell) {
  float value;
  std::memcpy(&value, &cell.bits, sizeof(value));
  return value;
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
          {p.out_strides[1], p.out_strides[0]},
          p.b_contents,
          p.a_contents};
}

/// True for zero of either sign.
bool is_zero(const patchbay_argument& scalar) {
  const bool is_integer = scalar.dtype == PATCHBAY_I32 || scalar.dtype == PATCHBAY_I64;
  const std::uint64_t bits = scalar.value.bits << (64 - 8 * element_bytes(scalar.dtype));
  return (is_integer ? bits : bits << 1) == 0;
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
  bool is_vector;
  std::uint64_t number;                  // the cache's
  std::optional<ProductKind> kind = {};  // if OpenBLAS may be faster
};

ProductKernel::Job ProductKernel::product_job(plugin::Arguments arguments) const {
  const std::uint8_t computed = loops_.half ? std::uint8_t{PATCHBAY_F32} : dtype_;
  Job job{problem_of(arguments),
          batch_of(arguments),
          convert_scalar(arguments[3], computed),
          convert_scalar(arguments[4], computed),
          false,
          packed_.next_launch()};
  if (is_zero(arguments[3])) job.first.k = 0;  // a and b are not read
  return job;
}

ProductKernel::Job ProductKernel::linear_job(plugin::Arguments arguments) const {
  const ScalarCell one = cell_of(loops_.half ? std::uint8_t{PATCHBAY_F32} : dtype_, 1);
  return {linear_of(arguments), {}, one, one, false, packed_.next_launch()};
}

void ProductKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                           std::string_view name) {
  Job job = has_bias_ ? linear_job(arguments) : product_job(arguments);
  if (job.first.m == 0 || job.first.n == 0 || job.batch.count == 0) return;
  if (!normalise(job.first, job.batch)) {
    plugin::unsupported(std::string(has_bias_ ? "linear.1" : "gemm.1") +
                        ": a matrix has no unit stride; copy it to a contiguous one first");
  }
  const bool by_blas = loops_.blas != nullptr && fits_blas(job.first);
  if (computes_floats() && !by_blas) {
    turn_row(job.first, job.batch);
    job.is_vector = job.first.n == 1;
  }
  // Of several products each thread computes some, without waiting for others.
  if (loops_.faster_blas != nullptr && job.batch.count == 1) job.kind = kind_of(job.first);
  static_cast<Stream&>(stream).submit({}, name, [=, this](plugin::Arguments) {
    workers_.run([&] {
      const Blas* const blas = by_blas ? loops_.blas : faster_blas(job);
      blas != nullptr ? compute_by_blas(*blas, job) : compute(job);
    });
  });
}

std::int64_t ProductKernel::scratch_bytes(const GemmProblem& p, const Job& job) const noexcept {
  if (loops_.half) return loops_.half->scratch_floats(p) * std::int64_t{sizeof(float)};
  if (!computes_floats() || job.is_vector) return 0;
  return loops_.floats.scratch_elements(p.m, p.n, p.k, p.a_strides[0] == 1) * element_bytes(dtype_);
}

/// Null if a is not kept.
PackedCache::Block ProductKernel::kept_a(const GemmProblem& p, const Job& job,
                                         const FloatGemm& product) const noexcept {
  if (p.a_contents == 0 || p.k == 0 || job.is_vector) return nullptr;
  const std::int64_t size =
      loops_.floats.packed_elements(p.m, p.n, p.k, p.a_strides[0] == 1, p.b_strides[0] == 1) *
      element_bytes(dtype_);
  if (size == 0) return nullptr;
  const PackedCache::Key key{p.a_contents, p.a, {dtype_, p.m, p.k, p.a_strides[0], p.a_strides[1]}};
  return packed_.find(key, size, job.number, [&](char* to) {
    loops_.floats.pack_a(product, to);
    return true;
  });
}

/// Null if our own loops are to compute.
const Blas* ProductKernel::faster_blas(const Job& job) const {
  if (!job.kind || !fits_blas(job.first)) return nullptr;
  return loops_.faster_blas->of(*job.kind, dtype_, workers_.num_threads(),
                                [&](const GemmProblem& problem, ScalarCell alpha, ScalarCell beta) {
                                  compute({problem, {}, alpha, beta, false, job.number});
                                });
}

/// While the process exits, our own loops compute instead.
void ProductKernel::compute_by_blas(const Blas& blas, const Job& job) const {
  const CallGate::Pass pass(*loops_.blas_gate);
  if (!pass) return compute(job);
  if (job.first.bias != nullptr) begin_with_bias(job.first, element_bytes(dtype_));
  for (std::int64_t i = 0; i < job.batch.count; ++i) {
    multiply_by_blas(blas, dtype_, product_of(job.first, job.batch, i, element_bytes(dtype_)),
                     &job.alpha.bits, &job.beta.bits);
  }
}

/// Gives each thread whole products while there are enough, because they share nothing. Divides the
/// remaining ones if that pays.
void ProductKernel::compute(const Job& job) const {
  const std::int64_t count = job.batch.count;
  const double work = work_of(job.first);
  const int threads = workers_.num_threads();
  const bool is_small = work < kWorthSplitting;
  const std::int64_t whole = is_small || threads == 1 ? count : count / threads * threads;
  const bool stays = threads == 1 || work * static_cast<double>(whole) < kWorthSplitting;
  const std::int64_t parts = stays ? 1 : threads;
  compute_whole(job, whole, static_cast<int>(std::min(whole, parts)));
  for (std::int64_t i = whole; i < count; ++i) compute_split(job, i, threads);
}

/// Computes the first `count` products. Each part takes the next few until none is left, so a
/// thread that shares its core with another program takes fewer.
void ProductKernel::compute_whole(const Job& job, std::int64_t count, int num_parts) const {
  if (count == 0) return;
  const ScratchRooms room(scratch_, scratch_bytes(job.first, job), num_parts);
  const std::int64_t together =
      num_parts == 1 ? count : std::max<std::int64_t>(count / num_parts / 8, 1);
  std::atomic<std::int64_t> next{0};
  const auto compute_part = [&](int part) {
    for (;;) {
      const std::int64_t begin = next.fetch_add(together, std::memory_order_relaxed);
      if (begin >= count) return;
      for (std::int64_t i = begin; i < std::min(count, begin + together); ++i) {
        compute_piece(product_of(job.first, job.batch, i, element_bytes(dtype_)), job,
                      room.of(part));
      }
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
  const ScratchRooms room(scratch_, scratch_bytes(largest, job), num_parts);
  workers_.parallel_for(num_parts, [&](int part) {
    compute_piece(piece_of(problem, grid, part, element_bytes(dtype_)), job, room.of(part));
  });
}

void ProductKernel::compute_piece(const GemmProblem& p, const Job& job,
                                  void* scratch) const noexcept {
  if (p.m <= 0 || p.n <= 0) return;
  const ScalarCell &alpha = job.alpha, &beta = job.beta;
  if (p.bias != nullptr) begin_with_bias(p, element_bytes(dtype_));
  if (loops_.half) {
    return loops_.half->compute(p, float_of(alpha), float_of(beta), static_cast<float*>(scratch));
  }
  if (computes_floats()) {
    FloatGemm product{p.m,
                      p.n,
                      p.k,
                      p.a,
                      p.b,
                      p.out,
                      {p.a_strides[0], p.a_strides[1]},
                      {p.b_strides[0], p.b_strides[1]},
                      {p.out_strides[0], p.out_strides[1]},
                      &alpha.bits,
                      &beta.bits,
                      scratch,
                      job.is_vector};
    const PackedCache::Block packed = kept_a(p, job, product);
    product.packed_a = packed.get();
    return loops_.floats.multiply(product);
  }
  // The integer loop runs along rows of the output, so transpose the problem back.
  const GemmProblem rows = turned(p);
  loops_.integers({rows.m,
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
