// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "patchbay/plugin/kit/attributes.hpp"

#include "kGatherText.text.h"
#include "kScatterAddText.text.h"
#include "kit/loop_nest.hpp"
#include "kit/portable/dtypes.hpp"
#include "kit/portable/families.hpp"
#include "kit/portable/text.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kCpuRun = 64;  // elements or places of a CPU's work-item
constexpr std::int64_t kMostSingleItems = 1024;
constexpr std::int64_t kMostParts = 256;

std::int64_t run_of(const Traits& traits) { return traits.is_cpu ? kCpuRun : 1; }
/// The number of work-items that keeps a device busy.
std::int64_t enough_items(const Traits& traits) { return traits.is_cpu ? 64 : 8192; }

/// CPU threads share groups, so few items get a group each.
Grid grid_of(std::int64_t items, const Traits& traits, const Function& function) {
  const std::uint64_t group = !traits.is_cpu ? 256 : items <= kMostSingleItems ? 1 : 64;
  return {{static_cast<std::uint64_t>(items), 1, 1},
          {std::min(group, function.max_group_size()), 1, 1}};
}

/// An unsigned type of that size, because the elements are only copied.
std::string_view moved_type(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1: return "u8";
    case 2: return "u16";
    case 4: return "u32";
    default: return "u64";
  }
}

/// A NaN, or 0 for integers and bools.
std::uint64_t missing_bits(std::uint8_t dtype) {
  static_assert(PATCHBAY_SET_FLOATS ==
                (PATCHBAY_SET_WIDE_FLOATS | PATCHBAY_BIT(F16) | PATCHBAY_BIT(BF16)));
  if (dtype == PATCHBAY_F32)
    return std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
  if (dtype == PATCHBAY_F64)
    return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
  if (dtype == PATCHBAY_F16) return 0x7e00;
  return dtype == PATCHBAY_BF16 ? 0x7fc0 : 0;
}

std::string gather_text(std::uint8_t dtype, std::uint8_t index, const Traits& traits) {
  return alias("T", moved_type(element_bytes(dtype))) + alias("INDEX", element_type(index)) +
         define("RUN", run_of(traits)) + kGatherText;
}
std::string scatter_add_text(std::uint8_t dtype, std::uint8_t index, const Traits& traits) {
  return alias("T", element_type(dtype)) + alias("W", wrapping_type(dtype)) +
         alias("INDEX", element_type(index)) + define("RUN", run_of(traits)) + kScatterAddText;
}

void check_shapes(std::string_view op, const patchbay_argument& elements,
                  const patchbay_argument& table, const patchbay_argument& index, int dim) {
  bool fits = elements.rank == index.rank && table.rank == index.rank && dim < index.rank;
  for (int d = 0; fits && d < index.rank; ++d) {
    fits = elements.shape[d] == index.shape[d] && (d == dim || table.shape[d] == index.shape[d]);
  }
  if (!fits) plugin::invalid_argument(std::string(op) + ": the shapes do not fit along dim");
}

/// The kernels' struct of the same name for gather, with operands out, a, index.
struct LookupRun {
  std::int64_t items, extent, step, rank;
  std::int64_t shape[PATCHBAY_MAX_RANK];
  std::int64_t strides[3][PATCHBAY_MAX_RANK];
};
/// The struct Run of scatter_add, with operands out, index, source.
struct AdditionRun {
  std::int64_t items, extent, step, count, index_step, source_step, parts, part, rank;
  std::int64_t shape[PATCHBAY_MAX_RANK];
  std::int64_t strides[3][PATCHBAY_MAX_RANK];
};

using IndexNest = LoopNest<3>;

template <class Run>
void set_nest(Run& run, IndexNest nest) {
  nest.collapse();
  nest.pad(1);
  run.rank = nest.rank;
  for (int d = 0; d < nest.rank; ++d) {
    run.shape[d] = nest.shape[d];
    for (std::size_t k = 0; k < 3; ++k) run.strides[k][d] = nest.strides[k][d];
  }
}

/// The number of work-items, each of which takes a run of the last dimension.
template <class Run>
std::int64_t num_runs(const Run& run, const Traits& traits) {
  std::int64_t items = pieces(run.shape[run.rank - 1], run_of(traits));
  for (std::int64_t d = 0; d + 1 < run.rank; ++d) items *= run.shape[d];
  return items;
}

LookupRun lookup_of(plugin::Arguments arguments, int dim, const Traits& traits) {
  const patchbay_argument &out = arguments[0], &a = arguments[1], &index = arguments[2];
  LookupRun run{};
  run.extent = a.shape[dim];
  run.step = a.strides[dim];
  IndexNest nest(3);
  for (int d = 0; d < out.rank; ++d) {
    nest.add(out.shape[d], {out.strides[d], d == dim ? 0 : a.strides[d], index.strides[d]});
  }
  set_nest(run, nest);
  run.items = num_runs(run, traits);
  return run;
}

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

int dim_of(const patchbay_kernel_spec& spec) {
  return static_cast<int>(plugin::Attributes(spec).integer("dim"));
}

/// Arguments: out, a, index.
class GatherKernel final : public plugin::Kernel {
 public:
  GatherKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : traits_(backend.traits()),
        dim_(dim_of(spec)),
        missing_(missing_bits(spec.arguments[0].dtype)),
        element_bytes_(element_bytes(spec.arguments[0].dtype)),
        program_(
            backend.build(gather_text(spec.arguments[0].dtype, spec.arguments[2].dtype, traits_))),
        gather_(program_("gather")) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    check_shapes("gather.1", arguments[0], arguments[1], arguments[2], dim_);
    const LookupRun run = lookup_of(arguments, dim_, traits_);
    if (run.items == 0) return;
    Arguments to;
    for (std::size_t k = 0; k < 3; ++k) to.memory(arguments[k].value.memory);
    to.bytes(&missing_, element_bytes_).value(run);
    gather_->launch(stream, name.empty() ? "gather.1" : name, grid_of(run.items, traits_, *gather_),
                    to);
  }

 private:
  const Traits& traits_;
  const int dim_;
  const std::uint64_t missing_;  // the bits of what is not there
  const std::size_t element_bytes_;
  const Program program_;
  const std::unique_ptr<Function> gather_;
};

/// Arguments: out, index, source. A work-item meets the indices of its place in their order,
/// and adds those that are in its part of out: every index is read once for each part.
class ScatterAddKernel final : public plugin::Kernel {
 public:
  ScatterAddKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : traits_(backend.traits()),
        dim_(dim_of(spec)),
        program_(backend.build(
            scatter_add_text(spec.arguments[0].dtype, spec.arguments[1].dtype, traits_))),
        add_(program_("scatter_add")) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    check_shapes("scatter_add.1", arguments[2], arguments[0], arguments[1], dim_);
    const AdditionRun run = addition_of(arguments, dim_, traits_);
    if (run.items == 0 || run.count == 0) return;
    Arguments to;
    for (std::size_t k = 0; k < 3; ++k) to.memory(arguments[k].value.memory);
    to.value(run);
    add_->launch(stream, name.empty() ? "scatter_add.1" : name, grid_of(run.items, traits_, *add_),
                 to);
  }

 private:
  const Traits& traits_;
  const int dim_;
  const Program program_;
  const std::unique_ptr<Function> add_;
};

}  // namespace

Prepared prepare_gather(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<GatherKernel>(backend, spec);
}

Prepared prepare_scatter_add(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<ScatterAddKernel>(backend, spec);
}

}  // namespace patchbay::portable
