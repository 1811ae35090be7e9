// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which elements of images meet in convolutions and pooling. Places are row-major numbers.
#ifndef PATCHBAY_CONFORMANCE_REFERENCE_WINDOWS_H_
#define PATCHBAY_CONFORMANCE_REFERENCE_WINDOWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::conformance {

/// The height or the width of images.
struct Axis {
  std::int64_t extent = 1, kernel = 1, stride = 1, padding = 0, dilation = 1;

  /// The number of windows that fit.
  std::int64_t windows() const {
    return (extent + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
  /// Element k of the window; outside of the image if it is negative or not below the extent.
  std::int64_t place(std::int64_t window, std::int64_t k) const {
    return window * stride - padding + k * dilation;
  }
  bool has(std::int64_t place) const { return place >= 0 && place < extent; }
};

/// Of `n` images of `c` channels with a weight of `o` filters.
struct ConvolutionShape {
  std::int64_t n, c, o, groups;
  Axis h, w;

  /// Calls body(place in the images, in the weight, in the windows) for each product.
  template <class Body>
  void for_products(const Body& body) const {
    const std::int64_t filters = o / groups, depth = c / groups;
    std::size_t to = 0;
    for (std::int64_t plane = 0; plane < n * o; ++plane) {
      const std::int64_t filter = plane % o, first = plane / o * c + filter / filters * depth;
      for (std::int64_t y = 0; y < h.windows(); ++y) {
        for (std::int64_t x = 0; x < w.windows(); ++x, ++to) {
          for (std::int64_t k = 0; k < depth * h.kernel * w.kernel; ++k) {
            const std::int64_t channel = k / w.kernel / h.kernel;
            const std::int64_t row = h.place(y, k / w.kernel % h.kernel);
            const std::int64_t column = w.place(x, k % w.kernel);
            if (!h.has(row) || !w.has(column)) continue;
            const std::int64_t image = ((first + channel) * h.extent + row) * w.extent + column;
            const std::int64_t weight = filter * depth * h.kernel * w.kernel + k;
            body(static_cast<std::size_t>(image), static_cast<std::size_t>(weight), to);
          }
        }
      }
    }
  }
};

/// Windows of pooling along an axis: `count` of them, which may be more than fit.
struct PoolingAxis {
  Axis axis;
  std::int64_t count = axis.windows();
  bool is_adaptive = false;  // windows of nearly one size, which cover the image

  /// The elements of a window, and their number with those of the padding if it counts.
  std::vector<std::int64_t> places(std::int64_t window, bool counts_padding,
                                   std::int64_t& number) const {
    std::vector<std::int64_t> all;
    if (is_adaptive) {
      for (std::int64_t i = window * axis.extent / count; i * count < (window + 1) * axis.extent;
           ++i) {
        all.push_back(i);
      }
      number = static_cast<std::int64_t>(all.size());
      return all;
    }
    number = 0;
    for (std::int64_t k = 0; k < axis.kernel; ++k) {
      const std::int64_t place = axis.place(window, k);
      if (axis.has(place)) all.push_back(place);
      number += counts_padding ? place < axis.extent + axis.padding : axis.has(place);
    }
    return all;
  }
};

/// The elements of a window, and the number by which a mean divides.
struct Window {
  std::vector<std::size_t> places;
  std::int64_t count = 0;

  /// The first place at which `at` has the largest element, or NaN.
  template <class At>
  std::size_t largest(const At& at) const {
    std::size_t best = places[0];
    for (const std::size_t place : places) {
      const auto value = at(place), most = at(best);
      if (most == most && (value != value || value > most)) best = place;
    }
    return best;
  }
};

/// Calls body(place of the result, window) for each plane and window; adds the number of elements
/// before the plane to the places.
template <class Body>
void for_windows(std::int64_t planes, const PoolingAxis& h, const PoolingAxis& w,
                 bool counts_padding, const Body& body) {
  std::size_t to = 0;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    for (std::int64_t y = 0; y < h.count; ++y) {
      for (std::int64_t x = 0; x < w.count; ++x) {
        std::int64_t height = 0, width = 0;
        const auto rows = h.places(y, counts_padding, height);
        const auto columns = w.places(x, counts_padding, width);
        Window window{{}, height * width};
        for (const std::int64_t row : rows) {
          for (const std::int64_t column : columns) {
            const std::int64_t place = (plane * h.axis.extent + row) * w.axis.extent + column;
            window.places.push_back(static_cast<std::size_t>(place));
          }
        }
        body(to++, window);
      }
    }
  }
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_REFERENCE_WINDOWS_H_
