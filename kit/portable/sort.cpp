// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "patchbay/plugin/kit/attributes.hpp"

#include "kSortText.text.h"
#include "kit/loop_nest.hpp"
#include "kit/portable/dtypes.hpp"
#include "kit/portable/families.hpp"
#include "kit/portable/text.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kChunk = 512;  // elements that a group sorts in local memory
constexpr std::uint64_t kMostItems = 256;
constexpr std::int64_t kBest = 1024;  // candidates that a group sorts at once
constexpr std::int64_t kShareOfLater = 4 * kBest;
constexpr std::int64_t kEnoughGroups = 1024;
/// Of the workspace: what the groups of one round keep, and those of the next, which are fewer.
constexpr std::uint64_t kKeptBytes = kEnoughGroups * kBest / 2 * sizeof(std::int64_t);
constexpr std::int64_t kShort = 64;  // elements of a line for which a small group is enough

/// The text's struct of the same name; operands: out, index, a.
struct Run {
  std::int64_t lines = 1, count, kept, steps[3], chunks, descending, rank;
  std::int64_t shape[PATCHBAY_MAX_RANK], strides[3][PATCHBAY_MAX_RANK];
};

Run run_of(plugin::Arguments arguments, int dim, std::int64_t descending) {
  const patchbay_argument &out = arguments[0], &index = arguments[1], &a = arguments[2];
  LoopNest<3> nest(3);
  for (int d = 0; d < a.rank; ++d) {
    if (d != dim) nest.add(a.shape[d], {out.strides[d], index.strides[d], a.strides[d]});
  }
  nest.collapse();
  Run run{1,
          a.shape[dim],
          out.shape[dim],
          {out.strides[dim], index.strides[dim], a.strides[dim]},
          pieces(a.shape[dim], kChunk),
          descending,
          nest.rank,
          {},
          {}};
  for (int d = 0; d < nest.rank; ++d) {
    run.lines *= nest.shape[d];
    run.shape[d] = nest.shape[d];
    for (int k = 0; k < 3; ++k) run.strides[k][d] = nest.strides[k][d];
  }
  return run;
}

void check_shapes(plugin::Arguments arguments, int dim) {
  const patchbay_argument &out = arguments[0], &index = arguments[1], &a = arguments[2];
  bool fits = dim < a.rank && out.rank == a.rank && index.rank == a.rank;
  for (int d = 0; fits && d < a.rank; ++d) {
    fits = out.shape[d] == index.shape[d] &&
           (d == dim ? out.shape[d] <= a.shape[d] : out.shape[d] == a.shape[d]);
  }
  if (!fits) plugin::invalid_argument("sort.1: the shapes do not fit along dim");
}

std::string text_of(std::uint8_t dtype, const Traits& traits) {
  return conversions_of(dtype, traits) + alias("T", value_type(dtype)) +
         alias("STORED", element_type(dtype)) + define("LOAD(element)", loaded(dtype, "element")) +
         define("IS_NAN(x)", is_float(dtype) ? "((x) != (x))" : "0") + define("CHUNK", kChunk) +
         define("BEST", kBest) + define("MOST_ITEMS", kMostItems) + kSortText;
}

/// The text's struct of the same name.
struct Round {
  std::int64_t given, groups, share, is_first = 0, is_last = 0;
};

/// Arguments: out, index, a. Sorts all elements in `index`, then takes their values. Fewer elements
/// are chosen in rounds, each of which keeps the first ones of each group's candidates; many, and
/// those of CPUs, one by one, because the others have no room.
class SortKernel final : public plugin::Kernel {
 public:
  SortKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : is_cpu_(backend.traits().is_cpu),
        dim_(static_cast<int>(plugin::Attributes(spec).integer("dim"))),
        descending_(plugin::Attributes(spec).integer("descending")),
        program_(backend.build(text_of(spec.arguments[2].dtype, backend.traits()))),
        sort_chunks_(program_("sort_chunks")),
        merge_far_(program_("merge_far")),
        take_(program_("take")),
        choose_(program_("choose")),
        best_(program_("best")),
        has_workspace_(!is_cpu_ && workspace_bytes_of_rounds() <= spec.workspace_limit_bytes) {}

  std::uint64_t workspace_bytes() const override {
    return has_workspace_ ? workspace_bytes_of_rounds() : 0;
  }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    check_shapes(arguments, dim_);
    const Run run = run_of(arguments, dim_, descending_);
    if (run.lines * run.kept == 0) return;
    const Call call{stream, name.empty() ? "sort.1" : name, run, arguments, workspace};
    if (run.kept < run.count) {
      return !is_cpu_ && run.kept <= kBest / 2 ? choose_in_rounds(call) : choose(call);
    }
    sort_chunks(call, /*merges=*/false);
    const std::int64_t all = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(run.chunks)) * static_cast<std::uint64_t>(kChunk));
    for (std::int64_t size = 2 * kChunk; size <= all; size *= 2) {
      for (std::int64_t distance = size / 2; distance >= kChunk; distance /= 2) {
        merge_far(call, size, distance, all / 2);
      }
      sort_chunks(call, /*merges=*/true);
    }
    take(call);
  }

 private:
  struct Call {
    plugin::Stream& stream;
    std::string_view name;
    const Run& run;
    plugin::Arguments arguments;
    plugin::Memory workspace;

    plugin::Memory memory(std::size_t i) const { return arguments[i].value.memory; }
    void launch(Function& function, std::uint64_t items, std::uint64_t group,
                const Arguments& to) const {
      function.launch(stream, name, {{items, 1, 1}, {group, 1, 1}}, to);
    }
  };

  /// The size of a group that sorts or chooses. The threads of a CPU do so alone.
  std::uint64_t group_of(const Function& function, std::uint64_t wanted) const {
    return is_cpu_ ? 1 : std::min(wanted, function.max_group_size());
  }
  static std::uint64_t each_of(const Function& function) {
    return std::min<std::uint64_t>(64, function.max_group_size());
  }

  void sort_chunks(const Call& call, bool merges) const {
    const std::uint64_t group = group_of(*sort_chunks_, call.run.count <= kShort ? 16 : kChunk / 2);
    Arguments to;
    to.memory(call.memory(1)).memory(call.memory(2)).value(call.run);
    to.value(std::int64_t{merges ? 1 : 0});
    call.launch(*sort_chunks_, static_cast<std::uint64_t>(call.run.lines * call.run.chunks) * group,
                group, to);
  }
  void merge_far(const Call& call, std::int64_t size, std::int64_t distance,
                 std::int64_t pairs) const {
    Arguments to;
    to.memory(call.memory(1)).memory(call.memory(2)).value(call.run);
    to.value(size).value(distance).value(pairs);
    call.launch(*merge_far_, static_cast<std::uint64_t>(call.run.lines * pairs),
                each_of(*merge_far_), to);
  }
  void take(const Call& call) const {
    Arguments to;
    for (std::size_t i = 0; i < 3; ++i) to.memory(call.memory(i));
    to.value(call.run);
    call.launch(*take_, static_cast<std::uint64_t>(call.run.lines * call.run.count),
                each_of(*take_), to);
  }
  void choose(const Call& call) const {
    const std::uint64_t group = group_of(*choose_, 64);
    Arguments to;
    for (std::size_t i = 0; i < 3; ++i) to.memory(call.memory(i));
    to.value(call.run);
    call.launch(*choose_, static_cast<std::uint64_t>(call.run.lines) * group, group, to);
  }

  static constexpr std::uint64_t workspace_bytes_of_rounds() { return kKeptBytes + kKeptBytes / 2; }

  void choose_in_rounds(const Call& call) const {
    const Run& run = call.run;
    plugin::Memory to = call.workspace, from = call.workspace;
    // Other rounds write to the second part, for which less is enough.
    plugin::Memory other = call.workspace;
    other.offset_bytes += kKeptBytes;
    Round round{run.count, 1, run.count, 1};
    const std::int64_t most = has_workspace_ ? kEnoughGroups / run.lines : 1;
    round.groups =
        std::clamp<std::int64_t>(pieces(run.count, kBest), 1, std::max<std::int64_t>(most, 1));
    for (;;) {
      round.share = pieces(round.given, round.groups);
      round.groups = pieces(round.given, round.share);
      round.is_last = round.groups == 1 ? 1 : 0;
      start_round(call, round, to, from);
      if (round.is_last != 0) return;
      const std::int64_t each = std::min(run.kept, round.share);
      const std::int64_t last = round.given - (round.groups - 1) * round.share;
      round = {(round.groups - 1) * each + std::min(each, last), 1, 0};
      round.groups = pieces(round.given, kShareOfLater);
      from = std::exchange(to, from.offset_bytes == to.offset_bytes ? other : from);
    }
  }
  void start_round(const Call& call, const Round& round, plugin::Memory to,
                   plugin::Memory from) const {
    // Without a workspace these are not used, but the arguments must be buffers.
    const plugin::Memory unused = call.memory(1);
    Arguments all;
    all.memory(call.memory(0)).memory(call.memory(1));
    all.memory(has_workspace_ ? to : unused).memory(has_workspace_ ? from : unused);
    all.memory(call.memory(2)).value(call.run).value(round);
    const std::uint64_t wanted = std::bit_ceil(static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(round.share / 2, 16, static_cast<std::int64_t>(kMostItems))));
    const std::uint64_t group = std::min(wanted, best_->max_group_size());
    call.launch(*best_, static_cast<std::uint64_t>(call.run.lines * round.groups) * group, group,
                all);
  }

  const bool is_cpu_;
  const int dim_;
  const std::int64_t descending_;
  const Program program_;
  const std::unique_ptr<Function> sort_chunks_, merge_far_, take_, choose_, best_;
  const bool has_workspace_;
};

}  // namespace

Prepared prepare_sort(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<SortKernel>(backend, spec);
}

}  // namespace patchbay::portable
