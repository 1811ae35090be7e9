// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/attributes.hpp"

#include "kCumsumText.text.h"
#include "kCumsumTilesText.text.h"
#include "kit/loop_nest.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kBlock = 128;  // cumsum.1 says so

/// The text's struct of the same name.
struct Run {
  std::int64_t lines = 1, count, blocks, reverse, out_step, a_step, rank;
  std::int64_t shape[PATCHBAY_MAX_RANK], strides[2][PATCHBAY_MAX_RANK];
};

Run run_of(const patchbay_argument& out, const patchbay_argument& a, int dim,
           std::int64_t reverse) {
  LoopNest<2> nest(2);
  for (int d = 0; d < a.rank; ++d) {
    if (d != dim) nest.add(a.shape[d], {out.strides[d], a.strides[d]});
  }
  nest.collapse();
  const std::int64_t count = a.shape[dim];
  Run run{1,  count, pieces(count, kBlock), reverse, out.strides[dim], a.strides[dim], nest.rank,
          {}, {}};
  for (int d = 0; d < nest.rank; ++d) {
    run.lines *= nest.shape[d];
    run.shape[d] = nest.shape[d];
    for (int k = 0; k < 2; ++k) run.strides[k][d] = nest.strides[k][d];
  }
  return run;
}

std::string types_of(std::uint8_t dtype) {
  return alias("T", element_type(dtype)) + alias("W", wrapping_type(dtype)) +
         define("BLOCK", kBlock);
}

Grid grid_of(std::int64_t items, std::uint64_t group) {
  return {{static_cast<std::uint64_t>(items), 1, 1}, {group, 1, 1}};
}

void check_shapes(const patchbay_argument& out, const patchbay_argument& a, int dim) {
  if (dim >= a.rank || a.rank != out.rank || !std::equal(a.shape, a.shape + a.rank, out.shape)) {
    plugin::invalid_argument("cumsum.1: expected dim and equal shapes");
  }
}

/// One work-item for each block, then one for each line, then one for each block again. If lines
/// have one block, the first launch is enough.
class SumsByItems {
 public:
  SumsByItems(Backend& backend, std::uint8_t dtype)
      : program_(backend.build(types_of(dtype) + kCumsumText)),
        sum_blocks_(program_("sum_blocks")),
        add_up_(program_("add_up")),
        add_before_(program_("add_before")) {}

  void launch(plugin::Stream& stream, std::string_view name, const Run& run, plugin::Memory out,
              plugin::Memory a) const {
    const auto start = [&](Function& function, std::int64_t items, const Arguments& to) {
      const std::uint64_t group = std::min<std::uint64_t>(64, function.max_group_size());
      function.launch(stream, name, grid_of(items, group), to);
    };
    Arguments both, result;
    both.memory(out).memory(a).value(run);
    start(*sum_blocks_, run.lines * run.blocks, both);
    if (run.blocks == 1) return;
    result.memory(out).value(run);
    start(*add_up_, run.lines, result);
    start(*add_before_, run.lines * (run.blocks - 1), result);
  }

 private:
  const Program program_;
  const std::unique_ptr<Function> sum_blocks_, add_up_, add_before_;
};

// For accelerators, where a group has a tile.
constexpr std::int64_t kTileBytes = 16384;  // of a large group
constexpr std::int64_t kChain = 1024;
constexpr std::uint64_t kItems = 128;
constexpr std::int64_t kManyLines = 4096, kSomeLines = 32;
constexpr std::uint64_t kSumsBytes = std::uint64_t{16} << 20;  // of the workspace

/// Reads a line's elements twice, and writes its blocks' sums in between.
class SumsByGroups {
 public:
  SumsByGroups(Backend& backend, std::uint8_t dtype, std::uint64_t workspace_limit_bytes)
      : traits_(backend.traits()),
        wide_((traits_.has_large_groups ? kTileBytes : kTileBytes / 2) / kBlock /
              static_cast<std::int64_t>(element_bytes(dtype))),
        most_blocks_(kSumsBytes <= workspace_limit_bytes
                         ? static_cast<std::int64_t>(kSumsBytes / element_bytes(dtype))
                         : 0),
        program_(backend.build(types_of(dtype) + define("WIDE", wide_) + define("CHAIN", kChain) +
                               kCumsumTilesText)),
        sum_blocks_(program_("sum_blocks")),
        add_up_(program_("add_up")),
        add_before_(program_("add_before")) {}

  std::uint64_t workspace_bytes() const { return most_blocks_ != 0 ? kSumsBytes : 0; }

  /// Otherwise neighbouring work-items should have neighbouring lines, or there is no room.
  bool takes(const Run& run) const {
    if (run.lines >= kManyLines && run.blocks == 1) return false;
    if (run.lines >= kSomeLines && run.a_step != 1) return false;
    return run.blocks <= wide_ || run.lines * run.blocks <= most_blocks_;
  }

  void launch(plugin::Stream& stream, std::string_view name, const Run& run, plugin::Memory out,
              plugin::Memory a, plugin::Memory workspace) const {
    const std::int64_t tiles = pieces(run.blocks, wide_);
    const auto start = [&](Function& function, std::int64_t groups, const Arguments& to) {
      const std::uint64_t group = traits_.group_of(static_cast<std::uint64_t>(groups),
                                                   std::min(kItems, function.max_group_size()));
      function.launch(stream, name, grid_of(groups * static_cast<std::int64_t>(group), group), to);
    };
    if (tiles > 1) {
      Arguments both, sums;
      both.memory(workspace).memory(a).value(run);
      start(*sum_blocks_, run.lines * tiles, both);
      sums.memory(workspace).value(run);
      start(*add_up_, run.lines, sums);
    }
    Arguments to;
    to.memory(out).memory(a).memory(workspace).value(run);
    start(*add_before_, run.lines * tiles, to);
  }

 private:
  const Traits& traits_;
  const std::int64_t wide_, most_blocks_;
  const Program program_;
  const std::unique_ptr<Function> sum_blocks_, add_up_, add_before_;
};

/// Arguments: out, a.
class CumsumKernel final : public plugin::Kernel {
 public:
  CumsumKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : dim_(static_cast<int>(plugin::Attributes(spec).integer("dim"))),
        reverse_(plugin::Attributes(spec).integer("reverse")),
        by_items_(backend, spec.arguments[0].dtype) {
    if (backend.traits().is_cpu) return;
    by_groups_.emplace(backend, spec.arguments[0].dtype, spec.workspace_limit_bytes);
  }

  std::uint64_t workspace_bytes() const override {
    return by_groups_ ? by_groups_->workspace_bytes() : 0;
  }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    const patchbay_argument &out = arguments[0], &a = arguments[1];
    check_shapes(out, a, dim_);
    const Run run = run_of(out, a, dim_, reverse_);
    if (run.lines * run.count == 0) return;
    const std::string_view shown = name.empty() ? "cumsum.1" : name;
    if (by_groups_ && by_groups_->takes(run)) {
      by_groups_->launch(stream, shown, run, out.value.memory, a.value.memory, workspace);
    } else {
      by_items_.launch(stream, shown, run, out.value.memory, a.value.memory);
    }
  }

 private:
  const int dim_;
  const std::int64_t reverse_;
  const SumsByItems by_items_;
  std::optional<SumsByGroups> by_groups_;
};

}  // namespace

Prepared prepare_cumsum(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<CumsumKernel>(backend, spec);
}

}  // namespace patchbay::portable
