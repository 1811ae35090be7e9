// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/kernels/reduction.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/operands/loop_nest.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
namespace {

/// The loops over outputs (operands: out, in), and for each output over its inputs (operand: in) in
/// row-major order, which determines indices and the order of sums.
struct Loops {
  LoopNest kept{2}, reduced{1};
  std::int64_t num_outputs = 1, num_inputs = 1;
};

Loops make_loops(const patchbay_argument& out, const patchbay_argument& in) {
  Loops loops;
  for (int d = 0; d < in.rank; ++d) {
    const std::int64_t extent = in.shape[d];
    if (out.shape[d] == extent) {
      loops.num_outputs *= extent;
      loops.kept.add(extent, {out.strides[d], in.strides[d]});
    } else {
      loops.num_inputs *= extent;
      loops.reduced.add(extent, {in.strides[d]});
    }
  }
  loops.kept.collapse();
  loops.reduced.merge();
  return loops;
}

/// A number of f32 or f64.
double divisor_in(const patchbay_argument& scalar) {
  if (scalar.dtype == PATCHBAY_F64) return std::bit_cast<double>(scalar.value.bits);
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(scalar.value.bits)));
}

/// The bytes of a number of f32 or f64.
void put_number(double number, std::uint8_t dtype, char* to) {
  const auto single = static_cast<float>(number);
  if (dtype == PATCHBAY_F64) {
    std::memcpy(to, &number, sizeof number);
  } else {
    std::memcpy(to, &single, sizeof single);
  }
}

template <class Method>
using StateOf = std::conditional_t<std::is_same_v<Method, ArgReduction>, ArgState, PairwiseState>;

/// A launch: tiles of neighbouring outputs, each reduced in chunks of blocks.
template <class Method>
class Run {
 public:
  using Operation = typename ReductionKernel<Method>::Operation;
  using State = StateOf<Method>;
  static constexpr bool kIsArg = std::is_same_v<Method, ArgReduction>;

  Run(Workers& workers, const Operation& operation, const Loops& loops, char* out, const char* in,
      double divisor)
      : workers_(workers),
        operation_(operation),
        loops_(loops),
        out_(out),
        in_(in),
        divisor_(divisor),
        in_bytes_(element_bytes(operation.in_dtype)),
        block_bytes_(element_bytes(operation.block_dtype)),
        accumulator_bytes_(element_bytes(operation.accumulator_dtype)),
        out_bytes_(element_bytes(operation.out_dtype)) {
    const LoopNest& reduced = loops.reduced;
    const bool converts = operation.block_dtype != operation.in_dtype;
    const bool is_run = !converts && reduced.rank == 1 && reduced.strides[0][0] == 1;
    by_columns_ =
        !is_run && !converts && loops.kept.inner_stride(1) == 1 && loops.kept.inner_size() >= 4;
    direct_ = is_run;
    width_ = by_columns_ ? tile_width(in_bytes_) : 1;
    tiles_a_row_ =
        by_columns_ ? (loops.kept.inner_size() + width_ - 1) / width_ : loops.kept.inner_size();
    num_tiles_ = loops.kept.num_rows() * tiles_a_row_;
  }

  void compute() {
    const std::int64_t bytes = loops_.num_outputs * loops_.num_inputs * in_bytes_;
    const std::int64_t chunk = chunk_size(bytes);
    const std::int64_t num_chunks = (loops_.num_inputs + chunk - 1) / chunk;
    if (num_chunks <= 1) {
      workers_.split(num_tiles_, 1, bytes,
                     [&](std::int64_t begin, std::int64_t end) { compute_tiles(begin, end); });
    } else {
      compute_chunks(chunk, num_chunks, bytes);
    }
  }

 private:
  struct Tile {
    char* out;
    const char* in;
    std::int64_t width;
  };

  /// All inputs, or 2^k blocks if there are too few tiles for the threads.
  std::int64_t chunk_size(std::int64_t bytes) const {
    constexpr std::int64_t kLeast = 1 << 20;  // bytes
    const std::int64_t wanted = 4 * workers_.num_threads();
    std::int64_t chunk = loops_.num_inputs;
    if (num_tiles_ >= wanted || workers_.num_threads() == 1 || bytes < kLeast) return chunk;
    const std::int64_t target = loops_.num_inputs * num_tiles_ / wanted;
    for (chunk = 4 * kBlock; chunk * 2 <= target; chunk *= 2) {
    }
    return chunk;
  }

  void compute_tiles(std::int64_t begin, std::int64_t end) const {
    if constexpr (!kIsArg) {
      if (direct_ && loops_.num_inputs <= kBlock) return reduce_short_runs(begin, end);
    }
    for (std::int64_t tile = begin; tile < end; ++tile) {
      const Tile place = place_of(tile);
      TileResult result;
      reduce(place, 0, loops_.num_inputs, result);
      write(place, result);
    }
  }

  /// Reduces runs of at most one block without combining results.
  void reduce_short_runs(std::int64_t begin, std::int64_t end) const {
    RowCursor row(loops_.kept, begin / tiles_a_row_);
    std::int64_t column = begin % tiles_a_row_;
    for (std::int64_t tile = begin; tile < end; row.next(), column = 0) {
      const std::int64_t count = std::min(end - tile, tiles_a_row_ - column);
      for (std::int64_t i = column; i < column + count; ++i) {
        const std::int64_t in = row.offsets()[1] + i * loops_.kept.inner_stride(1);
        const std::int64_t out = row.offsets()[0] + i * loops_.kept.inner_stride(0);
        alignas(8) char result[8];
        operation_.method.block(loops_.num_inputs, in_ + in * in_bytes_, result);
        char* const to = out_ + out * out_bytes_;
        if (accumulator_bytes_ == out_bytes_) {
          std::memcpy(to, result, static_cast<std::size_t>(out_bytes_));
        } else {
          operation_.copy_out(1, to, result, nullptr, {});
        }
      }
      if (operation_.moment.order != 0) {
        const std::int64_t out = row.offsets()[0] + column * loops_.kept.inner_stride(0);
        const std::int64_t in = row.offsets()[1] + column * loops_.kept.inner_stride(1);
        finish_moments(out_ + out * out_bytes_, loops_.kept.inner_stride(0), count,
                       in_ + in * in_bytes_);
      }
      tile += count;
    }
  }

  void compute_chunks(std::int64_t chunk, std::int64_t num_chunks, std::int64_t bytes) const {
    std::vector<TileResult> parts(static_cast<std::size_t>(num_tiles_ * num_chunks));
    workers_.split(num_tiles_ * num_chunks, 1, bytes, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t job = begin; job < end; ++job) {
        const std::int64_t first = job % num_chunks * chunk;
        reduce(place_of(job / num_chunks), first, std::min(loops_.num_inputs, first + chunk),
               parts[static_cast<std::size_t>(job)]);
      }
    });
    for (std::int64_t tile = 0; tile < num_tiles_; ++tile) {
      const Tile place = place_of(tile);
      State state(operation_.method, place.width, accumulator_bytes_);
      for (std::int64_t i = 0; i < num_chunks; ++i) {
        state.add_result(parts[static_cast<std::size_t>(tile * num_chunks + i)]);
      }
      TileResult result;
      state.finish(result);
      write(place, result);
    }
  }

  Tile place_of(std::int64_t tile) const {
    std::int64_t offsets[LoopNest::kMaxOperands] = {};
    offsets_of(loops_.kept, tile / tiles_a_row_, offsets);
    const std::int64_t column = tile % tiles_a_row_ * width_;
    const std::int64_t out = offsets[0] + column * loops_.kept.inner_stride(0);
    const std::int64_t in = offsets[1] + column * loops_.kept.inner_stride(1);
    return {out_ + out * out_bytes_, in_ + in * in_bytes_,
            std::min(width_, loops_.kept.inner_size() - column)};
  }

  void reduce(const Tile& place, std::int64_t begin, std::int64_t end, TileResult& result) const {
    State state(operation_.method, place.width, accumulator_bytes_);
    if (by_columns_) {
      reduce_columns(place, begin, end, state);
    } else if (direct_) {
      for (std::int64_t i = begin; i < end; i += kBlock) {
        state.add_block(std::min(kBlock, end - i), place.in + i * in_bytes_, i);
      }
    } else {
      reduce_gathered(place, begin, end, state);
    }
    state.finish(result);
  }

  void reduce_columns(const Tile& place, std::int64_t begin, std::int64_t end, State& state) const {
    const void* rows[kBlock];
    Walk walk(loops_.reduced, begin);
    for (std::int64_t i = begin; i < end; i += kBlock) {
      const std::int64_t count = std::min(kBlock, end - i);
      for (std::int64_t r = 0; r < count; ++r) rows[r] = place.in + walk.next() * in_bytes_;
      state.add_rows(count, rows, i);
    }
  }

  /// Copies strided inputs to a block first, so that the same loop serves all and sums keep their
  /// order.
  void reduce_gathered(const Tile& place, std::int64_t begin, std::int64_t end,
                       State& state) const {
    alignas(64) char block[kBlock * 8];
    Walk walk(loops_.reduced, begin);
    for (std::int64_t i = begin; i < end; i += kBlock) {
      const std::int64_t count = std::min(kBlock, end - i);
      for (std::int64_t filled = 0; filled < count;) {
        const std::int64_t run = std::min(count - filled, walk.rest_of_row());
        operation_.copy_in(run, block + filled * block_bytes_, place.in + walk.offset() * in_bytes_,
                           nullptr, {1, walk.stride(), 0, false});
        walk.advance(run);
        filled += run;
      }
      state.add_block(count, block, i);
    }
  }

  void write(const Tile& place, TileResult& result) const {
    if (operation_.moment.order != 0) finish_moments(result.values, 1, place.width, place.in);
    const void* values = kIsArg ? static_cast<const void*>(result.indices) : result.values;
    operation_.copy_out(place.width, place.out, values, nullptr,
                        {place.width == 1 ? 1 : loops_.kept.inner_stride(0), 1, 0, false});
  }

  /// Makes results of moment.1 out of sums, `step` apart, of neighbouring inputs from `in` on.
  void finish_moments(char* sums, std::int64_t step, std::int64_t n, const char* in) const {
    if (operation_.accumulator_dtype == PATCHBAY_F64) {
      finish_moments_of(reinterpret_cast<double*>(sums), step, n,
                        reinterpret_cast<const double*>(in));
    } else {
      finish_moments_of(reinterpret_cast<float*>(sums), step, n,
                        reinterpret_cast<const float*>(in));
    }
  }
  template <class T>
  void finish_moments_of(T* sums, std::int64_t step, std::int64_t n, const T* in) const {
    const MomentPlan& plan = operation_.moment;
    if (step == 1 && are_in_range(plan.order, sums, n)) {
      if (divisor_ != 1) {
        for (std::int64_t i = 0; i < n; ++i) sums[i] /= static_cast<T>(divisor_);
      }
      if (plan.has_root) operation_.root(n, sums, sums, nullptr, {});
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      T& sum = sums[i * step];
      sum = is_in_range(plan.order, sum) ? finish_moment(plan, sum, divisor_)
                                         : moment_again(in + i * loops_.kept.inner_stride(1));
    }
  }
  template <class T>
  [[gnu::noinline]] T moment_again(const T* first) const {
    ScaledSum<T> sum(operation_.moment.order);
    for_inputs<T>(first, [&](T x) { sum.see(x); });
    sum.choose_scale();
    for_inputs<T>(first, [&](T x) { sum.add(x); });
    return static_cast<T>(sum.result(operation_.moment, divisor_));
  }
  template <class T, class Use>
  void for_inputs(const T* first, const Use& use) const {
    Walk walk(loops_.reduced, 0);
    for (std::int64_t done = 0; done < loops_.num_inputs;) {
      const std::int64_t run = walk.rest_of_row(), stride = walk.stride();
      const T* const x = first + walk.offset();
      for (std::int64_t i = 0; i < run; ++i) use(x[i * stride]);
      done += run;
      if (done < loops_.num_inputs) walk.advance(run);
    }
  }

  /// Computes the offsets of the reduced elements in row-major order.
  class Walk {
   public:
    Walk(const LoopNest& nest, std::int64_t position)
        : nest_(nest),
          rows_(nest, position / nest.inner_size()),
          column_(position % nest.inner_size()) {}
    std::int64_t offset() const { return rows_.offsets()[0] + column_ * stride(); }
    std::int64_t stride() const { return nest_.inner_stride(0); }
    std::int64_t rest_of_row() const { return nest_.inner_size() - column_; }
    void advance(std::int64_t count) {
      column_ += count;
      if (column_ < nest_.inner_size()) return;
      column_ = 0;
      rows_.next();
    }
    std::int64_t next() {
      const std::int64_t here = offset();
      advance(1);
      return here;
    }

   private:
    const LoopNest& nest_;
    RowCursor rows_;
    std::int64_t column_;
  };

  Workers& workers_;
  const Operation& operation_;
  const Loops& loops_;
  char* const out_;
  const char* const in_;
  const double divisor_;  // of moment.1
  const std::int64_t in_bytes_, block_bytes_, accumulator_bytes_, out_bytes_;
  bool by_columns_, direct_;
  std::int64_t width_, tiles_a_row_, num_tiles_;
};

/// Throws for an extreme of no elements; a sum of no elements is 0, a product 1.
template <class Operation>
void reduce_nothing(const Operation& operation, const patchbay_argument& out, double divisor) {
  if (operation.name.starts_with("min") || operation.name.starts_with("max.") ||
      operation.name.starts_with("arg")) {
    plugin::invalid_argument(operation.name + ": nothing to choose from, the input is empty");
  }
  alignas(8) char nothing[8] = {};
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(operation.method)>, Reduction>) {
    operation.method.block(0, nullptr, nothing);
    if (operation.moment.order != 0) {  // 0 / divisor, whose root is the same
      put_number(0 / divisor, operation.out_dtype, nothing);
    }
  }
  const patchbay_argument* operands[] = {&out};
  const LoopNest nest = make_loop_nest(operands, 1);
  RowCursor cursor(nest, 0);
  for (std::int64_t row = 0; row < nest.num_rows(); ++row, cursor.next()) {
    char* to = data_of(out) + cursor.offsets()[0] * element_bytes(operation.out_dtype);
    operation.copy_out(nest.inner_size(), to, nothing, nullptr,
                       {nest.inner_stride(0), 0, 0, false});
  }
}

void check_shapes(const std::string& name, const patchbay_argument& out,
                  const patchbay_argument& in) {
  bool fits = out.rank == in.rank;
  for (int d = 0; fits && d < in.rank; ++d) {
    fits = out.shape[d] == in.shape[d] || out.shape[d] == 1;
  }
  if (!fits) {
    plugin::invalid_argument(name + ": the output has neither 1 nor the input's extent everywhere");
  }
}

}  // namespace

template <class Method>
void ReductionKernel<Method>::launch(plugin::Stream& stream, plugin::Arguments arguments,
                                     plugin::Memory, std::string_view name) {
  check_shapes(operation_.name, arguments[0], arguments[1]);
  static_cast<Stream&>(stream).submit(arguments, name,
                                      [this](plugin::Arguments kept) { compute(kept); });
}

template <class Method>
void ReductionKernel<Method>::compute(plugin::Arguments arguments) const {
  const patchbay_argument& out = arguments[0];
  const patchbay_argument& in = arguments[1];
  if (num_elements(out) == 0) return;
  const double divisor = operation_.moment.order == 0 ? 1 : divisor_in(arguments[2]);
  if (num_elements(in) == 0) return reduce_nothing(operation_, out, divisor);
  const Loops loops = make_loops(out, in);
  workers_.run([&] {
    Run<Method>(workers_, operation_, loops, data_of(out), data_of(in), divisor).compute();
  });
}

template class ReductionKernel<Reduction>;
template class ReductionKernel<ArgReduction>;

}  // namespace patchbay::cpu
