// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions and pooling. Operands are whole numbers, so that sums of products are exact in any
// order; means are rounded.
#include <algorithm>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

struct Axis {
  std::int64_t extent = 1, kernel = 1, stride = 1, padding = 0, dilation = 1;

  std::int64_t windows() const {
    return (extent + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
  /// Element k of the window; outside of the image if it is negative or not below the extent.
  std::int64_t place(std::int64_t window, std::int64_t k) const {
    return window * stride - padding + k * dilation;
  }
  bool has(std::int64_t place) const { return place >= 0 && place < extent; }
};

std::vector<Attribute> steps_of(const Axis& h, const Axis& w) {
  return {{"stride_h", h.stride},
          {"stride_w", w.stride},
          {"padding_h", h.padding},
          {"padding_w", w.padding}};
}

/// Images that begin after `offset` elements of their memory.
Layout images(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
              std::int64_t offset = 3) {
  return contiguous({n, c, h, w}, offset);
}

std::size_t place_in(const Layout& layout, std::int64_t a, std::int64_t b, std::int64_t c,
                     std::int64_t d) {
  const Shape& shape = layout.shape;
  return static_cast<std::size_t>(((a * shape[1] + b) * shape[2] + c) * shape[3] + d);
}

// -------------------------------------------------------------------------- convolutions ---

struct Convolution {
  std::string name;
  std::int64_t n, c, o, groups;
  Axis h, w;
  std::int64_t offset = 3;  // of each tensor in its memory

  Layout image() const { return images(n, c, h.extent, w.extent, offset); }
  Layout weight() const { return images(o, c / groups, h.kernel, w.kernel, offset); }
  Layout window() const { return images(n, o, h.windows(), w.windows(), offset); }
  std::vector<Attribute> attributes() const {
    std::vector<Attribute> all = steps_of(h, w);
    all.push_back({"dilation_h", h.dilation});
    all.push_back({"dilation_w", w.dilation});
    all.push_back({"groups", groups});
    return all;
  }
};

std::vector<Convolution> convolutions() {
  return {
      {"1x1", 2, 3, 4, 1, {5}, {6}},
      {"3x3 padded", 2, 3, 5, 1, {9, 3, 1, 1}, {8, 3, 1, 1}},
      {"7x7 stride 2", 1, 3, 4, 1, {15, 7, 2, 3}, {14, 7, 2, 3}},
      {"groups and dilation", 2, 6, 4, 2, {8, 3, 1, 2, 2}, {9, 2, 2, 0, 3}},
      {"depthwise", 1, 5, 5, 5, {6, 3, 1, 1}, {7, 3, 1, 1}},
      {"no image", 0, 2, 3, 1, {4, 2}, {4, 2}},
      {"no channel", 1, 0, 2, 1, {3, 2}, {3, 2}},
      {"more than a work-group", 1, 2, 3, 1, {40, 3, 1, 1}, {37, 3, 1, 1}},
      // A vendor's library may want aligned tensors.
      {"3x3 padded, aligned", 2, 8, 16, 1, {16, 3, 1, 1}, {16, 3, 1, 1}, 0},
      {"7x7 stride 2, aligned", 1, 3, 8, 1, {20, 7, 2, 3}, {24, 7, 2, 3}, 0},
  };
}

/// Calls body(place of the image, of the weight, of the window) for each product.
template <class Body>
void for_products(const Convolution& one, const Body& body) {
  const Layout image = one.image(), weight = one.weight(), window = one.window();
  const std::int64_t filters = one.o / one.groups, depth = one.c / one.groups;
  const auto add_kernel = [&](std::int64_t n, std::int64_t o, std::int64_t c, std::int64_t y,
                              std::int64_t x) {
    for (std::int64_t i = 0; i < one.h.kernel; ++i) {
      for (std::int64_t j = 0; j < one.w.kernel; ++j) {
        const std::int64_t row = one.h.place(y, i), column = one.w.place(x, j);
        if (!one.h.has(row) || !one.w.has(column)) continue;
        body(place_in(image, n, o / filters * depth + c, row, column), place_in(weight, o, c, i, j),
             place_in(window, n, o, y, x));
      }
    }
  };
  for (std::size_t at = 0; at < window.num_elements(); ++at) {
    const auto number = static_cast<std::int64_t>(at);
    const std::int64_t x = number % one.w.windows(), above = number / one.w.windows();
    const std::int64_t y = above % one.h.windows(), plane = above / one.h.windows();
    for (std::int64_t c = 0; c < depth; ++c) add_kernel(plane / one.o, plane % one.o, c, y, x);
  }
}

/// Which operand is the result.
enum class Made { kWindow, kImage, kWeight };

template <class T>
void check_convolution(const Device& device, const std::string& op, Made result) {
  for (const Convolution& one : convolutions()) {
    const auto made = [](const Layout& layout, std::uint64_t seed) {
      return Array<T>(layout, [=](std::size_t i) { return product_integer<T>(i + seed); });
    };
    const Array<T> image = made(one.image(), 0), weight = made(one.weight(), 1000);
    const Array<T> window = made(one.window(), 2000);
    const Array<T>& first = result == Made::kImage ? window : image;
    const Array<T>& second = result == Made::kWeight ? window : weight;
    Array<T> out(result == Made::kWindow  ? one.window()
                 : result == Made::kImage ? one.image()
                                          : one.weight());
    std::vector<Computed<T>> sums(out.size());
    for_products(one, [&](std::size_t a, std::size_t b, std::size_t c) {
      if (result == Made::kWindow) sums[c] += image.at(a) * weight.at(b);
      if (result == Made::kImage) sums[a] += window.at(c) * weight.at(b);
      if (result == Made::kWeight) sums[b] += image.at(a) * window.at(c);
    });
    Array<T> expected = out;
    for (std::size_t i = 0; i < sums.size(); ++i) expected.at(i) = static_cast<T>(sums[i]);
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(
        device, op + ".1",
        {target, first.to_device(device, Access::kRead), second.to_device(device, Access::kRead)},
        one.attributes());
    out.from_device(target);
    out.expect_close_to(
        expected, 0, fmt::format("{}.1 of {}, {}", op, to_string(dtype_of_element<T>()), one.name));
  }
}

// ------------------------------------------------------------------------------- pooling ---

struct Pooling {
  std::string name;
  Axis h, w;
  bool counts_padding = false;

  Layout image() const { return images(2, 3, h.extent, w.extent); }
  Layout window() const { return images(2, 3, h.windows(), w.windows()); }
  std::vector<Attribute> attributes() const {
    std::vector<Attribute> all = steps_of(h, w);
    all.push_back({"kernel_h", h.kernel});
    all.push_back({"kernel_w", w.kernel});
    return all;
  }
};

std::vector<Pooling> poolings() {
  return {
      {"3 by 2", {9, 3, 2}, {8, 3, 2}},
      {"3 by 2 padded", {7, 3, 2, 1}, {6, 3, 2, 1}},
      {"2 padded, counted", {5, 2, 2, 1}, {6, 2, 2, 1}, true},
      {"uneven", {7, 2, 1, 1}, {9, 3, 4}},
      {"no window", {2, 3}, {6, 3}},
      {"more than a work-group", {40, 2, 1}, {37, 3, 1}},
  };
}

/// Calls body(place of the window, place of the image, by how many its sum is divided).
template <class Body>
void for_elements(const Pooling& one, const Body& body) {
  const Layout image = one.image(), window = one.window();
  const auto count = [&](const Axis& axis, std::int64_t at) {
    std::int64_t number = 0;
    for (std::int64_t k = 0; k < axis.kernel; ++k) {
      const std::int64_t place = axis.place(at, k);
      number += axis.has(place) || (one.counts_padding && place < axis.extent + axis.padding);
    }
    return number;
  };
  for (std::size_t at = 0; at < window.num_elements(); ++at) {
    const auto number = static_cast<std::int64_t>(at);
    const std::int64_t x = number % one.w.windows(), above = number / one.w.windows();
    const std::int64_t y = above % one.h.windows(), plane = above / one.h.windows();
    const std::int64_t share = count(one.h, y) * count(one.w, x);
    for (std::int64_t i = 0; i < one.h.kernel; ++i) {
      for (std::int64_t j = 0; j < one.w.kernel; ++j) {
        const std::int64_t row = one.h.place(y, i), column = one.w.place(x, j);
        if (!one.h.has(row) || !one.w.has(column)) continue;
        body(at, place_in(image, plane / 3, plane % 3, row, column), share);
      }
    }
  }
}

template <class T>
void check_largest(const Device& device) {
  for (const Pooling& one : poolings()) {
    const Array<T> image(one.image(), [](std::size_t i) { return mixed_value<T>(0, i); });
    Array<std::int64_t> out(one.window());
    Array<std::int64_t> expected = out;
    std::vector<std::size_t> best(out.size(), image.size());
    for_elements(one, [&](std::size_t to, std::size_t from, std::int64_t) {
      std::size_t& most = best[to];
      const bool is_first = most == image.size();
      const T value = image.at(from), before = is_first ? value : image.at(most);
      if (is_first || (before == before && (value != value || value > before))) most = from;
    });
    const auto pixels = static_cast<std::size_t>(one.h.extent * one.w.extent);
    for (std::size_t i = 0; i < best.size(); ++i) {
      expected.at(i) = static_cast<std::int64_t>(best[i] % pixels);
    }
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(device, "max_pool2d_index.1", {target, image.to_device(device, Access::kRead)},
               one.attributes());
    out.from_device(target);
    out.expect_close_to(
        expected, 0,
        fmt::format("max_pool2d_index.1 of {}, {}", to_string(dtype_of_element<T>()), one.name));
  }
}

/// The adjoint of the maximum: each window's gradient goes to the element that its index names.
template <class T>
void check_spread(const Device& device) {
  for (const Pooling& one : poolings()) {
    const Array<T> grad(one.window(), small_integer<T>);
    Array<std::int64_t> index(one.window());
    Array<T> out(one.image());
    Array<T> expected = out;
    for (std::size_t i = 0; i < expected.size(); ++i) expected.at(i) = 0;
    const auto pixels = static_cast<std::size_t>(one.h.extent * one.w.extent);
    std::vector<std::size_t> chosen(grad.size(), out.size());
    for_elements(one, [&](std::size_t window, std::size_t image, std::int64_t) {
      // Of several elements of a window any may be the largest.
      if (chosen[window] == out.size() || mix(window + image) % 3 == 0) chosen[window] = image;
    });
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      index.at(i) = static_cast<std::int64_t>(chosen[i] % pixels);
      expected.at(chosen[i]) = expected.at(chosen[i]) + grad.at(i);
    }
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(
        device, "max_pool2d_input.1",
        {target, grad.to_device(device, Access::kRead), index.to_device(device, Access::kRead)},
        one.attributes());
    out.from_device(target);
    out.expect_close_to(
        expected, 0,
        fmt::format("max_pool2d_input.1 of {}, {}", to_string(dtype_of_element<T>()), one.name));
  }
}

/// Means, or the adjoint. Operands are not negative, so that few roundings matter.
template <class T>
void check_means(const Device& device, const std::string& op, bool is_adjoint) {
  constexpr double kUlps = kIsHalf<T> ? 1 : 16;
  for (const Pooling& one : poolings()) {
    const Array<T> in(is_adjoint ? one.window() : one.image(),
                      [](std::size_t i) { return static_cast<T>(mix(i) % 8); });
    Array<T> out(is_adjoint ? one.image() : one.window());
    Array<T> expected = out;
    std::vector<double> sums(out.size());
    for_elements(one, [&](std::size_t window, std::size_t image, std::int64_t share) {
      const double value = static_cast<double>(in.at(is_adjoint ? window : image));
      sums[is_adjoint ? image : window] += value / static_cast<double>(share);
    });
    for (std::size_t i = 0; i < sums.size(); ++i) expected.at(i) = static_cast<T>(sums[i]);
    std::vector<Attribute> attributes = one.attributes();
    attributes.push_back({"counts_padding", one.counts_padding ? 1 : 0});
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(device, op + ".1", {target, in.to_device(device, Access::kRead)}, attributes);
    out.from_device(target);
    out.expect_close_to(
        expected, kUlps,
        fmt::format("{}.1 of {}, {}", op, to_string(dtype_of_element<T>()), one.name));
  }
}

void add_convolution(std::vector<Check>& checks, const char* op, Made result) {
  add_floats(checks, op, [=](const Device& device, const std::string& name, auto zero) {
    check_convolution<decltype(zero)>(device, name, result);
  });
}

void add_means(std::vector<Check>& checks, const char* op, bool is_adjoint) {
  add_floats(checks, op, [=](const Device& device, const std::string& name, auto zero) {
    check_means<decltype(zero)>(device, name, is_adjoint);
  });
}

}  // namespace

std::vector<Check> window_checks() {
  std::vector<Check> checks;
  add_convolution(checks, "conv2d", Made::kWindow);
  add_convolution(checks, "conv2d_input", Made::kImage);
  add_convolution(checks, "conv2d_weight", Made::kWeight);
  add_floats(checks, "max_pool2d_index", [](const Device& device, const std::string&, auto zero) {
    check_largest<decltype(zero)>(device);
  });
  add_floats(checks, "max_pool2d_input", [](const Device& device, const std::string&, auto zero) {
    check_spread<decltype(zero)>(device);
  });
  add_means(checks, "avg_pool2d", false);
  add_means(checks, "avg_pool2d_input", true);
  return checks;
}

}  // namespace patchbay::conformance
