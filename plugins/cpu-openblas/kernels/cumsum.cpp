// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/attributes.hpp"
#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/kernels/context.hpp"
#include "cpu-openblas/kernels/index.hpp"
#include "cpu-openblas/operands/loop_nest.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kBlock = 128;               // cumsum.1 says so
constexpr std::int64_t kInterleaved = 8;           // blocks that are summed at a time
constexpr std::int64_t kWorthSharing = 256 << 10;  // elements of a line
constexpr std::int64_t kWidth = 256;               // places whose sums grow together

template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// The elements along the dimension, in the order of the sums.
template <class T>
struct Line {
  T* out;
  const T* a;
  std::int64_t count, out_step, a_step;

  std::int64_t num_blocks() const { return (count + kBlock - 1) / kBlock; }
  std::int64_t end_of(std::int64_t block) const { return std::min(count, (block + 1) * kBlock); }
  T& result(std::int64_t i) const { return out[i * out_step]; }
  T element(std::int64_t i) const { return a[i * a_step]; }

  /// The sum of a block's elements.
  T total(std::int64_t block) const {
    const std::int64_t begin = block * kBlock, end = end_of(block);
    T sum = element(begin);
    for (std::int64_t i = begin + 1; i < end; ++i) sum = sum_of(sum, element(i));
    return sum;
  }
};

/// Whole blocks of neighbouring elements; `kStep` is 1 or -1. Their sums are independent, so the
/// processor computes them at once.
template <std::int64_t kStep, class T>
void scan_blocks(const Line<T>& line, std::int64_t first, T& before) {
  T sums[kInterleaved][kBlock], sum[kInterleaved];
  const T* const a = line.a + first * kBlock * kStep;
  T* const out = line.out + first * kBlock * kStep;
  for (std::int64_t b = 0; b < kInterleaved; ++b) sums[b][0] = sum[b] = a[b * kBlock * kStep];
  for (std::int64_t i = 1; i < kBlock; ++i) {
    for (std::int64_t b = 0; b < kInterleaved; ++b) {
      sum[b] = sum_of(sum[b], a[(b * kBlock + i) * kStep]);
      sums[b][i] = sum[b];
    }
  }
  for (std::int64_t b = 0; b < kInterleaved; ++b) {
    T* const to = out + b * kBlock * kStep;
    if (first + b == 0) {
      for (std::int64_t i = 0; i < kBlock; ++i) to[i * kStep] = sums[b][i];
    } else {
      const T carried = before;
      for (std::int64_t i = 0; i < kBlock; ++i) to[i * kStep] = sum_of(carried, sums[b][i]);
    }
    before = to[(kBlock - 1) * kStep];
  }
}

/// The blocks begin to end; `before` is the sum of the blocks before them.
template <class T>
void scan(const Line<T>& line, std::int64_t begin, std::int64_t end, T before) {
  std::int64_t block = begin;
  const std::int64_t whole = std::min(end, line.count / kBlock);
  if (line.a_step == line.out_step && (line.a_step == 1 || line.a_step == -1)) {
    for (; block + kInterleaved <= whole; block += kInterleaved) {
      if (line.a_step == 1)
        scan_blocks<1>(line, block, before);
      else
        scan_blocks<-1>(line, block, before);
    }
  }
  for (; block < end; ++block) {
    T sum = line.element(block * kBlock);
    line.result(block * kBlock) = block == 0 ? sum : sum_of(before, sum);
    for (std::int64_t i = block * kBlock + 1; i < line.end_of(block); ++i) {
      sum = sum_of(sum, line.element(i));
      line.result(i) = block == 0 ? sum : sum_of(before, sum);
    }
    before = line.result(line.end_of(block) - 1);
  }
}

/// Shares a long line: all blocks but the last piece's are summed first, then every piece knows
/// what lies before it.
template <class T>
void scan_shared(Workers& workers, const Line<T>& line) {
  const std::int64_t blocks = line.num_blocks(), threads = workers.num_threads();
  const std::int64_t piece = (blocks + threads - 1) / threads;
  const auto pieces = static_cast<int>((blocks + piece - 1) / piece);
  std::vector<T> totals(static_cast<std::size_t>(blocks));
  workers.parallel_for(pieces, [&](int part) {
    const std::int64_t end = std::min(blocks, (part + 1) * piece);
    for (std::int64_t block = part * piece; block < end; ++block) {
      totals[static_cast<std::size_t>(block)] = line.total(block);
    }
  });
  for (std::size_t block = 1; block < totals.size(); ++block) {
    totals[block] = sum_of(totals[block - 1], totals[block]);
  }
  workers.parallel_for(pieces, [&](int part) {
    const std::int64_t begin = part * piece;
    scan(line, begin, std::min(blocks, begin + piece),
         begin == 0 ? T(0) : totals[static_cast<std::size_t>(begin - 1)]);
  });
}

/// cumsum.1: out, a.
class CumsumKernel final : public plugin::Kernel {
 public:
  CumsumKernel(const Context& context, Row copy, Row add)
      : workers_(context.workers),
        copy_(copy),
        add_(add),
        dim_(dim_of(context.spec)),
        reverse_(plugin::Attributes(context.spec).integer("reverse") != 0) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    if (dim_ >= arguments[1].rank || !same_shape(arguments[0], arguments[1])) {
      plugin::invalid_argument("cumsum.1: expected dim and equal shapes");
    }
    static_cast<Stream&>(stream).submit(arguments, name, [this](plugin::Arguments kept) {
      if (num_elements(kept[0]) != 0) workers_.run([&] { compute(kept[0], kept[1]); });
    });
  }

 private:
  /// The dimensions without dim; operands: out, a.
  struct Walk {
    LoopNest rest;
    char* out;
    const char* a;
    std::int64_t count, out_step, a_step;
    std::int64_t size;  // bytes of an element
  };

  void compute(const patchbay_argument& out, const patchbay_argument& a) const {
    patchbay_argument rests[] = {out, a};
    for (patchbay_argument& rest : rests) rest.shape[dim_] = 1;
    const patchbay_argument* const operands[] = {&rests[0], &rests[1]};
    Walk walk{make_loop_nest(operands, 2),
              data_of(out),
              data_of(a),
              out.shape[dim_],
              out.strides[dim_],
              a.strides[dim_],
              element_bytes(out.dtype)};
    if (reverse_) {
      walk.out += (walk.count - 1) * walk.out_step * walk.size;
      walk.a += (walk.count - 1) * walk.a_step * walk.size;
      walk.out_step = -walk.out_step;
      walk.a_step = -walk.a_step;
    }
    // Neighbouring places are summed together if that reads neighbouring elements.
    const bool is_along = std::abs(walk.a_step) == 1 || walk.rest.inner_size() == 1;
    if (!is_along) return compute_across(walk);
    static_assert(PATCHBAY_SET_WIDE_NUMBERS == (PATCHBAY_SET_WIDE_FLOATS | PATCHBAY_BIT(I32) |
                                                PATCHBAY_BIT(I64) | PATCHBAY_BIT(U8)));
    switch (out.dtype) {
      case PATCHBAY_F32: return compute_along<float>(walk);
      case PATCHBAY_F64: return compute_along<double>(walk);
      case PATCHBAY_I32: return compute_along<std::int32_t>(walk);
      case PATCHBAY_I64: return compute_along<std::int64_t>(walk);
      default: return compute_along<std::uint8_t>(walk);
    }
  }

  template <class T>
  void compute_along(const Walk& walk) const {
    const std::int64_t inner = walk.rest.inner_size(), lines = walk.rest.num_rows() * inner;
    const auto line_of = [&](const RowCursor& row, std::int64_t column) {
      const std::int64_t out = row.offsets()[0] + column * walk.rest.inner_stride(0);
      const std::int64_t a = row.offsets()[1] + column * walk.rest.inner_stride(1);
      return Line<T>{reinterpret_cast<T*>(walk.out) + out, reinterpret_cast<const T*>(walk.a) + a,
                     walk.count, walk.out_step, walk.a_step};
    };
    if (lines < workers_.num_threads() && walk.count >= kWorthSharing) {
      for (std::int64_t i = 0; i < lines; ++i) {
        scan_shared(workers_, line_of(RowCursor(walk.rest, i / inner), i % inner));
      }
      return;
    }
    workers_.split(lines, 1, 4 * lines * walk.count * walk.size,
                   [&](std::int64_t begin, std::int64_t end) {
                     RowCursor row(walk.rest, begin / inner);
                     std::int64_t column = begin % inner;
                     for (std::int64_t i = begin; i < end; ++i) {
                       const Line<T> line = line_of(row, column);
                       scan(line, 0, line.num_blocks(), T(0));
                       if (++column < inner) continue;
                       column = 0;
                       row.next();
                     }
                   });
  }

  void compute_across(const Walk& walk) const {
    const std::int64_t segments = (walk.rest.inner_size() + kWidth - 1) / kWidth;
    const std::int64_t units = walk.rest.num_rows() * segments;
    const std::int64_t bytes = 2 * walk.rest.num_elements() * walk.count * walk.size;
    workers_.split(units, 1, bytes, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t unit = begin; unit < end; ++unit) {
        const RowCursor row(walk.rest, unit / segments);
        scan_segment(walk, row.offsets(), unit % segments * kWidth);
      }
    });
  }

  void scan_segment(const Walk& walk, const std::int64_t* offsets, std::int64_t column) const {
    alignas(64) char sums[kWidth * 8];
    const std::int64_t n = std::min(kWidth, walk.rest.inner_size() - column);
    const std::int64_t out_step = walk.rest.inner_stride(0), a_step = walk.rest.inner_stride(1);
    char* to = walk.out + (offsets[0] + column * out_step) * walk.size;
    const char* from = walk.a + (offsets[1] + column * a_step) * walk.size;
    const char* before = nullptr;  // the sums of the blocks before
    for (std::int64_t i = 0; i < walk.count; ++i) {
      if (i % kBlock == 0) {
        before = i == 0 ? nullptr : to - walk.out_step * walk.size;
        copy_(n, sums, from, nullptr, {1, a_step, 0});
      } else {
        add_(n, sums, sums, from, {1, 1, a_step});
      }
      if (before == nullptr)
        copy_(n, to, sums, nullptr, {out_step, 1, 0});
      else
        add_(n, to, before, sums, {out_step, out_step, 1});
      to += walk.out_step * walk.size;
      from += walk.a_step * walk.size;
    }
  }

  Workers& workers_;
  const Row copy_, add_;
  const int dim_;
  const bool reverse_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_cumsum(const Context& context) {
  const SimdTable& simd = context.simd();
  return std::make_unique<CumsumKernel>(
      context, checked(context, simd.copy, context.dtype(0)),
      checked(context, simd.binary[number_of(BinaryOp::add)], context.dtype(0)));
}

}  // namespace patchbay::cpu
