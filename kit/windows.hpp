// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The sizes of convolutions and of pooling, checked once for every backend. The texts of
// portable/texts have the same structs.
#ifndef PATCHBAY_KIT_WINDOWS_HPP_
#define PATCHBAY_KIT_WINDOWS_HPP_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/attributes.hpp"
#include "patchbay/plugin/kit/objects.hpp"
#include "patchbay/plugin/types.h"

namespace patchbay {

/// How windows lie along one axis of an image.
struct WindowAxis {
  std::int64_t extent = 0, windows = 0;  // elements of the image, and windows
  std::int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;

  /// Whether each window is one element, and each element one window.
  bool is_pointwise() const { return kernel == 1 && stride == 1 && padding == 0; }
  auto operator<=>(const WindowAxis&) const = default;
};

inline WindowAxis axis_of(const plugin::Attributes& given, const std::string& suffix,
                          bool has_dilation) {
  WindowAxis axis;
  axis.stride = given.integer("stride" + suffix);
  axis.padding = given.integer("padding" + suffix);
  if (has_dilation) axis.dilation = given.integer("dilation" + suffix);
  return axis;
}

/// Throws unless the tensor is contiguous and has four dimensions.
inline void check_images(std::string_view op, const patchbay_argument& tensor) {
  std::int64_t expected = 1;
  bool fits = tensor.rank == 4;
  for (int d = 0; fits && d < 4; ++d) {
    if (tensor.shape[d] == 0) return;  // whatever the strides are
  }
  for (int d = 3; fits && d >= 0; --d) {
    fits = tensor.shape[d] == 1 || tensor.strides[d] == expected;
    expected *= tensor.shape[d];
  }
  if (!fits) {
    plugin::invalid_argument(std::string(op) + ": expected contiguous tensors of rank 4");
  }
}

struct Convolution {
  std::int64_t images = 0, channels = 0, filters = 0, groups = 1;
  WindowAxis h, w;

  auto operator<=>(const Convolution&) const = default;

  bool is_empty() const { return images * places() * pixels() == 0; }
  bool is_pointwise() const { return h.is_pointwise() && w.is_pointwise(); }
  std::int64_t group_channels() const { return channels / groups; }
  std::int64_t group_filters() const { return filters / groups; }
  std::int64_t places() const { return h.windows * w.windows; }       // of a filter
  std::int64_t pixels() const { return h.extent * w.extent; }         // of a channel
  std::int64_t kernel() const { return h.kernel * w.kernel; }         // elements
  std::int64_t depth() const { return group_channels() * kernel(); }  // products of one sum
};

/// What conv2d.1 and its adjoints conv2d_input.1 and conv2d_weight.1 compute.
enum class ConvolutionPart { kForward, kInput, kWeight };

/// Empty for an operator that is no convolution.
inline std::optional<ConvolutionPart> convolution_part(std::string_view op) {
  if (op == "conv2d.1") return ConvolutionPart::kForward;
  if (op == "conv2d_input.1") return ConvolutionPart::kInput;
  if (op == "conv2d_weight.1") return ConvolutionPart::kWeight;
  return std::nullopt;
}

/// A prepared convolution: its part and its attributes.
class ConvolutionPlan {
 public:
  /// Which arguments are the images, the weight and the windows. Argument 0 is the result.
  struct Places {
    std::size_t images, weight, windows;
  };

  ConvolutionPlan(std::string_view op, const patchbay_kernel_spec& spec)
      : op_(op), part_(convolution_part(op).value()) {
    const plugin::Attributes given(spec);
    plan_.h = axis_of(given, "_h", true);
    plan_.w = axis_of(given, "_w", true);
    plan_.groups = given.integer("groups");
  }

  ConvolutionPart part() const { return part_; }
  const Places& places() const {
    static constexpr Places kPlaces[] = {{1, 2, 0}, {0, 2, 1}, {1, 0, 2}};  // by the part
    return kPlaces[static_cast<std::size_t>(part_)];
  }

  /// The sizes of a launch. Throws invalid_argument unless the shapes fit each other.
  Convolution of(plugin::Arguments arguments) const {
    const patchbay_argument &images = arguments[places().images],
                            &weight = arguments[places().weight],
                            &windows = arguments[places().windows];
    for (const patchbay_argument* tensor : {&images, &weight, &windows}) {
      check_images(op_, *tensor);
    }
    Convolution all = plan_;
    all.images = images.shape[0];
    all.channels = images.shape[1];
    all.filters = weight.shape[0];
    const bool fits = windows.shape[0] == all.images && windows.shape[1] == all.filters &&
                      weight.shape[1] * all.groups == all.channels &&
                      all.filters % all.groups == 0 &&
                      set_axis(all.h, images.shape[2], weight.shape[2], windows.shape[2]) &&
                      set_axis(all.w, images.shape[3], weight.shape[3], windows.shape[3]);
    if (!fits) {
      plugin::invalid_argument(std::string(op_) +
                               ": the shapes of images, weight and windows do not fit each other");
    }
    return all;
  }

 private:
  static bool set_axis(WindowAxis& axis, std::int64_t extent, std::int64_t kernel,
                       std::int64_t windows) {
    axis.extent = extent;
    axis.kernel = kernel;
    axis.windows = windows;
    constexpr std::int64_t kMostKernel = 0x7fffffff, kMostExtent = INT64_MAX / 2;
    if (kernel < 1 || kernel > kMostKernel || extent > kMostExtent) return false;
    const std::int64_t room = extent + 2 * axis.padding - axis.dilation * (kernel - 1) - 1;
    return room >= 0 && windows == room / axis.stride + 1;
  }

  const std::string op_;
  const ConvolutionPart part_;
  Convolution plan_;
};

/// Windows over planes, which are the channels of all images.
struct Pooling {
  std::int64_t planes = 0;
  std::int64_t adaptive = 0, counts_padding = 0;
  WindowAxis h, w;

  std::int64_t places() const { return h.windows * w.windows; }
  std::int64_t pixels() const { return h.extent * w.extent; }
  bool operator==(const Pooling&) const = default;
};

class PoolingPlan {
 public:
  PoolingPlan(std::string_view op, const patchbay_kernel_spec& spec, bool is_average) : op_(op) {
    const plugin::Attributes given(spec);
    plan_.h = axis_of(given, "_h", !is_average);
    plan_.w = axis_of(given, "_w", !is_average);
    plan_.h.kernel = given.integer("kernel_h");
    plan_.w.kernel = given.integer("kernel_w");
    plan_.adaptive = given.integer("adaptive");
    if (is_average) plan_.counts_padding = given.integer("counts_padding");
  }

  Pooling of(const patchbay_argument& images, const patchbay_argument& windows) const {
    check_images(op_, images);
    check_images(op_, windows);
    if (images.shape[0] != windows.shape[0] || images.shape[1] != windows.shape[1]) {
      plugin::invalid_argument(op_ + ": the shapes of images and windows do not fit each other");
    }
    Pooling all = plan_;
    all.planes = images.shape[0] * images.shape[1];
    all.h.extent = images.shape[2];
    all.w.extent = images.shape[3];
    all.h.windows = windows.shape[2];
    all.w.windows = windows.shape[3];
    return all;
  }

 private:
  const std::string op_;
  Pooling plan_;
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_WINDOWS_HPP_
