// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions, their adjoints and pooling against loops over every window.

#include <patchbay/autograd.h>
#include <patchbay/convolution.h>
#include <patchbay/pooling.h>

#include "conformance/reference/windows.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

using conformance::Window;

// -------------------------------------------------------------------------- convolutions ---

struct Convolution {
  std::string name;
  std::int64_t n, c, h, w, o, kh, kw;
  Conv2dOptions options = {};

  Shape images() const { return {n, c, h, w}; }
  Shape weight() const { return {o, c / options.groups, kh, kw}; }
  Shape windows() const {
    const conformance::ConvolutionShape by = shape();
    return {n, o, by.h.windows(), by.w.windows()};
  }
  conformance::ConvolutionShape shape() const {
    const Conv2dOptions& by = options;
    const conformance::Axis rows{h, kh, by.stride.h, by.padding.h, by.dilation.h};
    const conformance::Axis columns{w, kw, by.stride.w, by.padding.w, by.dilation.w};
    return {n, c, o, by.groups, rows, columns};
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

template <class T>
struct Operands {
  explicit Operands(const Convolution& one)
      : images(tame_values<T>(count_of(one.images()), 41)),
        weight(tame_values<T>(count_of(one.weight()), 42)),
        windows(tame_values<T>(count_of(one.windows()), 43)) {}

  Values<T> images, weight, windows;
};

/// Which operand is the result.
enum class Made { kWindows, kImages, kWeight };

/// A transposed convolution is the adjoint for the smallest images that give as many windows.
template <Made kMade>
OperatorCase convolution(std::string_view name) {
  return case_of<Types::kFloats>(name, [](const Device& device, const OperatorInfo& record,
                                          auto zero) {
    using T = decltype(zero);
    for (const Convolution& one : convolutions()) {
      const Operands<T> values(one);
      Terms<T> expected(kMade == Made::kWindows  ? values.windows.size()
                        : kMade == Made::kImages ? values.images.size()
                                                 : values.weight.size());
      one.shape().for_products([&](std::size_t image, std::size_t factor, std::size_t window) {
        const Exact<T> a = values.images[image], b = values.weight[factor];
        const Exact<T> c = values.windows[window];
        if (kMade == Made::kWindows) expected[window].add(a * b);
        if (kMade == Made::kImages) expected[image].add(c * b);
        if (kMade == Made::kWeight) expected[factor].add(a * c);
      });
      Tensor weight = upload<T>(values.weight, one.weight(), device);
      if (kMade == Made::kWindows) {
        for (const Layout layout : {Layout::kContiguous, Layout::kOffset}) {
          const Tensor x = arrange<T>(values.images, {one.n * one.c, one.h, one.w}, layout, device);
          const Tensor y = conv2d(x.view(one.images()), weight, {}, one.options);
          ASSERT_EQ(y.shape(), one.windows()) << one.name;
          expect_terms<T>(download<T>(y), expected, record, one.name);
        }
        continue;
      }
      Tensor x = upload<T>(values.images, one.images(), device);
      Tensor& wanted = kMade == Made::kImages ? x : weight;
      wanted.requires_grad_();
      const Tensor y = conv2d(x, weight, {}, one.options);
      const Tensor grad = upload<T>(values.windows, one.windows(), device);
      expect_terms<T>(download<T>(gradients({y}, {wanted}, {grad})[0]), expected, record, one.name);
    }
  });
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

/// Calls body(place in the result, window).
template <class Body>
void for_windows(const Pooling& one, const Body& body) {
  const conformance::Axis rows{one.h, one.kernel.h, one.stride.h, one.padding.h, one.dilation.h};
  const conformance::Axis columns{one.w, one.kernel.w, one.stride.w, one.padding.w, one.dilation.w};
  conformance::for_windows(one.planes, {rows, one.windows.h, one.is_adaptive},
                           {columns, one.windows.w, one.is_adaptive}, one.counts_padding, body);
}

/// With NaN and infinities among the values, and equal ones.
template <class T>
void check_max_pool2d(const Device& device, const OperatorInfo&) {
  for (const Pooling& one : dilated_poolings()) {
    Values<T> values = random_values<T>(count_of(one.images()), 44);
    for (std::size_t i = 0; i + 3 < values.size(); i += 7) values[i] = values[i + 1];
    Values<T> expected(count_of(one.result()));
    std::vector<std::int64_t> places(expected.size());
    for_windows(one, [&](std::size_t to, const Window& window) {
      const std::size_t best = window.largest([&](std::size_t i) { return values[i]; });
      expected[to] = values[best];
      places[to] = static_cast<std::int64_t>(best) % (one.h * one.w);
    });
    const Tensor x = upload<T>(values, one.images(), device);
    const Tensor y = one.max(x);
    ASSERT_EQ(y.shape(), one.result()) << one.name;
    expect_same<T>(download<T>(y), expected, one.name);
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
    Terms<T> expected(values.size());
    for_windows(one, [&](std::size_t from, const Window& window) {
      const std::size_t best = window.largest([&](std::size_t i) { return values[i]; });
      expected[best].add(Exact<T>(grads[from]));
    });
    Tensor x = upload<T>(values, one.images(), device);
    x.requires_grad_();
    for (const Layout layout : {Layout::kContiguous, Layout::kTransposed}) {
      const Shape planes{one.planes, one.windows.h, one.windows.w};
      const Tensor grad = arrange<T>(grads, planes, layout, device).unsqueeze(0);
      expect_terms<T>(download<T>(gradients({one.max(x)}, {x}, {grad})[0]), expected, record,
                      one.name);
    }
  }
}

/// Means, or the adjoint.
template <bool kIsAdjoint>
OperatorCase mean_pooling(std::string_view name) {
  return case_of<Types::kFloats>(
      name, [](const Device& device, const OperatorInfo& record, auto zero) {
        using T = decltype(zero);
        for (const Pooling& one : poolings()) {
          const Shape from = kIsAdjoint ? one.result() : one.images();
          const Values<T> values = tame_values<T>(count_of(from), kIsAdjoint ? 46 : 45);
          Terms<T> expected(count_of(kIsAdjoint ? one.images() : one.result()));
          for_windows(one, [&](std::size_t at, const Window& window) {
            for (const std::size_t place : window.places) {
              expected[kIsAdjoint ? place : at].add(Exact<T>(values[kIsAdjoint ? at : place]) /
                                                    static_cast<Exact<T>>(window.count));
            }
          });
          const Tensor in = upload<T>(values, from, device);
          Tensor x = kIsAdjoint ? zeros(one.images(), {dtype_of<T>(), device}) : in;
          if (kIsAdjoint) x.requires_grad_();
          const Tensor y = one.avg(x);
          ASSERT_EQ(y.shape(), one.result()) << one.name;
          const Tensor got = kIsAdjoint ? gradients({y}, {x}, {in})[0] : y;
          expect_terms<T>(download<T>(got), expected, record, one.name);
        }
      });
}

}  // namespace

OperatorCases window_cases() {
  return {
      convolution<Made::kWindows>("conv2d"),
      convolution<Made::kImages>("conv2d_input"),
      convolution<Made::kWeight>("conv2d_weight"),
      case_of<Types::kFloats>("max_pool2d_index", PATCHBAY_OF_TYPES(check_max_pool2d)),
      case_of<Types::kFloats>("max_pool2d_input", PATCHBAY_OF_TYPES(check_max_pool2d_input)),
      mean_pooling<false>("avg_pool2d"),
      mean_pooling<true>("avg_pool2d_input"),
  };
}

}  // namespace patchbay::test
