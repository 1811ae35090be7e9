// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions and their adjoints as matrix products of tiles.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "kConvolutionText.text.h"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/gemm_problem.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"
#include "kit/windows.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kSide = 16, kPer = 4;  // work-items along a tile, sums of one along an axis
constexpr std::int64_t kMostDepth = 16, kDepthOfCpu = 32;
constexpr std::int64_t kLeastPlaces = 1024;  // of a piece of the sum over all images
constexpr std::int64_t kMostPieces = 64;
constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{8} << 20;

using Part = ConvolutionPart;

/// The text's struct Windows.
struct Axis {
  WindowAxis of;
  std::int64_t phases = 1, divisor = 1, inverse = 0;
};

/// The text's struct Sizes.
struct Sizes {
  std::int64_t images, channels, filters, groups;
  Axis h, w;
  std::int64_t pieces = 1, piece = 0;
};

/// The number that times `a` is 1 modulo `m`, which has no divisor in common with it.
std::int64_t inverse_of(std::int64_t a, std::int64_t m) {
  std::int64_t r = m, next = a % m, x = 0, next_x = 1;
  while (next != 0) {
    const std::int64_t quotient = r / next;
    r = std::exchange(next, r - quotient * next);
    x = std::exchange(next_x, x - quotient * next_x);
  }
  return (x % m + m) % m;
}

Axis axis_for(WindowAxis of, Part part) {
  // What nothing depends on may be too large to compute with.
  if (of.windows == 1) of.stride = 1;
  if (of.kernel == 1) of.dilation = 1;
  Axis axis{of};
  if (part != Part::kInput) return axis;
  axis.phases = std::min(of.stride, of.extent);
  axis.divisor = std::gcd(of.stride, of.dilation);
  axis.inverse = inverse_of(of.dilation / axis.divisor, of.stride / axis.divisor);
  return axis;
}

/// Arguments: the result and two operands; which is which depends on the part.
class ConvolutionKernel final : public plugin::Kernel {
 public:
  ConvolutionKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : op_(plugin::from_abi(spec.op)), plan_(op_, spec), part_(plan_.part()) {
    const std::uint8_t dtype = spec.arguments[0].dtype;
    sum_bytes_ = std::max<std::uint64_t>(element_bytes(dtype), 4);
    if (part_ == Part::kWeight && kWorkspaceBytes <= spec.workspace_limit_bytes) {
      workspace_bytes_ = kWorkspaceBytes;
    }
    const Traits& traits = backend.traits();
    // The largest group is known only after the kernel is compiled.
    for (std::int64_t side = traits.is_cpu ? 1 : kSide; tiles_ == nullptr; side /= 2) {
      shape_ = shape_of(dtype, side, traits);
      program_ = backend.build(text_of(dtype, part_, shape_, traits));
      auto tiles = program_(part_ == Part::kWeight ? "weight" : "images");
      const auto items = static_cast<std::uint64_t>(side * side);
      if (side == 1 || items <= tiles->max_group_size()) tiles_ = std::move(tiles);
    }
    if (part_ == Part::kWeight) finish_ = program_("finish");
  }

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    const std::string_view shown = name.empty() ? op_ : name;
    const Convolution of = plan_.of(arguments);
    if (part_ == Part::kWeight) return weight(stream, of, arguments, workspace, shown);
    images(stream, of, arguments, shown);
  }

 private:
  /// The work-items along a tile, and the sums of each. On CPUs a work-item has a tile of its own,
  /// as large as caches allow, and registers hold `tall` times two vectors of sums.
  struct TileShape {
    std::int64_t side = 1, high = kPer, wide = kPer, vector = 1, tall = 1;

    std::int64_t rows() const { return side * high; }
    std::int64_t columns() const { return side * wide; }
  };

  static TileShape shape_of(std::uint8_t dtype, std::int64_t side, const Traits& traits) {
    TileShape shape{side};
    if (!traits.is_cpu || !traits.has_vectors) return shape;
    const std::int64_t bytes = dtype == PATCHBAY_F64 ? 8 : 4;
    shape.vector = std::clamp<std::int64_t>(traits.vector_bytes / bytes, 2, 16);
    shape.tall = shape.vector * bytes >= 64 ? 12 : 6;
    shape.high = shape.wide = 96;  // a multiple of `tall` and of two vectors
    return shape;
  }

  static std::string text_of(std::uint8_t dtype, Part part, const TileShape& shape,
                             const Traits& traits) {
    std::string text = conversions_of(dtype, traits) + gemm_definitions(dtype) +
                       define("PART", static_cast<std::int64_t>(part)) +
                       define("SIDE", shape.side) + define("HIGH", shape.high) +
                       define("WIDE", shape.wide) + define("VECTOR", shape.vector);
    text += define("DEPTH",
                   traits.is_cpu ? kDepthOfCpu : std::min(kMostDepth, shape.side * shape.side));
    if (shape.vector > 1) {
      const std::string width = std::to_string(shape.vector);
      text += alias("V", (dtype == PATCHBAY_F64 ? "double" : "float") + width) +
              define("TALL", shape.tall) + define("VLOAD", "vload" + width) +
              define("VSTORE", "vstore" + width);
    }
    return text + kConvolutionText;
  }

  Sizes sizes_of(const Convolution& of) const {
    return {of.images, of.channels,           of.filters,
            of.groups, axis_for(of.h, part_), axis_for(of.w, part_)};
  }

  std::int64_t tiles(std::int64_t rows, std::int64_t columns) const {
    return pieces(rows, shape_.rows()) * pieces(columns, shape_.columns());
  }

  Grid grid_of(std::int64_t groups) const {
    const auto items = static_cast<std::uint64_t>(shape_.side * shape_.side);
    return {{static_cast<std::uint64_t>(groups) * items, 1, 1}, {items, 1, 1}};
  }

  void images(plugin::Stream& stream, const Convolution& of, plugin::Arguments arguments,
              std::string_view name) const {
    const Sizes sizes = sizes_of(of);
    const bool is_forward = part_ == Part::kForward;
    const std::int64_t rows = is_forward ? of.group_filters() : of.group_channels();
    const std::int64_t places = is_forward ? of.places()
                                           : pieces(of.h.extent, sizes.h.of.stride) *
                                                 pieces(of.w.extent, sizes.w.of.stride);
    const std::int64_t groups =
        of.groups * sizes.h.phases * sizes.w.phases * tiles(rows, of.images * places);
    if (groups == 0) return;
    Arguments to;
    for (const patchbay_argument& argument : arguments) add(to, argument, arguments[0]);
    to.value(sizes);
    tiles_->launch(stream, name, grid_of(groups), to);
  }

  void weight(plugin::Stream& stream, const Convolution& of, plugin::Arguments arguments,
              plugin::Memory workspace, std::string_view name) const {
    Sizes sizes = sizes_of(of);
    const std::int64_t elements = of.filters * of.depth(), places = of.images * of.places();
    if (elements == 0) return;
    const auto most = static_cast<std::int64_t>(
        workspace_bytes_ / (static_cast<std::uint64_t>(elements) * sum_bytes_));
    sizes.pieces = std::clamp<std::int64_t>(std::min(most, places / kLeastPlaces), 1, kMostPieces);
    sizes.piece = pieces(places, sizes.pieces);
    const plugin::Memory out = arguments[0].value.memory;
    Arguments to;
    to.memory(out).memory(workspace);
    add(to, arguments[1], arguments[0]);
    add(to, arguments[2], arguments[0]);
    to.value(sizes);
    tiles_->launch(stream, name,
                   grid_of(of.groups * sizes.pieces * tiles(of.group_filters(), of.depth())), to);
    if (sizes.pieces == 1) return;
    Arguments rest;
    rest.memory(out).memory(workspace).value(elements).value(sizes.pieces);
    const std::uint64_t group = std::min<std::uint64_t>(256, finish_->max_group_size());
    finish_->launch(stream, name, {{static_cast<std::uint64_t>(elements), 1, 1}, {group, 1, 1}},
                    rest);
  }

  /// A buffer is needed for operands without elements too.
  static void add(Arguments& to, const patchbay_argument& argument,
                  const patchbay_argument& otherwise) {
    const bool is_empty = std::find(argument.shape, argument.shape + argument.rank, 0) !=
                          argument.shape + argument.rank;
    to.memory((is_empty ? otherwise : argument).value.memory);
  }

  const std::string op_;
  const ConvolutionPlan plan_;
  const Part part_;
  std::uint64_t sum_bytes_ = 4, workspace_bytes_ = 0;
  TileShape shape_;
  Program program_;
  std::unique_ptr<Function> tiles_, finish_;
};

}  // namespace

Prepared prepare_conv2d(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<ConvolutionKernel>(backend, spec);
}

Prepared prepare_conv2d_input(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<ConvolutionKernel>(backend, spec);
}

Prepared prepare_conv2d_weight(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<ConvolutionKernel>(backend, spec);
}

}  // namespace patchbay::portable
