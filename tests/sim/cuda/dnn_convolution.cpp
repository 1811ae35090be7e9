// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/dnn_convolution.h"

#include "cuda-cublas/api/dnn_api.hpp"
#include "sim/small_floats.h"

namespace patchbay::sim {
namespace {

/// Calls visit(window, tap, position) for what the windows read on a spatial axis. The padding is
/// left out.
template <class Visit>
void for_axis(const Convolution& c, std::size_t axis, const Visit& visit) {
  const std::int64_t extent = c.extents[Convolution::kImages][axis + 2];
  for (std::int64_t window = 0; window < c.extents[Convolution::kWindows][axis + 2]; ++window) {
    for (std::int64_t tap = 0; tap < c.extents[Convolution::kWeight][axis + 2]; ++tap) {
      const std::int64_t position =
          window * c.strides[axis] + tap * c.dilations[axis] - c.pre_paddings[axis];
      if (position >= 0 && position < extent) visit(window, tap, position);
    }
  }
}

/// Calls visit(indices) for each product of elements, where `indices` has that of each operand.
template <class Visit>
void for_products(const Convolution& c, const Visit& visit) {
  using Indices = std::array<std::int64_t, 3>;
  const auto& weight = c.extents[Convolution::kWeight];
  const auto& images = c.extents[Convolution::kImages];
  const auto& windows = c.extents[Convolution::kWindows];
  const std::int64_t filters = weight[0], channels = weight[1];  // of a group
  const std::int64_t group_filters = filters / c.groups();
  for (std::int64_t image = 0; image < images[0]; ++image) {
    for (std::int64_t filter = 0; filter < filters; ++filter) {
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        const Indices plane = {filter * channels + channel,
                               image * images[1] + filter / group_filters * channels + channel,
                               image * filters + filter};
        for_axis(c, 0, [&](std::int64_t window_y, std::int64_t tap_y, std::int64_t y) {
          const Indices row = {plane[0] * weight[2] + tap_y, plane[1] * images[2] + y,
                               plane[2] * windows[2] + window_y};
          for_axis(c, 1, [&](std::int64_t window_x, std::int64_t tap_x, std::int64_t x) {
            visit(Indices{row[0] * weight[3] + tap_x, row[1] * images[3] + x,
                          row[2] * windows[3] + window_x});
          });
        });
      }
    }
  }
}

/// C is the type in which the products are summed, and R that of the result.
template <class T, class C, class R = T>
void convolve_as(const Convolution& c, double error, const std::array<std::byte*, 3>& operands) {
  const std::size_t result = c.result, first = (result + 1) % 3, second = (result + 2) % 3;
  const auto read = [&](std::size_t operand, std::int64_t index) {
    return static_cast<C>(reinterpret_cast<const T*>(operands[operand])[index]);
  };
  std::int64_t count = 1;
  for (const std::int64_t extent : c.extents[result]) count *= extent;
  std::vector<C> sums(static_cast<std::size_t>(count));
  for_products(c, [&](const std::array<std::int64_t, 3>& indices) {
    sums[static_cast<std::size_t>(indices[result])] +=
        read(first, indices[first]) * read(second, indices[second]);
  });
  const C alpha = static_cast<C>(c.alpha), beta = static_cast<C>(c.beta);
  const C factor = static_cast<C>(1 + error);
  R* out = reinterpret_cast<R*>(operands[result]);
  for (const C sum : sums) {
    const C value = alpha * (sum * factor);
    *out = R(beta == C(0) ? value : value + beta * static_cast<C>(*out));
    ++out;
  }
}

}  // namespace

bool Convolution::fits() const {
  const auto& weight = extents[kWeight];
  const auto& images = extents[kImages];
  const auto& windows = extents[kWindows];
  const std::size_t rank = strides.size();
  for (const Extents& tensor : extents) {
    if (tensor.size() != rank + 2) return false;
  }
  if (images[0] != windows[0] || weight[0] != windows[1]) return false;
  if (images[1] % weight[1] != 0 || weight[0] % groups() != 0) return false;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t span = dilations[i] * (weight[i + 2] - 1) + 1;
    const std::int64_t room = images[i + 2] + pre_paddings[i] + post_paddings[i] - span;
    if (room < 0 || windows[i + 2] != room / strides[i] + 1) return false;
  }
  return true;
}

void convolve(const Convolution& convolution, const Inexactness& inexactness,
              const std::array<std::byte*, 3>& operands) {
  const double error = inexactness.error;
  switch (convolution.type) {
    case cuda::kDnnF64: return convolve_as<double, double>(convolution, error, operands);
    case cuda::kDnnF16: return convolve_as<F16, float>(convolution, error, operands);
    case cuda::kDnnBf16: return convolve_as<Bf16, float>(convolution, error, operands);
    default: break;
  }
  if (inexactness.rounds_to_tf32) {
    return convolve_as<Tf32, float, float>(convolution, error, operands);
  }
  convolve_as<float, float>(convolution, error, operands);
}

}  // namespace patchbay::sim
