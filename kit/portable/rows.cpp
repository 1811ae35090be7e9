// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax and normalization. A group of work-items has a row; on CPUs each work-item has one.
#include "kit/rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "kDivisorText.text.h"
#include "kGroupsText.text.h"
#include "kNormalizeText.text.h"
#include "kSoftmaxText.text.h"
#include "kit/portable/base/divisor.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/gemm_problem.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"

namespace patchbay::portable {
namespace {

constexpr std::uint64_t kGroupItems = 64;
constexpr std::int64_t kMostSingleItems = 1024;
constexpr std::int64_t kLeastGroup = 32;   // where groups have several work-items
constexpr std::int64_t kEnoughRows = 512;  // for an accelerator to be busy with small groups

/// The work-items of the texts: few with vectors on CPUs, many with packs of neighbouring elements
/// elsewhere, of which they keep `kept`, or `most_kept` of one operand if that is a whole row.
struct Widths {
  std::int64_t size, lanes, wide, kept, most_kept;
  const Traits* traits;

  /// The elements of KEPT packs.
  std::int64_t each() const { return lanes * kept; }
};
Widths widths_of(const Traits& traits, std::int64_t lanes_of_cpu, std::uint8_t dtype) {
  if (traits.is_cpu) return {1, lanes_of_cpu, 16, 1, 1, &traits};
  const std::size_t bytes = element_bytes(dtype);
  const std::int64_t lanes = traits.pack_of(bytes), elements = bytes > 4 ? 8 : 16;
  return {256, lanes, 1, elements / lanes, 2 * elements / lanes, &traits};
}

/// The definitions of both texts, and what they follow.
std::string with_widths(const Widths& widths, const Traits& traits) {
  return define("WIDTH", widths.size == 1 ? 1 : traits.sub_group_width) + kGroupsText +
         define("SIZE", widths.size) + define("LANES", widths.lanes) + define("WIDE", widths.wide) +
         define("KEPT", widths.kept) + define("MOST_KEPT", widths.most_kept);
}

/// The type of sums: f64 if the device supports it.
std::string sums_type(std::uint8_t dtype, const Traits& traits) {
  return traits.has_f64 ? "f64" : value_type(dtype);
}

std::int64_t num_elements(const patchbay_argument& tensor) {
  std::int64_t n = 1;
  for (int d = 0; d < tensor.rank; ++d) n *= tensor.shape[d];
  return n;
}

/// The grid for `rows` rows of `length` elements: a group for each row, as large as the row can use
/// if a work-item keeps `each` of its elements, or on CPUs a work-item for each row.
Grid grid_of(std::int64_t rows, std::int64_t length, std::int64_t each, const Widths& widths,
             const Function& function) {
  const auto num_rows = static_cast<std::uint64_t>(rows);
  if (widths.size == 1) {
    const std::uint64_t group = rows <= kMostSingleItems ? 1 : kGroupItems;
    return {{num_rows, 1, 1}, {std::min(group, function.max_group_size()), 1, 1}};
  }
  std::uint64_t group = 1;
  const std::uint64_t most =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(widths.size), function.max_group_size());
  while (group * 2 <= most &&
         (group < kLeastGroup || static_cast<std::int64_t>(group) * each < length)) {
    group *= 2;
  }
  group = widths.traits->group_of(num_rows, group);
  return {{num_rows * group, 1, 1}, {group, 1, 1}};
}

/// The grid of kernels that keep KEPT packs.
Grid grid_of(std::int64_t rows, std::int64_t length, const Widths& widths,
             const Function& function) {
  return grid_of(rows, length, widths.each(), widths, function);
}

/// What computes rows. A work-item of the kernel `name` keeps KEPT packs. With a kernel
/// `long_<name>`, which only accelerators have, that is for rows of more than MOST_KEPT packs for
/// each work-item, and the other keeps MOST_KEPT.
class RowFunctions {
 public:
  RowFunctions(const Program& program, const std::string& name, const Widths& widths, bool has_long)
      : widths_(widths),
        whole_(program(name)),
        long_(has_long && widths.size != 1 ? program("long_" + name) : nullptr) {}

  void launch(plugin::Stream& stream, std::string_view name, std::int64_t rows, std::int64_t length,
              const Arguments& to) const {
    const std::int64_t most = widths_.lanes * (long_ == nullptr ? widths_.kept : widths_.most_kept);
    // If there are few rows, each gets more work-items.
    const std::int64_t each = rows < kEnoughRows ? widths_.each() : most;
    const Grid grid = grid_of(rows, length, each, widths_, *whole_);
    if (long_ == nullptr || length <= static_cast<std::int64_t>(grid.group[0]) * most) {
      whole_->launch(stream, name, grid, to);
    } else {
      long_->launch(stream, name, grid_of(rows, length, widths_, *long_), to);
    }
  }

 private:
  const Widths widths_;
  const std::unique_ptr<Function> whole_, long_;
};

/// The grid for work-items that have columns of their own.
Grid grid_of_columns(std::int64_t items, const Function& function) {
  return {{static_cast<std::uint64_t>(items), 1, 1},
          {std::min(kGroupItems, function.max_group_size()), 1, 1}};
}

// ------------------------------------------------------------------------------- softmax ---

/// Arguments: out and a; or out, grad and y.
class SoftmaxKernel final : public plugin::Kernel {
 public:
  SoftmaxKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : op_(plugin::from_abi(spec.op)),
        widths_(widths_of(backend.traits(), 256, spec.arguments[0].dtype)),
        program_(backend.build(text_of(spec, backend.traits(), widths_))),
        rows_(program_, is_adjoint(spec) ? "adjoint_rows" : "rows", widths_, !is_adjoint(spec)),
        columns_(program_(is_adjoint(spec) ? "adjoint_columns" : "columns")) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const Slices sizes = slices_of(op_, arguments);
    if (sizes.num_elements() == 0) return;
    Arguments to;
    for (const patchbay_argument& argument : arguments) to.memory(argument.value.memory);
    to.value(sizes);
    const std::string_view shown = name.empty() ? op_ : name;
    if (sizes.inner == 1) {
      rows_.launch(stream, shown, sizes.outer, sizes.n, to);
    } else {
      const std::int64_t strips = pieces(sizes.inner, widths_.wide);
      columns_->launch(stream, shown, grid_of_columns(sizes.outer * strips, *columns_), to);
    }
  }

 private:
  static bool is_adjoint(const patchbay_kernel_spec& spec) { return spec.num_arguments == 3; }
  static std::string text_of(const patchbay_kernel_spec& spec, const Traits& traits,
                             const Widths& widths) {
    const std::uint8_t dtype = spec.arguments[0].dtype;
    return conversions_of(dtype, traits) + gemm_definitions(dtype) +
           alias("ACC", sums_type(dtype, traits)) +
           define("LOGARITHM", plugin::Attributes(spec).integer("logarithm")) +
           define("SUMS", traits.is_cpu ? 16 : 4) + with_widths(widths, traits) +
           std::string(kSoftmaxText);
  }

  const std::string op_;
  const Widths widths_;
  const Program program_;
  const RowFunctions rows_;
  const std::unique_ptr<Function> columns_;
};

// ------------------------------------------------------------------------- normalization ---

/// The text's struct `Sizes`.
struct Extents {
  std::int64_t s, g, e, o;
  Divisor by_packs;
};

/// A sum in pieces of so many packs.
struct Division {
  std::int64_t pieces, piece_packs;
};
constexpr std::int64_t kEnoughPieces = 512;  // of all sums together
constexpr std::int64_t kLeastUnits = 4;  // of a group: a shorter sum isn't worth a second launch

// For weights that have one element of each row.
constexpr std::int64_t kColumnPacks = 16;  // side by side in a group
constexpr std::int64_t kEnoughGroups = 512, kLeastRows = 64;
static_assert(kEnoughPieces <= kEnoughGroups * kColumnPacks);

/// The workspace for so many accumulators; 0 if there is none.
std::uint64_t workspace_of(const patchbay_kernel_spec& spec, const Traits& traits,
                           std::int64_t accumulators) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(accumulators) * sizeof(double);
  return traits.is_cpu || bytes > spec.workspace_limit_bytes ? 0 : bytes;
}

bool is_tensor(const patchbay_kernel_spec& spec, std::uint32_t argument) {
  return argument < spec.num_arguments && spec.arguments[argument].kind == PATCHBAY_TENSOR;
}

/// What the three kernels share. From argument `first_number` on, arguments may be numbers: a
/// weight, a bias, and epsilon, which is the last.
class NormalizeKernel : public plugin::Kernel {
 public:
  NormalizeKernel(Backend& backend, const patchbay_kernel_spec& spec, std::uint32_t first_number)
      : plan_(spec),
        dtype_(spec.arguments[0].dtype),
        widths_(widths_of(backend.traits(), 16, dtype_)),
        first_number_(first_number),
        program_(backend.build(text_of(spec, backend.traits()))) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    const Normalization sizes = plan_.of(arguments);
    if (num_elements(arguments[0]) == 0) return;
    Arguments to;
    for (std::size_t i = 0; i < 6; ++i) add_memory(to, arguments[i], arguments[0]);
    to.value(extents_of(sizes));
    for (std::size_t i = first_number_; i < 7; ++i) add_number(to, arguments[i]);
    compute({stream, name.empty() ? plan_.op() : name, sizes, arguments, workspace}, to);
  }

 protected:
  struct Launch {
    plugin::Stream& stream;
    std::string_view name;
    const Normalization& sizes;
    plugin::Arguments arguments;
    plugin::Memory workspace;
  };
  virtual void compute(const Launch& launch, Arguments& to) const = 0;

  const Program& program() const { return program_; }
  std::unique_ptr<Function> function(std::string_view name) const { return program_(name); }

  /// Adds a buffer; one is needed for numbers and for operands without elements too.
  static void add_memory(Arguments& to, const patchbay_argument& argument,
                         const patchbay_argument& otherwise) {
    const bool has = argument.kind == PATCHBAY_TENSOR && num_elements(argument) != 0;
    to.memory((has ? argument : otherwise).value.memory);
  }
  /// Adds the number itself, or any for a tensor.
  void add_number(Arguments& to, const patchbay_argument& scalar) const {
    const std::uint64_t bits = scalar.kind == PATCHBAY_TENSOR ? 0 : scalar.value.bits;
    to.bytes(&bits, static_cast<std::size_t>(patchbay::element_bytes(dtype_)));
  }

  /// Only statistics of several segments and the runs of weights are divided; both have segments of
  /// `o` elements.
  Extents extents_of(const Normalization& sizes) const {
    const std::int64_t packs = std::max(pieces(sizes.o, widths_.lanes), std::int64_t{1});
    return {sizes.s, sizes.g, sizes.e, sizes.o, divisor_of(packs, sizes.s * packs)};
  }
  /// On accelerators, the packs of `segments` of so many elements.
  std::int64_t packs_of(std::int64_t segments, std::int64_t length) const {
    return segments * pieces(length, widths_.lanes);
  }
  /// How few sums of so many packs each are shared among more groups; the pieces are not empty.
  Division divide(std::int64_t sums, std::int64_t packs) const {
    const std::int64_t units = pieces(packs, widths_.size * widths_.kept);
    const std::int64_t wanted = std::min(kEnoughPieces / sums, units);
    Division all{1, packs};
    if (units < kLeastUnits || wanted < 2) return all;
    all.piece_packs = pieces(units, wanted) * widths_.size * widths_.kept;
    all.pieces = pieces(packs, all.piece_packs);
    return all;
  }

  const NormalizationPlan plan_;
  const std::uint8_t dtype_;
  const Widths widths_;

 private:
  std::string text_of(const patchbay_kernel_spec& spec, const Traits& traits) const {
    const plugin::Attributes given(spec);
    const bool is_weight = plan_.op() == "normalize_weight.1";
    const bool is_input = plan_.op() == "normalize_input.1";
    const bool widens = sums_type(dtype_, traits) != value_type(dtype_);
    return alias("T", value_type(dtype_)) + alias("ACC", sums_type(dtype_, traits)) +
           define("WIDENS", widens ? 1 : 0) +
           define("CENTERED", is_weight ? 1 : given.integer("centered")) +
           define("BATCH", is_input ? 0 : given.integer("batch")) +
           define("HAS_WEIGHT", is_tensor(spec, first_number_) ? 1 : 0) +
           define("HAS_BIAS", !is_input && is_tensor(spec, first_number_ + 1) ? 1 : 0) +
           with_widths(widths_, traits) + kDivisorText + std::string(kNormalizeText);
  }

  const std::uint32_t first_number_;
  const Program program_;
};

/// Arguments: out, mean, variance, a, weight, bias, epsilon.
class ForwardKernel final : public NormalizeKernel {
 public:
  ForwardKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : NormalizeKernel(backend, spec, 4),
        workspace_bytes_(workspace_of(spec, backend.traits(), 3 * kEnoughPieces)),
        rows_(program(), "normalize", widths_, true),
        moments_(workspace_bytes_ == 0 ? nullptr : function("moments")),
        pieces_(workspace_bytes_ == 0 ? nullptr : function("normalize_pieces")) {}

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  void compute(const Launch& launch, Arguments& to) const override {
    const Normalization& sizes = launch.sizes;
    const std::int64_t length = sizes.batch != 0 ? sizes.o : sizes.e * sizes.o;
    const std::int64_t statistics = sizes.num_statistics();
    if (widths_.size == 1) return rows_.launch(launch.stream, launch.name, statistics, length, to);
    const std::int64_t packs = packs_of(sizes.batch != 0 ? sizes.s : 1, length);
    if (workspace_bytes_ != 0) {
      const Division all = divide(statistics, packs);
      if (all.pieces > 1) return compute_pieces(launch, all, to);
    }
    rows_.launch(launch.stream, launch.name, statistics, packs * widths_.lanes, to);
  }
  void compute_pieces(const Launch& launch, const Division& all, Arguments& to) const {
    const Normalization& sizes = launch.sizes;
    const std::int64_t groups = sizes.num_statistics() * all.pieces, length = INT64_MAX;
    const auto count = static_cast<std::int32_t>(all.pieces);
    Arguments first;
    first.memory(launch.workspace).memory(launch.arguments[3].value.memory);
    first.value(extents_of(sizes)).value(count).value(all.piece_packs);
    moments_->launch(launch.stream, launch.name, grid_of(groups, length, widths_, *moments_),
                     first);
    to.memory(launch.workspace).value(count).value(all.piece_packs);
    pieces_->launch(launch.stream, launch.name, grid_of(groups, length, widths_, *pieces_), to);
  }

  const std::uint64_t workspace_bytes_;
  const RowFunctions rows_;
  const std::unique_ptr<Function> moments_, pieces_;
};

/// Arguments: out, grad, a, mean, variance, weight, epsilon.
class InputKernel final : public NormalizeKernel {
 public:
  InputKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : NormalizeKernel(backend, spec, 5), function_(function("normalize_input")) {}

 private:
  void compute(const Launch& launch, Arguments& to) const override {
    const Normalization& sizes = launch.sizes;
    function_->launch(launch.stream, launch.name,
                      grid_of(sizes.num_statistics(), sizes.e * sizes.o, widths_, *function_), to);
  }

  const std::unique_ptr<Function> function_;
};

/// Arguments: out, bias, grad, a, mean, variance, epsilon.
class WeightKernel final : public NormalizeKernel {
 public:
  WeightKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : NormalizeKernel(backend, spec, 6),
        workspace_bytes_(
            workspace_of(spec, backend.traits(), 2 * kEnoughGroups * kColumnPacks * widths_.lanes)),
        runs_(function("weight_runs")),
        finish_(workspace_bytes_ == 0 ? nullptr : function("weight_finish")),
        columns_(function("weight_columns")) {}

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  void compute(const Launch& launch, Arguments& to) const override {
    const Normalization& sizes = launch.sizes;
    if (sizes.o == 1 && sizes.batch == 0) return compute_columns(launch, to);
    const std::int64_t weights = sizes.g * sizes.e;
    if (widths_.size == 1) {
      runs_->launch(launch.stream, launch.name, grid_of(weights, sizes.o, widths_, *runs_), to);
      return;
    }
    const std::int64_t packs = packs_of(sizes.s, sizes.o);
    const Division all = workspace_bytes_ == 0 ? Division{1, packs} : divide(weights, packs);
    const auto count = static_cast<std::int32_t>(all.pieces);
    to.memory(launch.workspace).value(count).value(all.piece_packs);
    runs_->launch(launch.stream, launch.name,
                  grid_of(weights * all.pieces, packs * widths_.lanes, widths_, *runs_), to);
    if (all.pieces > 1) finish(launch, weights, all.pieces);
  }
  void compute_columns(const Launch& launch, Arguments& to) const {
    const Normalization& sizes = launch.sizes;
    if (widths_.size == 1) {
      Grid grid = grid_of(1, 1, widths_, *columns_);
      grid.items[0] *= static_cast<std::uint64_t>(sizes.g * pieces(sizes.e, widths_.wide));
      columns_->launch(launch.stream, launch.name, grid, to);
      return;
    }
    const auto group = static_cast<std::int64_t>(
        std::bit_floor(std::min<std::uint64_t>(widths_.size, columns_->max_group_size())));
    const std::int64_t wide =
        std::min<std::int64_t>({group, kColumnPacks,
                                static_cast<std::int64_t>(std::bit_ceil(
                                    static_cast<std::uint64_t>(pieces(sizes.e, widths_.lanes))))});
    const std::int64_t strips = pieces(sizes.e, wide * widths_.lanes), groups = sizes.g * strips;
    std::int64_t count = 1;
    if (workspace_bytes_ != 0) {
      count = std::clamp<std::int64_t>(sizes.s / kLeastRows, 1,
                                       std::max<std::int64_t>(kEnoughGroups / groups, 1));
    }
    // Without rows, the sums are 0.
    const std::int64_t piece_rows = std::max<std::int64_t>(pieces(sizes.s, count), 1);
    count = std::max<std::int64_t>(pieces(sizes.s, piece_rows), 1);
    to.memory(launch.workspace).value(static_cast<std::int32_t>(count)).value(piece_rows);
    to.value(static_cast<std::int32_t>(strips)).value(static_cast<std::int32_t>(wide));
    columns_->launch(launch.stream, launch.name,
                     {{static_cast<std::uint64_t>(groups * count * group), 1, 1},
                      {static_cast<std::uint64_t>(group), 1, 1}},
                     to);
    if (count > 1) finish(launch, sizes.g * sizes.e, count);
  }
  /// Adds the pieces of all weights.
  void finish(const Launch& launch, std::int64_t weights, std::int64_t count) const {
    Arguments to;
    for (const int i : {0, 1}) to.memory(launch.arguments[i].value.memory);
    to.memory(launch.workspace).value(static_cast<std::int32_t>(count));
    finish_->launch(launch.stream, launch.name,
                    grid_of(weights, count * widths_.each(), widths_, *finish_), to);
  }

  const std::uint64_t workspace_bytes_;
  const std::unique_ptr<Function> runs_, finish_, columns_;
};

}  // namespace

Prepared prepare_softmax(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<SoftmaxKernel>(backend, spec);
}

Prepared prepare_softmax_input(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<SoftmaxKernel>(backend, spec);
}

Prepared prepare_normalize(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<ForwardKernel>(backend, spec);
}

Prepared prepare_normalize_input(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<InputKernel>(backend, spec);
}

Prepared prepare_normalize_weight(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<WeightKernel>(backend, spec);
}

}  // namespace patchbay::portable
