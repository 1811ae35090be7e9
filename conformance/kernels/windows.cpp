// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions and pooling. Operands are whole numbers, so that sums of products are exact in any
// order; means are rounded.
#include "conformance/reference/windows.h"

#include <algorithm>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

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

// -------------------------------------------------------------------------- convolutions ---

struct Convolution : ConvolutionShape {
  std::string name;
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
      {{2, 3, 4, 1, {5}, {6}}, "1x1"},
      {{2, 3, 5, 1, {9, 3, 1, 1}, {8, 3, 1, 1}}, "3x3 padded"},
      {{1, 3, 4, 1, {15, 7, 2, 3}, {14, 7, 2, 3}}, "7x7 stride 2"},
      {{2, 6, 4, 2, {8, 3, 1, 2, 2}, {9, 2, 2, 0, 3}}, "groups and dilation"},
      {{1, 5, 5, 5, {6, 3, 1, 1}, {7, 3, 1, 1}}, "depthwise"},
      {{0, 2, 3, 1, {4, 2}, {4, 2}}, "no image"},
      {{1, 0, 2, 1, {3, 2}, {3, 2}}, "no channel"},
      {{1, 2, 3, 1, {40, 3, 1, 1}, {37, 3, 1, 1}}, "more than a work-group"},
      // A vendor's library may want aligned tensors.
      {{2, 8, 16, 1, {16, 3, 1, 1}, {16, 3, 1, 1}}, "3x3 padded, aligned", 0},
      {{1, 3, 8, 1, {20, 7, 2, 3}, {24, 7, 2, 3}}, "7x7 stride 2, aligned", 0},
  };
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
    one.for_products([&](std::size_t a, std::size_t b, std::size_t c) {
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

  /// Calls body(place of the window, window).
  template <class Body>
  void for_windows(const Body& body) const {
    conformance::for_windows(6, {h}, {w}, counts_padding, body);
  }
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

template <class T>
void check_largest(const Device& device) {
  for (const Pooling& one : poolings()) {
    const Array<T> image(one.image(), [](std::size_t i) { return mixed_value<T>(0, i); });
    Array<std::int64_t> out(one.window());
    Array<std::int64_t> expected = out;
    const auto pixels = static_cast<std::size_t>(one.h.extent * one.w.extent);
    one.for_windows([&](std::size_t to, const Window& window) {
      const std::size_t most = window.largest([&](std::size_t i) { return image.at(i); });
      expected.at(to) = static_cast<std::int64_t>(most % pixels);
    });
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
    one.for_windows([&](std::size_t from, const Window& window) {
      // Of several elements of a window any may be the largest.
      std::size_t chosen = window.places[0];
      for (const std::size_t place : window.places) {
        if (mix(from + place) % 3 == 0) chosen = place;
      }
      index.at(from) = static_cast<std::int64_t>(chosen % pixels);
      expected.at(chosen) = expected.at(chosen) + grad.at(from);
    });
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
    one.for_windows([&](std::size_t at, const Window& window) {
      for (const std::size_t place : window.places) {
        const double value = static_cast<double>(in.at(is_adjoint ? at : place));
        sums[is_adjoint ? place : at] += value / static_cast<double>(window.count);
      }
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
  add_floats(checks, "max_pool2d_index", PATCHBAY_OF_TYPES(check_largest));
  add_floats(checks, "max_pool2d_input", PATCHBAY_OF_TYPES(check_spread));
  add_means(checks, "avg_pool2d", false);
  add_means(checks, "avg_pool2d_input", true);
  return checks;
}

}  // namespace patchbay::conformance
