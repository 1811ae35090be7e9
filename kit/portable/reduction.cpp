// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kReductionText.text.h"
#include "kit/loop_nest.hpp"
#include "kit/portable/dtypes.hpp"
#include "kit/portable/families.hpp"
#include "kit/portable/folds.hpp"
#include "kit/portable/text.hpp"

namespace patchbay::portable {
namespace {

constexpr std::uint64_t kGroupItems = 64;
constexpr std::int64_t kMostSingleItems = 1024;
constexpr std::int64_t kLeastPiece = 2048;  // elements; a smaller piece costs more than it saves

/// The number of accumulators per work-item: many for CPUs, which use vectors, and few for GPUs,
/// where neighbouring work-items take neighbouring results.
struct Widths {
  int lanes, wide;
};
Widths widths_of(const Fold& fold, const Traits& traits) {
  if (!traits.is_cpu) return {4, 1};
  return fold.is_position() ? Widths{16, 4} : Widths{16, 128};
}

/// The number of work-items that keeps a device busy.
std::int64_t enough_items(const Traits& traits) { return traits.is_cpu ? 64 : 4096; }
/// The largest number of partial results.
constexpr std::uint64_t kMostPartials = 64 * 128;

using ReductionNest = LoopNest<2>;  // operands: in, out

/// The kernels' struct of the same name.
struct Axes {
  std::int64_t rank, count;
  std::int64_t shape[PATCHBAY_MAX_RANK];
  std::int64_t in[PATCHBAY_MAX_RANK], out[PATCHBAY_MAX_RANK];
};

Axes to_axes(const ReductionNest& nest) {
  Axes axes{nest.rank, nest.num_elements(), {}, {}, {}};
  for (int d = 0; d < nest.rank; ++d) {
    axes.shape[d] = nest.shape[d];
    axes.in[d] = nest.strides[0][d];
    axes.out[d] = nest.num_operands > 1 ? nest.strides[1][d] : 0;
  }
  return axes;
}

std::string whole_text(const Fold& fold, std::uint8_t in, const Traits& traits) {
  const Widths widths = widths_of(fold, traits);
  // The text declares the type of positions before it uses the definitions.
  return fold_text(fold, in, traits) + define("LANES", widths.lanes) + define("WIDE", widths.wide) +
         define("BLOCK", 256) + kReductionText;
}

Grid grid_of(std::int64_t items, std::uint64_t group, const Function& function) {
  return {{static_cast<std::uint64_t>(items), 1, 1},
          {std::min(group, function.max_group_size()), 1, 1}};
}

/// CPU threads share groups, so few items get a group each. Only two sizes are used, because some
/// drivers compile for each size.
std::uint64_t group_of(std::int64_t items, const Traits& traits) {
  return traits.is_cpu && items <= kMostSingleItems ? 1 : kGroupItems;
}

/// How a launch is divided among work-items.
struct Plan {
  ReductionNest kept{2}, reduced{1};
  bool across = false;
  std::int64_t items = 0, pieces = 1, piece_size = 0;
};

/// If there are too few results to keep the device busy, each is computed in pieces; the workspace
/// holds their values, which are merged in order.
class ReductionKernel final : public plugin::Kernel {
 public:
  ReductionKernel(Backend& backend, const Fold& fold, std::uint8_t in,
                  std::uint64_t workspace_limit_bytes)
      : traits_(backend.traits()),
        fold_(fold),
        workspace_bytes_(kMostPartials * kMostAccumulatorBytes <= workspace_limit_bytes
                             ? kMostPartials * kMostAccumulatorBytes
                             : 0),
        program_(backend.build(whole_text(fold, in, traits_))),
        along_(program_("along")),
        across_(program_("across")),
        finish_(program_("finish")) {}

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    const Plan plan = this->plan(arguments);
    const Axes kept = to_axes(plan.kept), reduced = to_axes(plan.reduced);
    if (kept.count == 0) return;
    if (reduced.count == 0 && !fold_.takes_nothing()) {
      plugin::invalid_argument(std::string(fold_.name) + ": the extreme of no elements");
    }
    const std::string_view shown = name.empty() ? fold_.name : name;
    const plugin::Memory out = arguments[0].value.memory, in = arguments[1].value.memory;
    // Without pieces the workspace is not used, but the argument must be a buffer.
    const plugin::Memory partial = plan.pieces > 1 ? workspace : out;
    Arguments to;
    to.memory(out).memory(in).memory(partial).value(kept).value(reduced);
    to.value(plan.pieces).value(plan.piece_size);
    const std::int64_t items = plan.items * plan.pieces;
    if (plan.across)
      across_->launch(stream, shown, grid_of(items, kGroupItems, *across_), to);
    else
      along_->launch(stream, shown, grid_of(items, group_of(items, traits_), *along_), to);
    if (plan.pieces == 1) return;
    Arguments rest;
    rest.memory(out).memory(partial).value(kept).value(plan.pieces);
    finish_->launch(stream, shown, grid_of(kept.count, group_of(kept.count, traits_), *finish_),
                    rest);
  }

 private:
  Plan plan(plugin::Arguments arguments) const {
    const patchbay_argument &out = arguments[0], &in = arguments[1];
    const std::string name(fold_.name);
    if (out.rank != in.rank) plugin::invalid_argument(name + ": the ranks differ");
    Plan plan;
    for (int d = 0; d < in.rank; ++d) {
      if (out.shape[d] == in.shape[d]) {
        plan.kept.add(in.shape[d], {in.strides[d], out.strides[d]});
      } else if (out.shape[d] == 1) {
        plan.reduced.add(in.shape[d], {in.strides[d]});
      } else {
        plugin::invalid_argument(name + ": dimension " + std::to_string(d) + " of " +
                                 std::to_string(in.shape[d]) + " elements to " +
                                 std::to_string(out.shape[d]));
      }
    }
    plan.kept.collapse();
    if (!fold_.is_position()) plan.reduced.sort();
    plan.reduced.merge();
    plan.kept.pad(1);
    plan.reduced.pad(1);

    const std::int64_t results = plan.kept.num_elements(), each = plan.reduced.num_elements();
    const std::int64_t inner_size = plan.kept.inner_size();
    const int wide = widths_of(fold_, traits_).wide;
    plan.across = inner_size > 1 && plan.kept.inner_stride(0) == 1 && each > 1 &&
                  plan.reduced.inner_stride(0) != 1;
    plan.items = plan.across
                     ? results / std::max<std::int64_t>(inner_size, 1) * pieces(inner_size, wide)
                     : results;
    if (workspace_bytes_ != 0 && plan.items != 0) {
      const std::int64_t wanted = enough_items(traits_) / plan.items;
      plan.pieces =
          std::clamp<std::int64_t>(each / kLeastPiece, 1, std::max<std::int64_t>(wanted, 1));
    }
    plan.piece_size = pieces(each, plan.pieces);
    return plan;
  }

  const Traits& traits_;
  const Fold& fold_;
  const std::uint64_t workspace_bytes_;
  const Program program_;
  const std::unique_ptr<Function> along_, across_, finish_;
};

}  // namespace

Prepared prepare_reduction(Backend& backend, const patchbay_kernel_spec& spec) {
  const std::string_view name = plugin::from_abi(spec.op);
  const Fold* const fold = find_fold(name);
  if (fold == nullptr) refuse(name, {spec.arguments, spec.num_arguments});
  return std::make_unique<ReductionKernel>(backend, *fold, spec.arguments[1].dtype,
                                           spec.workspace_limit_bytes);
}

}  // namespace patchbay::portable
