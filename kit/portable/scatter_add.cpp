// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Adds elements to others by index, in the order of the index.
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "kScatterAddSortedText.text.h"
#include "kScatterAddText.text.h"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/families.hpp"
#include "kit/portable/lookups.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kMostParts = 256;
constexpr std::int64_t kLeastSorted = 1024;  // indices along dim; fewer are not sorted
constexpr std::int64_t kDigits = 256;        // of scatter_add_sorted.pbk
constexpr int kDigitBits = 8;
constexpr std::int64_t kLeastChunk = 32, kMostChunks = 4096;  // of additions that a work-item sorts
constexpr std::int64_t kSlice = 512;                          // counts that a work-item adds up
constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{16} << 20;

/// The number of work-items that keeps a device busy.
std::int64_t enough_items(const Traits& traits) { return traits.is_cpu ? 64 : 8192; }

std::string types_of(const patchbay_kernel_spec& spec) {
  const std::uint8_t dtype = spec.arguments[0].dtype;
  return alias("T", element_type(dtype)) + alias("W", wrapping_type(dtype)) +
         alias("INDEX", element_type(spec.arguments[1].dtype));
}

/// The struct Run of scatter_add, with operands out, index, source.
struct AdditionRun {
  std::int64_t items, extent, step, count, index_step, source_step, parts, part, rank;
  std::int64_t shape[PATCHBAY_MAX_RANK];
  std::int64_t strides[3][PATCHBAY_MAX_RANK];
};

AdditionRun addition_of(plugin::Arguments arguments, int dim, const Traits& traits) {
  const patchbay_argument &out = arguments[0], &index = arguments[1], &source = arguments[2];
  AdditionRun run{};
  run.extent = out.shape[dim];
  run.step = out.strides[dim];
  run.count = index.shape[dim];
  run.index_step = index.strides[dim];
  run.source_step = source.strides[dim];
  IndexNest rest(3);
  for (int d = 0; d < index.rank; ++d) {
    if (d == dim) continue;
    rest.add(index.shape[d], {out.strides[d], index.strides[d], source.strides[d]});
  }
  set_nest(run, rest);
  const std::int64_t runs = num_runs(run, traits);
  const std::int64_t wanted = enough_items(traits) / std::max<std::int64_t>(runs, 1);
  run.parts = std::clamp<std::int64_t>(std::min(wanted, run.extent), 1, kMostParts);
  run.part = pieces(run.extent, run.parts);
  run.items = runs * run.parts;
  return run;
}

// ------------------------------------------------------------------------ sorted additions ---

/// The struct of scatter_add_sorted.pbk: dimensions with the strides of out, index and source.
struct Places {
  std::int64_t rank, count;
  std::int64_t shape[PATCHBAY_MAX_RANK];
  std::int64_t strides[3][PATCHBAY_MAX_RANK];
};

/// The struct of the same name.
struct Sorting {
  std::int64_t extent, step, index_step, source_step;
  std::int64_t first, size, shift;
  std::int64_t chunk, chunks, slice, slices;
  Places lists, lanes;
};

Places places_of(const IndexNest& nest) {
  Places places{};
  places.count = nest.num_elements();
  set_nest(places, nest);
  return places;
}

/// Sorts and adds at once so many additions as the workspace can sort.
class SortedAdditions {
 public:
  SortedAdditions(const Backend& backend, const std::string& types)
      : traits_(backend.traits()), program_(backend.build(types + kScatterAddSortedText)) {}

  /// Whether there are many additions, and few enough elements for keys of 32 bits.
  static bool takes(const patchbay_argument& out, const patchbay_argument& index, int dim) {
    if (index.shape[dim] < kLeastSorted) return false;
    std::int64_t elements = out.shape[dim];
    for (int d = 0; d < index.rank; ++d) {
      const std::int64_t size = d == dim || index.strides[d] == 0 ? 1 : index.shape[d];
      if (size != 0 && elements >= UINT32_MAX / size) return false;
      elements *= size;
    }
    return true;
  }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, int dim,
              plugin::Memory workspace, std::string_view name) const {
    const patchbay_argument &out = arguments[0], &index = arguments[1], &source = arguments[2];
    IndexNest lists(3), lanes(3);
    for (int d = 0; d < index.rank; ++d) {
      if (d == dim) continue;
      IndexNest& to = index.strides[d] == 0 ? lanes : lists;
      to.add(index.shape[d], {out.strides[d], index.strides[d], source.strides[d]});
    }
    Sorting run{};
    run.lists = places_of(lists);
    run.lanes = places_of(lanes);
    run.extent = out.shape[dim];
    if (run.lists.count == 0 || run.lanes.count == 0) return;
    run.step = out.strides[dim];
    run.index_step = index.strides[dim];
    run.source_step = source.strides[dim];
    const std::int64_t all = index.shape[dim] * run.lists.count;
    for (; run.first < all; run.first += run.size) {
      run.size = std::min(all - run.first, kMostAdditions);
      launch_part(stream, arguments, run, workspace, name);
    }
  }

 private:
  // An addition has three numbers: two orders and its key. The counts come before them.
  static constexpr std::int64_t kCountBytes = 4 * kDigits * kMostChunks;
  static constexpr std::int64_t kSumBytes = kCountBytes / kSlice;
  static constexpr std::int64_t kMostAdditions =
      (static_cast<std::int64_t>(kWorkspaceBytes) - kCountBytes - kSumBytes) / 12;

  void launch_part(plugin::Stream& stream, plugin::Arguments arguments, Sorting run,
                   plugin::Memory workspace, std::string_view name) const {
    const auto at = [&](std::int64_t bytes) {
      return plugin::Memory{workspace.base,
                            workspace.offset_bytes + static_cast<std::uint64_t>(bytes)};
    };
    run.chunk = std::max(kLeastChunk, pieces(run.size, kMostChunks));
    run.chunks = pieces(run.size, run.chunk);
    run.slice = kSlice;
    run.slices = pieces(run.chunks * kDigits, kSlice);
    const plugin::Memory counts = workspace, sums = at(kCountBytes),
                         index = arguments[1].value.memory, keys = at(kCountBytes + kSumBytes);
    plugin::Memory order = at(kCountBytes + kSumBytes + 4 * kMostAdditions),
                   sorted = at(kCountBytes + kSumBytes + 8 * kMostAdditions);
    const auto start = [&](const std::unique_ptr<Function>& function, std::int64_t items,
                           std::initializer_list<plugin::Memory> buffers) {
      Arguments to;
      for (const plugin::Memory& buffer : buffers) to.memory(buffer);
      to.value(run);
      function->launch(stream, name, grid_of(items, traits_, *function), to);
    };
    const auto bits = static_cast<std::int64_t>(
        std::bit_width(static_cast<std::uint64_t>(run.lists.count * run.extent)));
    for (run.shift = 0; run.shift < bits; run.shift += kDigitBits) {
      start(count_, run.chunks, {counts, order, index});
      start(sums_, run.slices, {counts, sums});
      start(starts_, run.slices, {counts, sums});
      start(place_, run.chunks, {counts, order, sorted, keys, index});
      std::swap(order, sorted);
    }
    start(add_, run.size * run.lanes.count,
          {arguments[0].value.memory, arguments[2].value.memory, order, keys});
  }

  std::unique_ptr<Function> function(std::string_view name) { return program_(name); }

  const Traits& traits_;
  const Program program_;
  const std::unique_ptr<Function> count_ = function("count"), sums_ = function("sums"),
                                  starts_ = function("starts"), place_ = function("place"),
                                  add_ = function("add");
};

/// Arguments: out, index, source. A work-item meets the indices of its place in their order,
/// and adds those that are in its part of out: every index is read once for each part. On
/// accelerators many additions are sorted instead.
class ScatterAddKernel final : public plugin::Kernel {
 public:
  ScatterAddKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : backend_(backend),
        traits_(backend.traits()),
        dim_(dim_of(spec)),
        types_(types_of(spec)),
        sorts_(!traits_.is_cpu && spec.workspace_limit_bytes >= kWorkspaceBytes),
        program_(backend.build(types_ + define("RUN", run_of(traits_)) + kScatterAddText)),
        add_(program_("scatter_add")) {}

  std::uint64_t workspace_bytes() const override { return sorts_ ? kWorkspaceBytes : 0; }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    check_shapes("scatter_add.1", arguments[2], arguments[0], arguments[1], dim_);
    const std::string_view shown = name.empty() ? "scatter_add.1" : name;
    if (sorts_ && SortedAdditions::takes(arguments[0], arguments[1], dim_)) {
      return sorted().launch(stream, arguments, dim_, workspace, shown);
    }
    const AdditionRun run = addition_of(arguments, dim_, traits_);
    if (run.items == 0 || run.count == 0) return;
    Arguments to;
    for (std::size_t k = 0; k < 3; ++k) to.memory(arguments[k].value.memory);
    to.value(run);
    add_->launch(stream, shown, grid_of(run.items, traits_, *add_), to);
  }

 private:
  const SortedAdditions& sorted() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sorted_ == nullptr) sorted_ = std::make_unique<SortedAdditions>(backend_, types_);
    return *sorted_;
  }

  const Backend& backend_;
  const Traits& traits_;
  const int dim_;
  const std::string types_;
  const bool sorts_;
  const Program program_;
  const std::unique_ptr<Function> add_;
  std::mutex mutex_;
  std::unique_ptr<SortedAdditions> sorted_;  // built when it is needed
};

}  // namespace

Prepared prepare_scatter_add(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<ScatterAddKernel>(backend, spec);
}

}  // namespace patchbay::portable
