// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "patchbay/plugin/kernels/operators.h"

#include "cpu-openblas/kernels/context.hpp"
#include "cpu-openblas/kernels/index.hpp"
#include "cpu-openblas/operands/loop_nest.hpp"
#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
namespace {

/// scatter_add.1: out, index, source. What goes to one element is added by one thread in the
/// order of the index, whatever the number of threads: they share the elements of out.
class ScatterAddKernel final : public plugin::Kernel {
 public:
  ScatterAddKernel(Workers& workers, Row add, int dim) : workers_(workers), add_(add), dim_(dim) {}
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Walk;
  struct Share;
  void compute(plugin::Arguments arguments) const;
  void share_out(const Walk& walk) const;
  void compute_share(const Walk& walk, const Share& share) const noexcept;
  template <class T, class I>
  void add_share(const Walk& walk, const Share& share) const noexcept;

  Workers& workers_;
  const Row add_;
  const int dim_;
};

constexpr std::int64_t kLeastSegment = 64;  // elements of a row that are worth a thread

/// Integers wrap around.
template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
}

template <class T>
struct Strided {
  const T* data;
  std::int64_t step;
  const T& operator[](std::int64_t i) const { return data[i * step]; }
};

/// The elements of out; index_step leads along dim.
template <class T>
struct Target {
  T* data;
  std::int64_t step, index_step;
  T& at(std::int64_t i, std::int64_t index) const { return data[i * step + index * index_step]; }
};

struct Range {
  std::int64_t low, high;
  bool is_all;
  bool has(std::int64_t index) const {
    return static_cast<std::uint64_t>(index - low) < static_cast<std::uint64_t>(high - low);
  }
};

/// Adds those of n elements whose index is in the range, in order. The selection has no branch,
/// because a processor can't predict it.
template <class T, class I>
void add_each(std::int64_t n, const Range& range, const Target<T>& out, const Strided<I>& index,
              const Strided<T>& source) {
  const auto add = [&](std::int64_t i) {
    T& to = out.at(i, index[i]);
    to = sum_of(to, source[i]);
  };
  if (range.is_all) {
    for (std::int64_t i = 0; i < n; ++i) add(i);
    return;
  }
  constexpr std::int64_t kBlock = 512;
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t end = std::min(n, begin + kBlock);
    std::int64_t chosen[kBlock], count = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      chosen[count] = i;
      count += range.has(index[i]) ? 1 : 0;
    }
    for (std::int64_t k = 0; k < count; ++k) add(chosen[k]);
  }
}

patchbay_argument without(const patchbay_argument& tensor, std::int64_t dim) {
  patchbay_argument rest = tensor;
  rest.shape[dim] = 1;
  return rest;
}

}  // namespace

/// `rest` has all dimensions except dim; its operands: out, index, source.
struct ScatterAddKernel::Walk {
  LoopNest rest;
  char* out;
  const char* index;
  const char* source;
  std::int64_t extent, step;  // of out along dim
  std::int64_t count, index_step, source_step;
  std::uint8_t dtype, index_dtype;
};

/// A part of the work: the elements begin to end of a row of `rest` with indices low to high.
struct ScatterAddKernel::Share {
  std::int64_t row, begin, end, low, high;
};

void ScatterAddKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                              std::string_view name) {
  check_index_shapes("scatter_add.1", arguments[2], arguments[0], arguments[1], dim_);
  static_cast<Stream&>(stream).submit(arguments, name, [this](plugin::Arguments kept) {
    const std::int64_t extent = kept[0].shape[dim_];
    if (num_elements(kept[1]) == 0) return;
    compute_in_range(workers_, kept[1], extent, dim_, [&] { compute(kept); });
  });
}

void ScatterAddKernel::compute(plugin::Arguments arguments) const {
  const patchbay_argument &out = arguments[0], &index = arguments[1], &source = arguments[2];
  const patchbay_argument rests[] = {without(out, dim_), without(index, dim_),
                                     without(source, dim_)};
  const patchbay_argument* const operands[] = {&rests[0], &rests[1], &rests[2]};
  share_out({make_loop_nest(operands, 3), data_of(out), data_of(index), data_of(source),
             out.shape[dim_], out.strides[dim_], index.shape[dim_], index.strides[dim_],
             source.strides[dim_], out.dtype, index.dtype});
}

/// Divides the rows if they are long or many. Otherwise divides out along dim; then every thread
/// reads the whole index.
void ScatterAddKernel::share_out(const Walk& walk) const {
  const std::int64_t rows = walk.rest.num_rows(), n = walk.rest.inner_size();
  const std::int64_t threads = workers_.num_threads();
  const std::int64_t bytes = 3 * rows * n * walk.count * element_bytes(walk.dtype);
  const std::int64_t wanted = rows >= 4 * threads ? 1 : threads;
  const std::int64_t segment = std::max((n + wanted - 1) / wanted, std::min(n, kLeastSegment));
  const std::int64_t segments = (n + segment - 1) / segment;
  if (rows * segments >= threads) {
    workers_.split(rows * segments, 1, bytes, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t unit = begin; unit < end; ++unit) {
        const std::int64_t first = unit % segments * segment;
        compute_share(walk, {unit / segments, first, std::min(n, first + segment), 0, walk.extent});
      }
    });
    return;
  }
  workers_.split(threads, 1, bytes, [&](std::int64_t begin, std::int64_t end) {
    const auto bound = [&](std::int64_t part) { return walk.extent / threads * part; };
    const std::int64_t low = bound(begin), high = end == threads ? walk.extent : bound(end);
    for (std::int64_t row = 0; row < rows; ++row) compute_share(walk, {row, 0, n, low, high});
  });
}

void ScatterAddKernel::compute_share(const Walk& walk, const Share& share) const noexcept {
  const auto with_index = [&](auto element) {
    using T = decltype(element);
    if (walk.index_dtype == PATCHBAY_I32)
      add_share<T, std::int32_t>(walk, share);
    else
      add_share<T, std::int64_t>(walk, share);
  };
  static_assert(PATCHBAY_SET_WIDE_NUMBERS == (PATCHBAY_SET_WIDE_FLOATS | PATCHBAY_BIT(I32) |
                                              PATCHBAY_BIT(I64) | PATCHBAY_BIT(U8)));
  switch (walk.dtype) {
    case PATCHBAY_F32: return with_index(float{});
    case PATCHBAY_F64: return with_index(double{});
    case PATCHBAY_I32: return with_index(std::int32_t{});
    case PATCHBAY_I64: return with_index(std::int64_t{});
    default: return with_index(std::uint8_t{});
  }
}

template <class T, class I>
void ScatterAddKernel::add_share(const Walk& walk, const Share& share) const noexcept {
  std::int64_t offsets[LoopNest::kMaxOperands];
  offsets_of(walk.rest, share.row, offsets);
  const std::int64_t out_step = walk.rest.inner_stride(0), index_step = walk.rest.inner_stride(1);
  const std::int64_t source_step = walk.rest.inner_stride(2), n = share.end - share.begin;
  T* const out = reinterpret_cast<T*>(walk.out) + offsets[0] + share.begin * out_step;
  const I* index = reinterpret_cast<const I*>(walk.index) + offsets[1] + share.begin * index_step;
  const T* source =
      reinterpret_cast<const T*>(walk.source) + offsets[2] + share.begin * source_step;
  const Range range{share.low, share.high, share.low == 0 && share.high == walk.extent};
  // Process positions one by one if they are farther apart than the elements of one position.
  if (n == 1 || (source_step > walk.source_step && out_step > walk.step)) {
    for (std::int64_t k = 0; k < n; ++k) {
      add_each<T, I>(walk.count, range, {out + k * out_step, 0, walk.step},
                     {index + k * index_step, walk.index_step},
                     {source + k * source_step, walk.source_step});
    }
    return;
  }
  const Steps steps{out_step, out_step, source_step};
  for (std::int64_t i = 0; i < walk.count; ++i) {
    if (index_step != 0) {
      add_each<T, I>(n, range, {out, out_step, walk.step}, {index, index_step},
                     {source, source_step});
    } else if (*index >= share.low && *index < share.high) {
      T* const to = out + std::int64_t{*index} * walk.step;
      add_(n, to, to, source, steps);
    }
    index += walk.index_step;
    source += walk.source_step;
  }
}

std::unique_ptr<plugin::Kernel> prepare_scatter_add(const Context& context) {
  const Row add =
      checked(context, context.simd().binary[number_of(BinaryOp::add)], context.dtype(0));
  return std::make_unique<ScatterAddKernel>(context.workers, add, dim_of(context.spec));
}

}  // namespace patchbay::cpu
