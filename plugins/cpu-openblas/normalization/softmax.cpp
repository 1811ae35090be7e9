// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// softmax.1 and its adjoint: whole rows on each thread, long rows in blocks, or columns.
#include <algorithm>
#include <memory>
#include <vector>

#include "cpu-openblas/normalization/rows.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/rows.hpp"

namespace patchbay::cpu {
namespace {

/// An exponential, relative to the memory traffic of its element.
constexpr std::int64_t kCost = 4;
/// Rows from here on do not stay in the cache of a core.
constexpr std::int64_t kLongRow = 1 << 17;
/// Fewer rows than these are divided if they have several blocks, so that all threads compute.
constexpr std::int64_t kFewRows = 16;
constexpr std::int64_t kColumns = 64;  // that one thread reduces together

bool is_divided(const Slices& sizes) {
  return sizes.n > kLongRow || (sizes.outer < kFewRows && sizes.n >= 4 * kBlock);
}

/// Arguments: out and a; or out, grad and y. How the work is divided depends on the shape alone.
class SoftmaxKernel final : public plugin::Kernel {
 public:
  SoftmaxKernel(const Context& context, bool is_adjoint)
      : workers_(context.workers),
        op_(context.name()),
        cache_bytes_(context.libraries.cache_bytes()),
        dtype_(context.dtype(0)),
        bytes_(element_bytes(dtype_)),
        loops_(context.simd().softmax[dtype_]),
        most_(context.simd().reduce[number_of(ReduceOp::max)][dtype_].block),
        is_adjoint_(is_adjoint),
        logarithm_(plugin::Attributes(context.spec).integer("logarithm") != 0) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const Slices sizes = slices_of(op_, arguments);
    if (sizes.num_elements() == 0) return;
    static_cast<Stream&>(stream).submit(arguments, name, [this, sizes](plugin::Arguments kept) {
      workers_.run([&] { compute(sizes, kept); });
    });
  }

 private:
  struct Operands {
    char* out;
    const char* a;  // or grad
    const char* y;  // of the adjoint
    bool stream;
    std::int64_t work;  // in bytes of memory traffic
  };

  void compute(const Slices& sizes, plugin::Arguments arguments) const {
    Operands operands{data_of(arguments[0]), data_of(arguments[1]),
                      is_adjoint_ ? data_of(arguments[2]) : nullptr, false, 0};
    const std::int64_t traffic =
        sizes.num_elements() * bytes_ * static_cast<std::int64_t>(arguments.size());
    operands.work = traffic * kCost;
    operands.stream =
        traffic > cache_bytes_ && operands.out != operands.a && operands.out != operands.y;
    if (sizes.inner != 1) {
      compute_columns(sizes, operands);
    } else if (is_divided(sizes)) {
      compute_blocks(sizes, operands);
    } else {
      compute_rows(sizes, operands);
    }
  }

  void compute_rows(const Slices& sizes, const Operands& operands) const {
    const std::int64_t row = sizes.n * bytes_;
    workers_.split(sizes.outer, 1, operands.work, [&](std::int64_t begin, std::int64_t end) {
      if (is_adjoint_) {
        loops_.adjoint_rows(end - begin, sizes.n, operands.out + begin * row,
                            operands.a + begin * row, operands.y + begin * row, logarithm_,
                            operands.stream);
      } else {
        loops_.rows(end - begin, sizes.n, operands.out + begin * row, operands.a + begin * row,
                    logarithm_, operands.stream);
      }
    });
  }

  void compute_columns(const Slices& sizes, const Operands& operands) const {
    const std::int64_t strips = (sizes.inner + kColumns - 1) / kColumns;
    workers_.split(
        sizes.outer * strips, 1, operands.work, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t job = begin; job < end; ++job) {
            const std::int64_t column = job % strips * kColumns;
            const std::int64_t at = (job / strips * sizes.n * sizes.inner + column) * bytes_;
            const std::int64_t width = std::min(kColumns, sizes.inner - column);
            compute_strip(sizes, operands, at, width);
          }
        });
  }
  void compute_strip(const Slices& sizes, const Operands& operands, std::int64_t at,
                     std::int64_t width) const {
    if (is_adjoint_) {
      loops_.adjoint_columns(sizes.n, width, sizes.inner, operands.out + at, operands.a + at,
                             operands.y + at, logarithm_);
    } else {
      loops_.columns(sizes.n, width, sizes.inner, operands.out + at, operands.a + at, logarithm_);
    }
  }

  // ------------------------------------------------------------------------- divided rows ---

  /// Calls body(row, block of the row, place in bytes, elements) for all blocks.
  template <class Body>
  void for_blocks(const Slices& sizes, std::int64_t work, const Body& body) const {
    const std::int64_t each = (sizes.n + kBlock - 1) / kBlock;
    workers_.split(sizes.outer * each, 1, work, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t job = begin; job < end; ++job) {
        const std::int64_t row = job / each, first = job % each * kBlock;
        body(row, job, (row * sizes.n + first) * bytes_, std::min(kBlock, sizes.n - first));
      }
    });
  }

  void compute_blocks(const Slices& sizes, const Operands& operands) const {
    const std::int64_t each = (sizes.n + kBlock - 1) / kBlock;
    std::vector<double> of_blocks(static_cast<std::size_t>(sizes.outer * each));
    std::vector<double> most(static_cast<std::size_t>(sizes.outer), -1.0 / 0.0), sums(most.size());
    const auto join = [&](std::vector<double>& rows, const auto& joined) {
      for (std::size_t i = 0; i < of_blocks.size(); ++i) {
        double& row = rows[i / static_cast<std::size_t>(each)];
        row = joined(row, of_blocks[i]);
      }
    };
    if (!is_adjoint_) {
      for_blocks(sizes, operands.work / kCost,
                 [&](std::int64_t, std::int64_t job, std::int64_t at, std::int64_t count) {
                   of_blocks[static_cast<std::size_t>(job)] = most_of(count, operands.a + at);
                 });
      join(most, [](double a, double b) { return b > a ? b : a; });
    }
    for_blocks(sizes, operands.work,
               [&](std::int64_t row, std::int64_t job, std::int64_t at, std::int64_t count) {
                 of_blocks[static_cast<std::size_t>(job)] =
                     is_adjoint_
                         ? loops_.adjoint_sum(count, operands.a + at, operands.y + at, logarithm_)
                         : loops_.sum(count, operands.a + at, most[std::size_t(row)]);
               });
    join(sums, [](double a, double b) { return a + b; });
    for_blocks(sizes, operands.work,
               [&](std::int64_t row, std::int64_t, std::int64_t at, std::int64_t count) {
                 const auto r = static_cast<std::size_t>(row);
                 if (is_adjoint_) {
                   loops_.adjoint_write(count, operands.out + at, operands.a + at, operands.y + at,
                                        logarithm_, sums[r], operands.stream);
                 } else {
                   loops_.write(count, operands.out + at, operands.a + at, logarithm_, most[r],
                                sums[r], operands.stream);
                 }
               });
  }

  double most_of(std::int64_t count, const char* a) const {
    if (dtype_ == PATCHBAY_F64) {
      double most = 0;
      most_(count, a, &most);
      return most;
    }
    float most = 0;
    most_(count, a, &most);
    return static_cast<double>(most);
  }

  Workers& workers_;
  const std::string op_;
  const std::int64_t cache_bytes_;
  const std::uint8_t dtype_;
  const std::int64_t bytes_;
  const SoftmaxLoops& loops_;
  const ReduceBlock most_;
  const bool is_adjoint_, logarithm_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_softmax(const Context& context) {
  return std::make_unique<SoftmaxKernel>(context, false);
}

std::unique_ptr<plugin::Kernel> prepare_softmax_input(const Context& context) {
  return std::make_unique<SoftmaxKernel>(context, true);
}

}  // namespace patchbay::cpu
