// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "patchbay/plugin/kit/attributes.hpp"

#include "kGroupsText.text.h"
#include "kReductionGroupsText.text.h"
#include "kReductionItemsText.text.h"
#include "kReductionText.text.h"
#include "kit/loop_nest.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"
#include "kit/portable/folds.hpp"

namespace patchbay::portable {
namespace {

constexpr std::uint64_t kGroupItems = 64;
constexpr std::int64_t kMostSingleItems = 1024;

// For CPUs, where a work-item has results of its own.
constexpr int kLanes = 16;                  // accumulators
constexpr std::int64_t kEnoughItems = 64;   // to keep all threads busy
constexpr std::int64_t kLeastPiece = 2048;  // elements; a smaller piece costs more than it saves

// For accelerators, where the work-items of a group share a result.
constexpr std::int64_t kTeam = 256;           // work-items for one long result, and of a group
constexpr std::int64_t kSmallTeam = 32;       // for a short one, or one of many, at most
constexpr std::int64_t kManyItems = 1 << 17;  // keep the device busy
constexpr std::int64_t kColumns = 4;          // neighbouring results of a work-item
constexpr std::int64_t kSlices = 16;          // work-items that share the rows of a group's columns
constexpr std::int64_t kRowsAhead = 4;        // rows that a work-item reads before it uses them
constexpr std::int64_t kEnoughGroups = 512;
constexpr std::int64_t kLeastOfTeam = 8192, kLeastRows = 128;  // of a piece

/// The largest number of partial results.
std::uint64_t most_partials(const Traits& traits) {
  return traits.is_cpu ? kEnoughItems * 128 : kEnoughGroups * kTeam / kSlices * kColumns;
}

/// The packs that an accelerator's work-item reads before it uses the first.
std::int64_t ahead_of(std::int64_t pack) { return std::clamp<std::int64_t>(16 / pack, 1, 4); }

/// Adjacent results of a CPU's work-item.
int wide_of(const Fold& fold) { return fold.is_position() ? 4 : 128; }

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
  // The text declares the type of positions before it uses the definitions.
  const std::string text = fold_text(fold, in, traits);
  if (traits.is_cpu) {
    return text + define("LANES", kLanes) + define("WIDE", wide_of(fold)) + define("BLOCK", 256) +
           kReductionText + kReductionItemsText;
  }
  const std::int64_t pack = traits.pack_of(element_bytes(in));
  return text + define("WIDTH", traits.sub_group_width) + define("SIZE", kTeam) +
         define("LANES", pack) + define("AHEAD", ahead_of(pack)) +
         define("COLUMNS", std::min(pack, kColumns)) + kGroupsText + kReductionText +
         kReductionGroupsText;
}

Grid grid_of(std::int64_t items, std::int64_t group) {
  return {{static_cast<std::uint64_t>(items), 1, 1}, {static_cast<std::uint64_t>(group), 1, 1}};
}

std::int64_t power_of_two_from(std::int64_t least) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
}

/// The exponent of a power of 2.
std::int32_t bits_of(std::int64_t power) {
  return std::countr_zero(static_cast<std::uint64_t>(power));
}

/// How a launch is divided.
struct Plan {
  ReductionNest kept{2}, reduced{1};
  bool across = false;
  std::int64_t pieces = 1, piece_size = 0;
  Grid grid{}, finish{};
  std::int64_t team = 0, finish_team = 0;  // work-items that share a result; 0 on CPUs
  std::int64_t strips = 0;                 // of accelerators: groups for a line of results
};

/// If there are too few results to keep the device busy, each is computed in pieces; the workspace
/// holds their values, which are merged in order.
class ReductionKernel final : public plugin::Kernel {
 public:
  ReductionKernel(Backend& backend, const Fold& fold, std::uint8_t in,
                  std::uint64_t workspace_limit_bytes)
      : is_cpu_(backend.traits().is_cpu),
        fold_(fold),
        wide_(wide_of(fold)),
        pack_(backend.traits().pack_of(element_bytes(in))),
        columns_(std::min(pack_, kColumns)),
        most_items_(backend.traits().most_items),
        workspace_bytes_(most_partials(backend.traits()) * kMostAccumulatorBytes),
        program_(backend.build(whole_text(fold, in, backend.traits()))),
        along_(program_("along")),
        across_(program_("across")),
        finish_(program_("finish")),
        most_(static_cast<std::int64_t>(std::min(
            {along_->max_group_size(), across_->max_group_size(), finish_->max_group_size()}))),
        group_(std::min(kTeam, power_of_two_from(most_ / 2 + 1))) {
    if (workspace_bytes_ > workspace_limit_bytes) workspace_bytes_ = 0;
  }

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    Plan plan = nests_of(arguments);
    const Axes kept = to_axes(plan.kept), reduced = to_axes(plan.reduced);
    if (kept.count == 0) return;
    if (reduced.count == 0 && !fold_.takes_nothing()) {
      plugin::invalid_argument(std::string(fold_.name) + ": the extreme of no elements");
    }
    if (is_cpu_) {
      divide_items(plan);
    } else {
      divide_groups(plan, group_);
      // Fewer work-items share a result where the device does not take so many.
      for (std::int64_t share = group_; plan.grid.items[0] > most_items_ && share > 1;) {
        divide_groups(plan, share /= 2);
      }
    }
    const std::string_view shown = name.empty() ? fold_.name : name;
    const plugin::Memory out = arguments[0].value.memory, in = arguments[1].value.memory;
    Arguments to;
    to.memory(out).memory(in).memory(workspace).value(kept).value(reduced);
    to.value(plan.pieces).value(plan.piece_size);
    if (plan.team != 0) to.value(bits_of(plan.team));
    if (plan.team != 0 && plan.across) {
      to.value(static_cast<std::int32_t>(plan.strips)).value(std::int32_t{allows_packs(plan)});
    }
    if (fold_.divides) add_divisor(to, arguments[2]);
    (plan.across ? *across_ : *along_).launch(stream, shown, plan.grid, to);
    if (plan.pieces == 1) return;
    Arguments rest;
    rest.memory(out).memory(workspace).value(kept).value(plan.pieces);
    if (plan.team != 0) rest.value(bits_of(plan.finish_team));
    if (fold_.divides) add_divisor(rest, arguments[2]);
    finish_->launch(stream, shown, plan.finish, rest);
  }

 private:
  static void add_divisor(Arguments& to, const patchbay_argument& divisor) {
    to.bytes(&divisor.value.bits, static_cast<std::size_t>(element_bytes(divisor.dtype)));
  }

  Plan nests_of(plugin::Arguments arguments) const {
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
    plan.across = plan.kept.inner_size() > 1 && plan.kept.inner_stride(0) == 1 &&
                  plan.reduced.num_elements() > 1 && plan.reduced.inner_stride(0) != 1;
    return plan;
  }

  /// A result in pieces of at least `least` elements, if that keeps more of the device busy:
  /// `units` are busy without, and `enough` is as many as it needs.
  void cut(Plan& plan, std::int64_t units, std::int64_t enough, std::int64_t least) const {
    const std::int64_t each = plan.reduced.num_elements();
    if (workspace_bytes_ != 0) {
      plan.pieces =
          std::clamp<std::int64_t>(each / least, 1, std::max<std::int64_t>(enough / units, 1));
    }
    plan.piece_size = pieces(each, plan.pieces);
  }

  void divide_items(Plan& plan) const {
    const std::int64_t results = plan.kept.num_elements(), inner = plan.kept.inner_size();
    const std::int64_t units = plan.across ? results / inner * pieces(inner, wide_) : results;
    cut(plan, units, kEnoughItems, kLeastPiece);
    // CPU threads share groups, so few items get a group each. Only two sizes are used, because
    // some drivers compile for each size.
    const auto group_of = [&](std::int64_t items) {
      const bool is_few = items <= kMostSingleItems;
      return std::min<std::int64_t>(is_few && !plan.across ? 1 : kGroupItems, most_);
    };
    plan.grid = grid_of(units * plan.pieces, group_of(units * plan.pieces));
    plan.finish = grid_of(
        results, std::min<std::int64_t>(results <= kMostSingleItems ? 1 : kGroupItems, most_));
  }

  /// `share`: the most work-items of a team, and of a group across.
  void divide_groups(Plan& plan, std::int64_t share) const {
    const std::int64_t results = plan.kept.num_elements(), each = plan.reduced.num_elements();
    std::int64_t groups = 0, group = group_;
    if (plan.across) {
      group = share;
      const std::int64_t inner = plan.kept.inner_size();
      const std::int64_t slices =
          std::min({power_of_two_from(pieces(each, kRowsAhead)), kSlices, group});
      const std::int64_t wide =
          std::min(group / slices, power_of_two_from(pieces(inner, columns_)));
      plan.team = group / wide;
      plan.strips = pieces(inner, wide * columns_);
      groups = results / inner * plan.strips;
      cut(plan, groups, kEnoughGroups, kLeastRows);
      groups *= plan.pieces;
    } else {
      // A work-item for each pack, rounded up to a power of 2.
      plan.team = std::min({power_of_two_from(pieces(each, pack_)), kSmallTeam, share});
      const std::int64_t turn = pack_ * ahead_of(pack_);
      while (plan.team < std::min(kTeam, share) && plan.team * turn < each &&
             results * plan.team < kManyItems) {
        plan.team *= 2;
      }
      cut(plan, pieces(results * plan.team, group), kEnoughGroups, kLeastOfTeam);
      // Packs of a piece lie as those of the whole.
      plan.piece_size = pieces(plan.piece_size, pack_) * pack_;
      groups = pieces(results * plan.pieces * plan.team, group);
    }
    plan.grid = grid_of(groups * group, group);
    plan.finish_team = std::min(power_of_two_from(plan.pieces), group_);
    plan.finish = grid_of(pieces(results * plan.finish_team, group_) * group_, group_);
  }

  /// Whether the strides of a reduction across let neighbouring columns be read at once.
  bool allows_packs(const Plan& plan) const {
    bool fits = true;
    const auto check = [&](std::int64_t stride) { fits = fits && stride % columns_ == 0; };
    for (int d = 0; d + 1 < plan.kept.rank; ++d) check(plan.kept.strides[0][d]);
    for (int d = 0; d < plan.reduced.rank; ++d) check(plan.reduced.strides[0][d]);
    return fits;
  }

  const bool is_cpu_;
  const Fold& fold_;
  const std::int64_t wide_, pack_, columns_;
  const std::uint64_t most_items_;  // of a grid
  std::uint64_t workspace_bytes_;
  const Program program_;
  const std::unique_ptr<Function> along_, across_, finish_;
  const std::int64_t most_, group_;  // work-items of a group: the most, and of an accelerator's
};

}  // namespace

Prepared prepare_reduction(Backend& backend, const patchbay_kernel_spec& spec) {
  const std::string_view name = plugin::from_abi(spec.op);
  const Fold* const fold = find_fold(name);
  if (fold == nullptr) refuse(name, {spec.arguments, spec.num_arguments});
  return std::make_unique<ReductionKernel>(backend, *fold, spec.arguments[1].dtype,
                                           spec.workspace_limit_bytes);
}

Prepared prepare_moment(Backend& backend, const patchbay_kernel_spec& spec) {
  const plugin::Attributes given(spec);
  const Fold& fold = moment_fold(given.integer("order") == 2, given.integer("root") != 0);
  return std::make_unique<ReductionKernel>(backend, fold, spec.arguments[1].dtype,
                                           spec.workspace_limit_bytes);
}

}  // namespace patchbay::portable
