// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/attention.hpp"

#include <algorithm>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/products/gemm.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/dtypes.hpp"
#include "kit/layers.hpp"

namespace patchbay::cpu {
namespace {

/// Queries of a unit of work, which packs its keys and values once.
constexpr std::int64_t kQueriesOfUnit = 192;
/// Scores that are computed before the next queries, so that they stay in the second-level cache.
constexpr std::int64_t kMostScores = 1 << 16;
/// Products compute at least so many rows together, so that the packed keys are not read too often.
constexpr std::int64_t kLeastRows = 24;
/// Multiply-adds that take as long as an exponential.
constexpr double kOfExponential = 16;

/// The matrices of one operand, with its strides in elements. The elements of a row lie side by
/// side.
struct Matrices {
  char* data;
  std::int64_t batch, head, row;
};

Matrices matrices_of(const patchbay_argument& argument) {
  if (argument.shape[3] > 1 && argument.strides[3] != 1) {
    plugin::invalid_argument("attention.1: expected a last dimension of stride 1");
  }
  return {data_of(argument), argument.strides[0], argument.strides[1], argument.strides[2]};
}

}  // namespace

struct AttentionKernel::Problem {
  explicit Problem(plugin::Arguments arguments) {
    check_attention(arguments);
    const patchbay_argument &of_out = arguments[0], &of_query = arguments[1],
                            &of_key = arguments[2], &of_value = arguments[3];
    batch = of_query.shape[0];
    heads = of_query.shape[1];
    num_queries = of_query.shape[2];
    num_keys = of_key.shape[2];
    features = of_query.shape[3];
    width = of_value.shape[3];
    out = matrices_of(of_out);
    query = matrices_of(of_query);
    key = matrices_of(of_key);
    value = matrices_of(of_value);
    const std::int64_t most = kMostScores / std::max(num_keys, std::int64_t{1});
    rows = std::min(std::clamp(most, kLeastRows, kQueriesOfUnit), num_queries);
  }

  std::int64_t parts() const { return (num_queries + kQueriesOfUnit - 1) / kQueriesOfUnit; }
  std::int64_t units() const { return batch * heads * parts(); }
  double work() const {
    return static_cast<double>(batch * heads) * static_cast<double>(num_queries) *
           static_cast<double>(num_keys) * (static_cast<double>(features + width) + kOfExponential);
  }

  std::int64_t batch, heads, num_queries, num_keys, features, width;
  Matrices out, query, key, value;
  std::int64_t rows;  // queries that are computed together
};

/// Where the parts of a thread's memory begin, in bytes.
struct AttentionKernel::Rooms {
  Rooms(const Problem& p, const FloatGemmLoop& loop, std::int64_t element_bytes) {
    const auto bytes_of = [&](std::int64_t elements) {
      return whole_lines(elements * element_bytes);
    };
    values = keys + bytes_of(loop.packed_elements(p.num_keys, p.rows, p.features, false, true));
    scores = values + bytes_of(loop.packed_elements(p.width, p.rows, p.num_keys, true, true));
    products = scores + bytes_of(p.rows * p.num_keys);
    end = products + bytes_of(std::max(loop.scratch_elements(p.num_keys, p.rows, p.features, false),
                                       loop.scratch_elements(p.width, p.rows, p.num_keys, true)));
  }

  std::int64_t keys = 0, values, scores, products, end;
};

AttentionKernel::AttentionKernel(Workers& workers, ScratchPool& scratch, std::uint8_t dtype,
                                 const Loops& loops, double scale)
    : workers_(workers),
      scratch_(scratch),
      element_bytes_(element_bytes(dtype)),
      loops_(loops),
      scale_(cell_of(dtype, scale)),
      one_(cell_of(dtype, 1)),
      zero_(cell_of(dtype, 0)) {}

void AttentionKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                             std::string_view name) {
  const Problem problem(arguments);
  if (problem.units() == 0 || problem.width == 0) return;
  static_cast<Stream&>(stream).submit(
      {}, name, [problem, this](plugin::Arguments) { workers_.run([&] { compute(problem); }); });
}

void AttentionKernel::compute(const Problem& p) const {
  const std::int64_t threads =
      p.work() < kWorthSplitting ? 1 : std::min<std::int64_t>(p.units(), workers_.num_threads());
  const ScratchRooms rooms(scratch_, Rooms(p, loops_.products, element_bytes_).end,
                           static_cast<int>(threads));
  workers_.for_units(p.units(), static_cast<int>(threads), [&](int thread, std::int64_t unit) {
    compute_unit(p, unit, rooms.of(thread));
  });
}

/// The first factor as products read it; null if they read it as it is.
const void* AttentionKernel::packed(const FloatGemm& product, char* room) const noexcept {
  const bool has_unit_rows = product.a_strides[0] == 1;
  if (product.k == 0 ||
      loops_.products.packed_elements(product.m, product.n, product.k, has_unit_rows, true) == 0) {
    return nullptr;
  }
  loops_.products.pack_a(product, room);
  return room;
}

/// Matrices are computed by columns, which are the rows of `out`: the scores are key query^T, and
/// the result is value^T scores.
void AttentionKernel::compute_unit(const Problem& p, std::int64_t unit,
                                   char* scratch) const noexcept {
  const Rooms rooms(p, loops_.products, element_bytes_);
  const std::int64_t part = unit % p.parts(), head = unit / p.parts() % p.heads;
  const std::int64_t batch = unit / p.parts() / p.heads;
  const auto matrix = [&](const Matrices& of, std::int64_t row = 0) {
    return of.data + (batch * of.batch + head * of.head + row * of.row) * element_bytes_;
  };
  char* const scores = scratch + rooms.scores;
  void* const room = scratch + rooms.products;
  FloatGemm first{
      p.num_keys,     p.rows,           p.features,      matrix(p.key), nullptr,     scores,
      {p.key.row, 1}, {1, p.query.row}, {1, p.num_keys}, &scale_.bits,  &zero_.bits, room,
      false};
  FloatGemm second{p.width,        p.rows,     p.num_keys,       matrix(p.value),
                   scores,         nullptr,    {1, p.value.row}, {1, p.num_keys},
                   {1, p.out.row}, &one_.bits, &zero_.bits,      room,
                   false};
  first.packed_a = packed(first, scratch + rooms.keys);
  second.packed_a = packed(second, scratch + rooms.values);
  const std::int64_t begin = part * kQueriesOfUnit;
  const std::int64_t end = std::min(begin + kQueriesOfUnit, p.num_queries);
  for (std::int64_t row = begin; row < end; row += p.rows) {
    first.n = second.n = std::min(p.rows, end - row);
    first.b = matrix(p.query, row);
    second.out = matrix(p.out, row);
    loops_.products.multiply(first);
    if (p.num_keys > 0) loops_.softmax.rows(first.n, p.num_keys, scores, scores, false, false);
    loops_.products.multiply(second);
  }
}

}  // namespace patchbay::cpu
