// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions, their adjoints and pooling against loops over every window.
#include <algorithm>
#include <cmath>

#include <patchbay/autograd.h>
#include <patchbay/convolution.h>
#include <patchbay/pooling.h>

#include "operators/cases.h"
#include "operators/float_case.h"
#include "operators/layouts.h"
#include "operators/sums.h"

namespace patchbay::test {
namespace {

// -------------------------------------------------------------------------- convolutions ---

struct Convolution {
  std::string name;
  std::int64_t n, c, h, w, o, kh, kw;
  Conv2dOptions options = {};

  Shape images() const { return {n, c, h, w}; }
  Shape weight() const { return {o, c / options.groups, kh, kw}; }
  Shape windows() const {
    const auto along = [](std::int64_t extent, std::int64_t kernel, std::int64_t padding,
                          std::int64_t dilation, std::int64_t stride) {
      return (extent + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
    };
    return {n, o, along(h, kh, options.padding.h, options.dilation.h, options.stride.h),
            along(w, kw, options.padding.w, options.dilation.w, options.stride.w)};
  }
};

/// The kernels and steps of common networks at small extents, and odd ones.
std::vector<Convolution> convolutions() {
  return {
      {"1x1", 2, 3, 5, 6, 4, 1, 1},
      {"3x3 padded", 2, 3, 9, 8, 5, 3, 3, {.padding = 1}},
      {"3x3 stride 2", 1, 4, 9, 10, 3, 3, 3, {.stride = 2, .padding = 1}},
      {"5x5 padded", 2, 2, 8, 8, 3, 5, 5, {.padding = 2}},
      {"7x7 stride 2", 1, 3, 15, 14, 4, 7, 7, {.stride = 2, .padding = 3}},
      {"11x11 stride 4", 1, 3, 23, 19, 2, 11, 11, {.stride = 4, .padding = 2}},
      {"1x1 stride 2", 2, 4, 7, 8, 3, 1, 1, {.stride = 2}},
      {"groups", 2, 6, 5, 4, 4, 3, 3, {.padding = 1, .groups = 2}},
      {"depthwise", 1, 5, 6, 6, 10, 3, 3, {.padding = 1, .groups = 5}},
      {"dilation", 1, 2, 11, 9, 3, 3, 2, {.padding = 2, .dilation = {3, 2}}},
      {"uneven", 3, 2, 4, 13, 3, 2, 5, {.stride = {1, 3}, .padding = {0, 2}}},
      {"more padding than image", 1, 2, 2, 1, 2, 3, 3, {.stride = 2, .padding = 4}},
      {"no image", 0, 2, 4, 4, 3, 2, 2},
      {"no channel", 1, 0, 3, 3, 2, 2, 2},
      {"many windows", 1, 1, 40, 37, 2, 3, 3},
      {"many images", 65, 1, 18, 18, 9, 3, 3},
      {"many channels", 2, 130, 3, 3, 33, 3, 3, {.padding = 1}},
      {"many windows, padded", 1, 2, 31, 29, 3, 3, 3, {.padding = 1}},
      {"many of both", 1, 130, 14, 13, 5, 3, 3, {.padding = 1}},
      {"dilated to the same extent", 1, 3, 9, 30, 2, 3, 3, {.padding = {1, 2}, .dilation = {1, 2}}},
      {"an even kernel", 1, 2, 7, 6, 2, 4, 3, {.padding = {1, 1}}},
      {"a kernel wider than the image", 1, 2, 3, 2, 2, 5, 5, {.padding = 2}},
  };
}

/// Calls body(place in the images, in the weight, in the windows) for each product.
template <class Body>
void for_products(const Convolution& one, const Body& body) {
  const Shape windows = one.windows(), weight = one.weight();
  const std::int64_t filters = one.o / one.options.groups;
  const auto place = [](const Shape& shape, std::int64_t a, std::int64_t b, std::int64_t c,
                        std::int64_t d) {
    return static_cast<std::size_t>(((a * shape[1] + b) * shape[2] + c) * shape[3] + d);
  };
  for (std::int64_t n = 0; n < one.n; ++n) {
    for (std::int64_t o = 0; o < one.o; ++o) {
      for (std::int64_t y = 0; y < windows[2]; ++y) {
        for (std::int64_t x = 0; x < windows[3]; ++x) {
          for (std::int64_t c = 0; c < weight[1]; ++c) {
            for (std::int64_t i = 0; i < one.kh; ++i) {
              for (std::int64_t j = 0; j < one.kw; ++j) {
                const Conv2dOptions& by = one.options;
                const std::int64_t row = y * by.stride.h - by.padding.h + i * by.dilation.h;
                const std::int64_t column = x * by.stride.w - by.padding.w + j * by.dilation.w;
                if (row < 0 || row >= one.h || column < 0 || column >= one.w) continue;
                body(place(one.images(), n, o / filters * weight[1] + c, row, column),
                     place(weight, o, c, i, j), place(windows, n, o, y, x));
              }
            }
          }
        }
      }
    }
  }
}

template <class T>
struct Operands {
  explicit Operands(const Convolution& one)
      : images(tame_values<T>(count_of(one.images()), 41)),
        weight(tame_values<T>(count_of(one.weight()), 42)),
        windows(tame_values<T>(count_of(one.windows()), 43)) {}

  Values<T> images, weight, windows;
};

template <class T>
void check_conv2d(const Device& device, const OperatorInfo& record) {
  for (const Convolution& one : convolutions()) {
    const Operands<T> values(one);
    Sums<T> expected(values.windows.size());
    for_products(one, [&](std::size_t image, std::size_t factor, std::size_t window) {
      expected[window].add(Exact<T>(values.images[image]) * Exact<T>(values.weight[factor]));
    });
    const Tensor weight = upload<T>(values.weight, one.weight(), device);
    for (const Layout layout : {Layout::kContiguous, Layout::kOffset}) {
      const Tensor x = arrange<T>(values.images, {one.n * one.c, one.h, one.w}, layout, device);
      const Tensor y = conv2d(x.view(one.images()), weight, {}, one.options);
      ASSERT_EQ(y.shape(), one.windows()) << one.name;
      expect_sums<T>(download<T>(y), expected, record, one.name);
    }
  }
}

/// A transposed convolution is the adjoint for the smallest images that give as many windows.
template <class T>
void check_conv2d_input(const Device& device, const OperatorInfo& record) {
  for (const Convolution& one : convolutions()) {
    const Operands<T> values(one);
    Sums<T> expected(values.images.size());
    for_products(one, [&](std::size_t image, std::size_t factor, std::size_t window) {
      expected[image].add(Exact<T>(values.windows[window]) * Exact<T>(values.weight[factor]));
    });
    Tensor x = upload<T>(values.images, one.images(), device);
    x.requires_grad_();
    const Tensor y = conv2d(x, upload<T>(values.weight, one.weight(), device), {}, one.options);
    const Tensor grad = upload<T>(values.windows, one.windows(), device);
    expect_sums<T>(download<T>(gradients({y}, {x}, {grad})[0]), expected, record, one.name);
  }
}

template <class T>
void check_conv2d_weight(const Device& device, const OperatorInfo& record) {
  for (const Convolution& one : convolutions()) {
    const Operands<T> values(one);
    Sums<T> expected(values.weight.size());
    for_products(one, [&](std::size_t image, std::size_t factor, std::size_t window) {
      expected[factor].add(Exact<T>(values.images[image]) * Exact<T>(values.windows[window]));
    });
    Tensor weight = upload<T>(values.weight, one.weight(), device);
    weight.requires_grad_();
    const Tensor y =
        conv2d(upload<T>(values.images, one.images(), device), weight, {}, one.options);
    const Tensor grad = upload<T>(values.windows, one.windows(), device);
    expect_sums<T>(download<T>(gradients({y}, {weight}, {grad})[0]), expected, record, one.name);
  }
}

// ------------------------------------------------------------------------------- pooling ---

struct Pooling {
  std::string name;
  std::int64_t planes, h, w;
  Pair kernel = 1, stride = 1, padding = 0, dilation = 1;
  Pair windows = 1;
  bool ceil = false, counts_padding = false, is_adaptive = false;

  Shape images() const { return {1, planes, h, w}; }
  Shape result() const { return {1, planes, windows.h, windows.w}; }
  Tensor max(const Tensor& x) const {
    if (is_adaptive) return adaptive_max_pool2d(x, windows);
    return max_pool2d(x, kernel, {stride, padding, dilation, ceil});
  }
  Tensor avg(const Tensor& x) const {
    if (is_adaptive) return adaptive_avg_pool2d(x, windows);
    return avg_pool2d(x, kernel, {stride, padding, ceil, counts_padding});
  }
};

std::vector<Pooling> poolings() {
  return {
      {"3 by 2", 3, 9, 8, 3, 2, 0, 1, {4, 3}},
      {"3 by 2, up", 3, 9, 8, 3, 2, 0, 1, {4, 4}, true},
      {"3 by 2 padded", 2, 7, 6, 3, 2, 1, 1, {4, 3}},
      {"2 padded, counted", 2, 5, 6, 2, 2, 1, 1, {3, 4}, false, true},
      {"3 by 2 padded, up, counted", 1, 6, 7, 3, 2, 1, 1, {4, 4}, true, true},
      {"5 by 5, up, without a last window", 2, 11, 12, 5, 5, 2, 1, 3, true, true},
      {"uneven", 2, 7, 9, {2, 3}, {1, 4}, {1, 0}, 1, {8, 2}},
      {"whole image", 4, 6, 5, {6, 5}, 1},
      {"many windows", 2, 5, 600, {2, 3}, 1, {0, 1}, 1, {4, 600}},
      {"many windows by 2", 1, 6, 561, 3, 2, 1, 1, {3, 281}},
      {"many windows by 3", 1, 4, 90, {2, 4}, {2, 3}, {0, 2}, 1, {2, 31}},
      {"adaptive", 3, 10, 7, 1, 1, 0, 1, {4, 3}, false, false, true},
      {"adaptive to more", 2, 3, 4, 1, 1, 0, 1, {5, 6}, false, false, true},
  };
}

std::vector<Pooling> dilated_poolings() {
  std::vector<Pooling> all = poolings();
  all.push_back({"dilated", 2, 9, 10, 3, 2, 1, {2, 3}, {4, 3}});
  all.push_back({"dilated, many windows", 1, 8, 300, 3, 1, 1, {2, 3}, {6, 296}});
  return all;
}

/// The elements of window (y, x), and by how many a sum is divided.
struct Window {
  std::vector<std::size_t> places;
  std::int64_t count = 0;
};

Window window_at(const Pooling& one, std::int64_t y, std::int64_t x) {
  const auto along = [&](std::int64_t at, std::int64_t extent, std::int64_t windows,
                         std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         std::int64_t dilation, std::int64_t& count) {
    std::vector<std::int64_t> all;
    if (one.is_adaptive) {
      for (std::int64_t i = at * extent / windows; i * windows < (at + 1) * extent; ++i) {
        all.push_back(i);
      }
      count = static_cast<std::int64_t>(all.size());
      return all;
    }
    count = 0;
    for (std::int64_t k = 0; k < kernel; ++k) {
      const std::int64_t i = at * stride - padding + k * dilation;
      if (i >= 0 && i < extent) all.push_back(i);
      if (one.counts_padding ? i < extent + padding : i >= 0 && i < extent) ++count;
    }
    return all;
  };
  std::int64_t height = 0, width = 0;
  const auto rows = along(y, one.h, one.windows.h, one.kernel.h, one.stride.h, one.padding.h,
                          one.dilation.h, height);
  const auto columns = along(x, one.w, one.windows.w, one.kernel.w, one.stride.w, one.padding.w,
                             one.dilation.w, width);
  Window window{{}, height * width};
  for (const std::int64_t row : rows) {
    for (const std::int64_t column : columns) {
      window.places.push_back(static_cast<std::size_t>(row * one.w + column));
    }
  }
  return window;
}

/// Calls body(first place of the plane, place in the result, window).
template <class Body>
void for_windows(const Pooling& one, const Body& body) {
  std::size_t result = 0;
  for (std::int64_t plane = 0; plane < one.planes; ++plane) {
    for (std::int64_t y = 0; y < one.windows.h; ++y) {
      for (std::int64_t x = 0; x < one.windows.w; ++x) {
        body(static_cast<std::size_t>(plane * one.h * one.w), result++, window_at(one, y, x));
      }
    }
  }
}

/// With NaN and infinities among the values, and equal ones.
template <class T>
void check_max_pool2d(const Device& device) {
  for (const Pooling& one : dilated_poolings()) {
    Values<T> values = random_values<T>(count_of(one.images()), 44);
    for (std::size_t i = 0; i + 3 < values.size(); i += 7) values[i] = values[i + 1];
    Values<T> expected(count_of(one.result()));
    std::vector<std::int64_t> places(expected.size());
    for_windows(one, [&](std::size_t plane, std::size_t to, const Window& window) {
      std::size_t best = window.places[0];
      for (const std::size_t place : window.places) {
        const auto value = values[plane + place], most = values[plane + best];
        if (most == most && (value != value || value > most)) best = place;
      }
      expected[to] = values[plane + best];
      places[to] = static_cast<std::int64_t>(best);
    });
    const Tensor x = upload<T>(values, one.images(), device);
    const Tensor y = one.max(x);
    ASSERT_EQ(y.shape(), one.result()) << one.name;
    const Values<T> got = download<T>(y);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const bool both_nan = got[i] != got[i] && expected[i] != expected[i];
      ASSERT_TRUE(both_nan || got[i] == expected[i])
          << one.name << " at " << i << ": expected " << expected[i] << ", got " << got[i];
    }
    if (one.is_adaptive) continue;
    const Tensor index =
        max_pool2d_index(x, one.kernel, {one.stride, one.padding, one.dilation, one.ceil});
    EXPECT_EQ(index.to_vector<std::int64_t>(), places) << one.name;
  }
}

/// Each gradient goes to the largest element of its window: overlapping windows add to one.
template <class T>
void check_max_pool2d_input(const Device& device, const OperatorInfo& record) {
  for (const Pooling& one : dilated_poolings()) {
    Values<T> values = tame_values<T>(count_of(one.images()), 44);
    for (std::size_t i = 0; i + 3 < values.size(); i += 7) values[i] = values[i + 1];
    const Values<T> grads = tame_values<T>(count_of(one.result()), 47);
    Sums<T> expected(values.size());
    for_windows(one, [&](std::size_t plane, std::size_t from, const Window& window) {
      std::size_t best = window.places[0];
      for (const std::size_t place : window.places) {
        if (values[plane + place] > values[plane + best]) best = place;
      }
      expected[plane + best].add(Exact<T>(grads[from]));
    });
    Tensor x = upload<T>(values, one.images(), device);
    x.requires_grad_();
    for (const Layout layout : {Layout::kContiguous, Layout::kTransposed}) {
      const Shape planes{one.planes, one.windows.h, one.windows.w};
      const Tensor grad = arrange<T>(grads, planes, layout, device).unsqueeze(0);
      expect_sums<T>(download<T>(gradients({one.max(x)}, {x}, {grad})[0]), expected, record,
                     one.name);
    }
  }
}

template <class T>
void check_avg_pool2d(const Device& device, const OperatorInfo& record) {
  for (const Pooling& one : poolings()) {
    const Values<T> values = tame_values<T>(count_of(one.images()), 45);
    Sums<T> expected(count_of(one.result()));
    for_windows(one, [&](std::size_t plane, std::size_t to, const Window& window) {
      for (const std::size_t place : window.places) {
        expected[to].add(Exact<T>(values[plane + place]) / static_cast<Exact<T>>(window.count));
      }
    });
    const Tensor y = one.avg(upload<T>(values, one.images(), device));
    ASSERT_EQ(y.shape(), one.result()) << one.name;
    expect_sums<T>(download<T>(y), expected, record, one.name);
  }
}

template <class T>
void check_avg_pool2d_input(const Device& device, const OperatorInfo& record) {
  for (const Pooling& one : poolings()) {
    const Values<T> grads = tame_values<T>(count_of(one.result()), 46);
    Sums<T> expected(count_of(one.images()));
    for_windows(one, [&](std::size_t plane, std::size_t from, const Window& window) {
      for (const std::size_t place : window.places) {
        expected[plane + place].add(Exact<T>(grads[from]) / static_cast<Exact<T>>(window.count));
      }
    });
    Tensor x = upload<T>(Values<T>(expected.size()), one.images(), device);
    x.requires_grad_();
    const Tensor grad = upload<T>(grads, one.result(), device);
    expect_sums<T>(download<T>(gradients({one.avg(x)}, {x}, {grad})[0]), expected, record,
                   one.name);
  }
}

}  // namespace

OperatorCases window_cases() {
  return {
      for_floats("conv2d", [](const Device& device, const OperatorInfo& record,
                              auto zero) { check_conv2d<decltype(zero)>(device, record); }),
      for_floats("conv2d_input",
                 [](const Device& device, const OperatorInfo& record, auto zero) {
                   check_conv2d_input<decltype(zero)>(device, record);
                 }),
      for_floats("conv2d_weight",
                 [](const Device& device, const OperatorInfo& record, auto zero) {
                   check_conv2d_weight<decltype(zero)>(device, record);
                 }),
      for_floats("max_pool2d_index", [](const Device& device, const OperatorInfo&,
                                        auto zero) { check_max_pool2d<decltype(zero)>(device); }),
      for_floats("max_pool2d_input",
                 [](const Device& device, const OperatorInfo& record, auto zero) {
                   check_max_pool2d_input<decltype(zero)>(device, record);
                 }),
      for_floats("avg_pool2d", [](const Device& device, const OperatorInfo& record,
                                  auto zero) { check_avg_pool2d<decltype(zero)>(device, record); }),
      for_floats("avg_pool2d_input",
                 [](const Device& device, const OperatorInfo& record, auto zero) {
                   check_avg_pool2d_input<decltype(zero)>(device, record);
                 }),
  };
}

}  // namespace patchbay::test
