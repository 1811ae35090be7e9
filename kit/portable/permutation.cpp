// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>

#include "kPermutationText.text.h"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"

namespace patchbay::portable {
namespace {

constexpr std::uint64_t kGroupItems = 256;
constexpr std::int64_t kScratchBeyond = 64;  // additional elements of scratch

/// The kernels' struct of the same name.
struct Run {
  std::int64_t count, stride, seed, offset, bits, slice, slices;
};

/// Uses buckets of 4 to 8 indices on average, and about as many slices as buckets per slice.
Run run_of(plugin::Arguments arguments) {
  const patchbay_argument& out = arguments[0];
  Run run{};
  run.count = out.shape[0];
  run.stride = out.strides[0];
  run.seed = static_cast<std::int64_t>(arguments[2].value.bits);
  run.offset = static_cast<std::int64_t>(arguments[3].value.bits);
  const auto quarter = static_cast<std::uint64_t>(std::max<std::int64_t>(run.count / 4, 1));
  run.bits = static_cast<std::int64_t>(std::bit_width(quarter)) - 1;
  run.slices = std::int64_t{1} << run.bits / 2;
  run.slice = std::int64_t{1} << (run.bits - run.bits / 2);
  return run;
}

plugin::Memory after(plugin::Memory memory, std::int64_t elements) {
  return {memory.base, memory.offset_bytes + static_cast<std::uint64_t>(elements) * 8};
}

Grid grid_of(std::int64_t items, const Function& function) {
  return {{static_cast<std::uint64_t>(items), 1, 1},
          {std::min(kGroupItems, function.max_group_size()), 1, 1}};
}

void check_shapes(plugin::Arguments arguments) {
  const patchbay_argument &out = arguments[0], &scratch = arguments[1];
  if (out.rank != 1 || scratch.rank != 1 || scratch.strides[0] != 1 ||
      scratch.shape[0] < 2 * out.shape[0] + kScratchBeyond) {
    plugin::invalid_argument("permutation.1: expected out [n], scratch [2 n + 64]");
  }
}

/// Arguments: out, scratch, seed, offset.
class PermutationKernel final : public plugin::Kernel {
 public:
  explicit PermutationKernel(Backend& backend) : program_(backend.build(kPermutationText)) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    check_shapes(arguments);
    const Run run = run_of(arguments);
    if (run.count == 0) return;
    const std::int64_t buckets = std::int64_t{1} << run.bits, blocks = pieces(run.count, 2);
    const plugin::Memory out = arguments[0].value.memory, draws = arguments[1].value.memory;
    const plugin::Memory starts = after(draws, run.count), sums = after(starts, buckets + 1);
    const plugin::Memory counts = after(sums, run.slices);
    const auto start = [&](Function& function, std::int64_t items,
                           std::initializer_list<plugin::Memory> buffers) {
      Arguments to;
      for (const plugin::Memory& buffer : buffers) to.memory(buffer);
      to.value(run);
      function.launch(stream, name.empty() ? "permutation.1" : name, grid_of(items, function), to);
    };
    start(*clear_, buckets, {counts});
    start(*count_, blocks, {counts});
    start(*sums_, run.slices, {counts, sums});
    start(*starts_, run.slices, {counts, sums, starts});
    start(*place_, blocks, {out, draws, starts, counts});
    start(*sort_, buckets, {out, draws, starts});
  }

 private:
  std::unique_ptr<Function> function(std::string_view name) { return program_(name); }

  const Program program_;
  const std::unique_ptr<Function> clear_ = function("clear"), count_ = function("count"),
                                  sums_ = function("sums"), starts_ = function("starts"),
                                  place_ = function("place"), sort_ = function("sort");
};

}  // namespace

Prepared prepare_permutation(Backend& backend) {
  return std::make_unique<PermutationKernel>(backend);
}

}  // namespace patchbay::portable
