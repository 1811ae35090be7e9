// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "patchbay/plugin/kit/attributes.hpp"

#include "kMergeSortText.text.h"
#include "kSortText.text.h"
#include "kit/loop_nest.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kChunk = 512;  // elements that a group sorts in local memory
constexpr std::uint64_t kMostItems = 256;
constexpr std::int64_t kShort = 64;  // elements of a line for which a small group is enough

/// The struct Run of sort.pbk and merge_sort.pbk; operands: out, index, a.
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
         define("MOST_ITEMS", kMostItems) + kSortText;
}

// For accelerators.
constexpr std::int64_t kItems = 256;      // of a large group
constexpr std::int64_t kEach = 8;         // elements of a work-item
constexpr std::int64_t kLeastItems = 64;  // of a group, for short lines
constexpr std::int64_t kEnoughGroups = 2048;
constexpr std::int64_t kLeastTiles = 2;  // of a piece of which the first elements are kept
/// Fewer rounds of choosing cost less than to sort all elements.
constexpr std::int64_t kMostRounds = 3;
constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{32} << 20;
constexpr std::int64_t kPairBytes = 8, kPlaceBytes = 4;
constexpr std::int64_t kPairs = static_cast<std::int64_t>(kWorkspaceBytes) / kPairBytes;
/// What pieces keep at first, and then those of the candidates, which are fewer.
constexpr std::int64_t kMostPlaces = static_cast<std::int64_t>(kWorkspaceBytes) / kPlaceBytes / 2;

/// The most work-items of a group.
std::int64_t size_of(const Traits& traits) { return traits.has_large_groups ? kItems : kItems / 2; }

std::string merge_text_of(std::uint8_t dtype, const Traits& traits) {
  const auto bits = static_cast<std::int64_t>(8 * element_bytes(dtype));
  std::string kind;
  switch (dtype) {
    case PATCHBAY_F16: kind = define("INFINITE", "(KEY)0x1f << 10"); break;
    case PATCHBAY_BF16: kind = define("INFINITE", "(KEY)0xff << 7"); break;
    case PATCHBAY_F32: kind = define("INFINITE", "(KEY)0xff << 23"); break;
    case PATCHBAY_F64: kind = define("INFINITE", "(KEY)0x7ff << 52"); break;
    case PATCHBAY_I8:
    case PATCHBAY_I16:
    case PATCHBAY_I32:
    case PATCHBAY_I64: kind = define("IS_SIGNED", 1); break;
    case PATCHBAY_BOOL: kind = define("IS_BOOL", 1); break;
    default: break;
  }
  return alias("RAW", "u" + std::to_string(bits)) + alias("KEY", bits == 64 ? "u64" : "u32") +
         define("BITS", bits) + kind + define("SIZE", size_of(traits)) + define("EACH", kEach) +
         kMergeSortText;
}

Grid grid_of(std::int64_t groups, std::int64_t items) {
  return {{static_cast<std::uint64_t>(groups * items), 1, 1},
          {static_cast<std::uint64_t>(items), 1, 1}};
}

struct SortCall {
  plugin::Stream& stream;
  std::string_view name;
  const Run& run;
  std::array<plugin::Memory, 3> memory;  // out, index, a
  plugin::Memory workspace;
};

/// Groups sort tiles and merge them. All places of a line are kept in `index`, and when only some
/// are wanted, in the workspace, or a few are found in rounds.
class MergeSort {
 public:
  MergeSort(Backend& backend, std::uint8_t dtype, std::uint64_t workspace_limit_bytes);

  std::uint64_t workspace_bytes() const { return workspace_bytes_; }
  /// Otherwise groups have one work-item, lines are too long for places of 32 bits, or there are
  /// too many for a grid.
  bool takes(const Run& run) const {
    const auto groups = static_cast<std::uint64_t>(run.lines * pieces(run.count, tile_));
    return items_ > 1 && run.count < UINT32_MAX &&
           groups <= traits_.most_items / static_cast<std::uint64_t>(items_for(run.count));
  }
  /// For run.lines * run.kept > 0.
  void launch(const SortCall& call) const;

 private:
  struct Pass;
  struct Choice;

  void sort(const SortCall& call, Pass pass) const;
  void sort_in_workspace(const SortCall& call) const;
  /// The next `choice.kept` elements of some lines.
  void choose(const SortCall& call, Choice choice) const;
  void start(const SortCall& call, const Choice& choice, plugin::Memory found,
             plugin::Memory candidates) const;
  std::int64_t items_for(std::int64_t count) const;

  const Traits& traits_;
  const std::uint64_t workspace_bytes_;
  const Program program_;
  const std::unique_ptr<Function> sort_tiles_, merge_runs_, take_, choose_;
  const std::int64_t items_, tile_;  // of a group: work-items, elements
};

/// The text's structs of the same names.
struct MergeSort::Pass {
  std::int64_t first_line, lines, tiles, size, most, word, in_index;
};
struct MergeSort::Choice {
  std::int64_t first_line, lines, count, pieces, piece, done, kept, is_first, is_last;
};

MergeSort::MergeSort(Backend& backend, std::uint8_t dtype, std::uint64_t workspace_limit_bytes)
    : traits_(backend.traits()),
      workspace_bytes_(kWorkspaceBytes <= workspace_limit_bytes ? kWorkspaceBytes : 0),
      program_(backend.build(merge_text_of(dtype, backend.traits()))),
      sort_tiles_(program_("sort_tiles")),
      merge_runs_(program_("merge_runs")),
      take_(program_("take")),
      choose_(program_("choose")),
      items_(std::min(size_of(backend.traits()),
                      static_cast<std::int64_t>(std::bit_floor(
                          std::min({sort_tiles_->max_group_size(), merge_runs_->max_group_size(),
                                    choose_->max_group_size()}))))),
      tile_(items_ * kEach) {}

std::int64_t MergeSort::items_for(std::int64_t count) const {
  const auto wanted =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(pieces(count, kEach))));
  return std::min(std::max(wanted, kLeastItems), items_);
}

void MergeSort::launch(const SortCall& call) const {
  const Run& run = call.run;
  if (run.count > tile_ && run.kept == run.count) {
    return sort(call, {0, run.lines, 0, 0, run.count, 0, /*in_index=*/1});
  }
  const std::int64_t most = run.count <= tile_ ? run.kept : tile_ / 2;
  if (pieces(run.kept, most) > kMostRounds && workspace_bytes_ != 0 && run.count <= kPairs) {
    return sort_in_workspace(call);
  }
  for (std::int64_t done = 0; done < run.kept; done += most) {
    choose(call, {0, run.lines, run.count, 0, 0, done, std::min(most, run.kept - done), 1, 0});
  }
}

void MergeSort::sort(const SortCall& call, Pass pass) const {
  const auto [out, index, a] = call.memory;
  const plugin::Memory words = pass.in_index != 0 ? index : call.workspace;
  pass.tiles = pieces(call.run.count, tile_);
  const auto start = [&](Function& function) {
    Arguments to;
    to.memory(words).memory(a).value(call.run).value(pass);
    function.launch(call.stream, call.name, grid_of(pass.lines * pass.tiles, items_), to);
    pass.word = 1 - pass.word;
  };
  start(*sort_tiles_);
  for (pass.size = tile_; pass.size < call.run.count; pass.size *= 2) start(*merge_runs_);
  Arguments to;
  to.memory(out).memory(index).memory(words).memory(a).value(call.run).value(pass);
  const auto group = std::min<std::uint64_t>(128, take_->max_group_size());
  take_->launch(call.stream, call.name,
                {{static_cast<std::uint64_t>(pass.lines * call.run.kept), 1, 1}, {group, 1, 1}},
                to);
}

void MergeSort::sort_in_workspace(const SortCall& call) const {
  const Run& run = call.run;
  const std::int64_t at_once = std::min(kPairs / run.count, run.lines);
  for (std::int64_t line = 0; line < run.lines; line += at_once) {
    sort(call, {line, std::min(at_once, run.lines - line), 0, 0, run.kept, 0, /*in_index=*/0});
  }
}

void MergeSort::choose(const SortCall& call, Choice choice) const {
  const auto pieces_of = [&](std::int64_t count) {
    const std::int64_t most =
        workspace_bytes_ == 0 ? 1 : std::min(kEnoughGroups, kMostPlaces / choice.kept);
    return std::clamp<std::int64_t>(most / choice.lines, 1,
                                    std::max<std::int64_t>(count / (kLeastTiles * tile_), 1));
  };
  plugin::Memory found = call.workspace, candidates = found;
  candidates.offset_bytes += static_cast<std::uint64_t>(kMostPlaces * kPlaceBytes);
  for (;;) {
    choice.piece = pieces(choice.count, pieces_of(choice.count));
    choice.pieces = pieces(choice.count, choice.piece);
    choice.is_last = choice.pieces == 1 ? 1 : 0;
    start(call, choice, found, candidates);
    if (choice.is_last != 0) return;
    choice.count = choice.pieces * choice.kept;
    choice.is_first = 0;
    std::swap(found, candidates);
  }
}

void MergeSort::start(const SortCall& call, const Choice& choice, plugin::Memory found,
                      plugin::Memory candidates) const {
  const auto [out, index, a] = call.memory;
  const bool has_workspace = workspace_bytes_ != 0;
  Arguments to;
  to.memory(out).memory(index).memory(has_workspace ? found : plugin::Memory{});
  to.memory(has_workspace ? candidates : plugin::Memory{}).memory(a).value(call.run).value(choice);
  choose_->launch(call.stream, call.name,
                  grid_of(choice.lines * choice.pieces, items_for(choice.piece)), to);
}

/// Arguments: out, index, a. Sorts all elements in `index`, then takes their values; fewer elements
/// are chosen one by one, because the others have no room. Accelerators do so for short lines.
class SortKernel final : public plugin::Kernel {
 public:
  SortKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : traits_(backend.traits()),
        dim_(static_cast<int>(plugin::Attributes(spec).integer("dim"))),
        descending_(plugin::Attributes(spec).integer("descending")),
        program_(backend.build(text_of(spec.arguments[2].dtype, backend.traits()))),
        sort_chunks_(program_("sort_chunks")),
        merge_far_(program_("merge_far")),
        take_(program_("take")),
        choose_(program_("choose")) {
    if (traits_.is_cpu) return;
    merge_sort_.emplace(backend, spec.arguments[2].dtype, spec.workspace_limit_bytes);
  }

  std::uint64_t workspace_bytes() const override {
    return merge_sort_ ? merge_sort_->workspace_bytes() : 0;
  }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    check_shapes(arguments, dim_);
    const Run run = run_of(arguments, dim_, descending_);
    if (run.lines * run.kept == 0) return;
    const Call call{stream, name.empty() ? "sort.1" : name, run, arguments};
    const bool is_short = run.count <= kChunk && run.kept == run.count;
    if (merge_sort_ && !is_short && merge_sort_->takes(run)) {
      return merge_sort_->launch(
          {stream, call.name, run, {call.memory(0), call.memory(1), call.memory(2)}, workspace});
    }
    if (run.kept < run.count) return choose(call);
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

    plugin::Memory memory(std::size_t i) const { return arguments[i].value.memory; }
    void launch(Function& function, std::uint64_t items, std::uint64_t group,
                const Arguments& to) const {
      function.launch(stream, name, {{items, 1, 1}, {group, 1, 1}}, to);
    }
  };

  /// Starts a group for each of so many chunks or lines, of `wanted` work-items if it can. The
  /// threads of a CPU sort and choose alone.
  void launch_groups(const Call& call, Function& function, std::int64_t count, std::uint64_t wanted,
                     const Arguments& to) const {
    const auto groups = static_cast<std::uint64_t>(count);
    const std::uint64_t most = traits_.is_cpu ? 1 : std::min(wanted, function.max_group_size());
    const std::uint64_t group = traits_.group_of(groups, most);
    call.launch(function, groups * group, group, to);
  }
  static std::uint64_t each_of(const Function& function) {
    return std::min<std::uint64_t>(64, function.max_group_size());
  }

  void sort_chunks(const Call& call, bool merges) const {
    Arguments to;
    to.memory(call.memory(1)).memory(call.memory(2)).value(call.run);
    to.value(std::int64_t{merges ? 1 : 0});
    launch_groups(call, *sort_chunks_, call.run.lines * call.run.chunks,
                  call.run.count <= kShort ? 16 : kChunk / 2, to);
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
    Arguments to;
    for (std::size_t i = 0; i < 3; ++i) to.memory(call.memory(i));
    to.value(call.run);
    launch_groups(call, *choose_, call.run.lines, 64, to);
  }

  const Traits& traits_;
  const int dim_;
  const std::int64_t descending_;
  const Program program_;
  const std::unique_ptr<Function> sort_chunks_, merge_far_, take_, choose_;
  std::optional<MergeSort> merge_sort_;  // of accelerators
};

}  // namespace

Prepared prepare_sort(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<SortKernel>(backend, spec);
}

}  // namespace patchbay::portable
