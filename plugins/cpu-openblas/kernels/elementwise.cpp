// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/kernels/elementwise.hpp"

#include <algorithm>

#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kGrainBytes = 4096;  // pieces of rows start at multiples of a page
constexpr std::int64_t kTile = 64;          // rows and columns of a transposed tile
constexpr std::int64_t kMaxElementBytes = 8;

bool is_inner_unit(std::int64_t stride) { return stride == 0 || stride == 1; }

/// A bit mask of the inputs with a smaller stride along the dimension outside the innermost.
unsigned transposed_inputs(const LoopNest& nest) {
  if (nest.rank < 2 || nest.inner_size() < 8 || nest.shape[nest.rank - 2] < 8) return 0;
  if (nest.inner_stride(0) != 1) return 0;
  unsigned bits = 0;
  for (int op = 1; op < nest.num_operands; ++op) {
    if (is_inner_unit(nest.inner_stride(op))) continue;
    if (nest.strides[op][nest.rank - 2] == 1) bits |= 1u << op;
  }
  return bits;
}

/// Broadcasting uses strides of 0, so every tensor has the output's shape.
void check_shapes(plugin::Arguments arguments) {
  for (const patchbay_argument& in : arguments.subspan(1)) {
    if (in.kind != PATCHBAY_TENSOR || same_shape(in, arguments[0])) continue;
    plugin::invalid_argument("the shapes of the tensors differ: broadcast with a stride of 0");
  }
}

}  // namespace

ElementwiseKernel::ElementwiseKernel(Workers& workers, const Operation& operation,
                                     std::int64_t cache_bytes)
    : workers_(workers), operation_(operation), cache_bytes_(cache_bytes) {
  for (int op = 0; op < operation.num_operands; ++op) {
    sizes_[op] = element_bytes(operation.dtypes[op]);
  }
}

void ElementwiseKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                               std::string_view name) {
  check_shapes(arguments);
  static_cast<Stream&>(stream).submit(arguments, name, [this](plugin::Arguments kept) {
    if (workers_.is_inline()) {
      compute(kept);
    } else {
      workers_.run([&] { compute(kept); });
    }
  });
}

void ElementwiseKernel::compute(plugin::Arguments arguments) const {
  Operands operands;
  for (int op = 0; op < operation_.num_operands; ++op) {
    const patchbay_argument& argument = arguments[static_cast<std::size_t>(op)];
    if (argument.kind == PATCHBAY_TENSOR) {
      operands.data[op] = data_of(argument);
    } else {
      operands.scalars[op] = convert_scalar(argument, operation_.dtypes[op]);
      operands.data[op] = reinterpret_cast<char*>(&operands.scalars[op]);
    }
  }
  if (compute_evenly(arguments, operands)) return;
  const patchbay_argument* pointers[LoopNest::kMaxOperands];
  for (int op = 0; op < operation_.num_operands; ++op) {
    pointers[op] = &arguments[static_cast<std::size_t>(op)];
  }
  compute_nest(make_loop_nest(pointers, operation_.num_operands), operands);
}

/// Handles the common case without a loop nest: contiguous tensors of one shape, and scalars.
bool ElementwiseKernel::compute_evenly(plugin::Arguments arguments,
                                       const Operands& operands) const {
  const patchbay_argument& out = arguments[0];
  const std::int64_t n = num_elements(out);
  if (n == 0) return true;
  Steps steps;
  std::int64_t* const step_of[] = {&steps.out, &steps.a, &steps.b, &steps.c};
  if (!is_contiguous(out)) return false;
  for (int op = 1; op < operation_.num_operands; ++op) {
    const patchbay_argument& in = arguments[static_cast<std::size_t>(op)];
    if (in.kind != PATCHBAY_TENSOR) {
      *step_of[op] = n == 1 ? 1 : 0;
    } else if (!is_contiguous(in)) {
      return false;
    }
  }
  const std::int64_t bytes = bytes_of(n);
  if (bytes < kGrainBytes) {
    run_row(n, operands.data, steps);
    return true;
  }
  steps.stream = should_stream(n, operands);
  workers_.split(n, kGrainBytes, bytes, [&](std::int64_t begin, std::int64_t end) {
    char* data[LoopNest::kMaxOperands] = {};
    for (int op = 0; op < operation_.num_operands; ++op) {
      data[op] = operands.data[op] + begin * *step_of[op] * sizes_[op];
    }
    run_row(end - begin, data, steps);
  });
  return true;
}

void ElementwiseKernel::compute_nest(const LoopNest& nest,
                                     const Operands& operands) const noexcept {
  if (const unsigned transposed = transposed_inputs(nest); transposed != 0) {
    return compute_tiles(nest, operands, transposed);
  }
  const Steps steps{nest.inner_stride(0), nest.inner_stride(1), nest.inner_stride(2),
                    nest.inner_stride(0) == 1 && nest.inner_size() * sizes_[0] >= kGrainBytes &&
                        should_stream(nest.num_rows() * nest.inner_size(), operands),
                    nest.inner_stride(3)};
  const std::int64_t step_of[] = {steps.out, steps.a, steps.b, steps.c};
  // Long rows are divided, so that a few of them occupy all threads.
  const std::int64_t n = nest.inner_size();
  const std::int64_t segment = std::min(n, std::max<std::int64_t>(kGrainBytes, 1));
  const std::int64_t segments = (n + segment - 1) / segment;
  const std::int64_t grain = std::max<std::int64_t>(1, 1024 / segment);
  workers_.split(nest.num_rows() * segments, grain, bytes_of(nest.num_rows() * n),
                 [&](std::int64_t begin, std::int64_t end) {
                   std::int64_t part = begin % segments;
                   RowCursor row(nest, begin / segments);
                   for (std::int64_t unit = begin; unit < end;) {
                     const std::int64_t count = std::min(end - unit, segments - part);
                     const std::int64_t first = part * segment;
                     const std::int64_t last = std::min(n, first + count * segment);
                     char* data[LoopNest::kMaxOperands] = {};
                     for (int op = 0; op < operation_.num_operands; ++op) {
                       data[op] = operands.data[op] +
                                  (row.offsets()[op] + first * step_of[op]) * sizes_[op];
                     }
                     run_row(last - first, data, steps);
                     unit += count;
                     part = 0;
                     row.next();
                   }
                 });
}

/// Divides the two innermost dimensions into squares and transposes those of transposed inputs
/// first, so that every cache line is read once.
void ElementwiseKernel::compute_tiles(const LoopNest& nest, const Operands& operands,
                                      unsigned transposed) const noexcept {
  const std::int64_t num_rows = nest.shape[nest.rank - 2];
  const std::int64_t num_columns = nest.inner_size();
  const std::int64_t strips = (num_rows + kTile - 1) / kTile;
  LoopNest outer = nest;  // planes, then strips of rows; the inner dimension is not walked
  outer.shape[nest.rank - 2] = strips;
  for (int op = 0; op < nest.num_operands; ++op) outer.strides[op][nest.rank - 2] *= kTile;
  const std::int64_t bytes = bytes_of(nest.num_rows() * num_columns);
  workers_.split(outer.num_rows(), 1, bytes, [&](std::int64_t begin, std::int64_t end) {
    RowCursor cursor(outer, begin);
    for (std::int64_t strip = begin; strip < end; ++strip, cursor.next()) {
      const std::int64_t rows = std::min(kTile, num_rows - strip % strips * kTile);
      for (std::int64_t column = 0; column < num_columns; column += kTile) {
        char* data[LoopNest::kMaxOperands] = {};
        for (int op = 0; op < nest.num_operands; ++op) {
          data[op] = operands.data[op] +
                     (cursor.offsets()[op] + column * nest.inner_stride(op)) * sizes_[op];
        }
        compute_tile(nest, data, rows, std::min(kTile, num_columns - column), transposed);
      }
    }
  });
}

void ElementwiseKernel::compute_tile(const LoopNest& nest, char* const* data, std::int64_t rows,
                                     std::int64_t columns, unsigned transposed) const noexcept {
  alignas(64) char turned[LoopNest::kMaxOperands - 1][kTile * kTile * kMaxElementBytes];
  char* row_data[LoopNest::kMaxOperands] = {};
  std::int64_t row_step[LoopNest::kMaxOperands] = {};
  std::int64_t steps[LoopNest::kMaxOperands] = {1, 1, 1, 1};
  for (int op = 0; op < nest.num_operands; ++op) {
    row_data[op] = data[op];
    row_step[op] = nest.strides[op][nest.rank - 2];
    steps[op] = nest.inner_stride(op);
    if ((transposed >> op & 1u) == 0) continue;
    operation_.transpose[op](rows, columns, turned[op - 1], kTile, data[op], steps[op]);
    row_data[op] = turned[op - 1];
    row_step[op] = kTile;
    steps[op] = 1;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    run_row(columns, row_data, {steps[0], steps[1], steps[2], false, steps[3]});
    for (int op = 0; op < nest.num_operands; ++op) row_data[op] += row_step[op] * sizes_[op];
  }
}

void ElementwiseKernel::run_row(std::int64_t n, char* const* data,
                                const Steps& steps) const noexcept {
  if (operation_.row3 == nullptr) [[likely]] {
    operation_.row(n, data[0], data[1], data[2], steps);
  } else {
    operation_.row3(n, data[0], data[1], data[2], data[3], steps);
  }
}

/// Non-temporal stores avoid reading the output first, which pays if the operands together exceed
/// the cache. If an operation is in place, the output is read anyway; if nothing is read, as by a
/// fill, plain stores are faster.
bool ElementwiseKernel::should_stream(std::int64_t n, const Operands& operands) const noexcept {
  bool reads = false;
  for (int op = 1; op < operation_.num_operands; ++op) {
    if (operands.data[op] == operands.data[0]) return false;
    reads |= operands.data[op] != reinterpret_cast<const char*>(&operands.scalars[op]);
  }
  return reads && n * (sizes_[0] + sizes_[1] + sizes_[2] + sizes_[3]) > cache_bytes_;
}

std::int64_t ElementwiseKernel::bytes_of(std::int64_t n) const noexcept {
  return n * (sizes_[0] + sizes_[1] + sizes_[2] + sizes_[3]) * operation_.cost;
}

}  // namespace patchbay::cpu
