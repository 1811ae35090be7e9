// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/dnn_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

namespace {

constexpr std::int64_t kMostFeatures = 128, kFeatureStep = 8;

template <class T>
class Rows {
 public:
  Rows(const Attention& attention, Attention::Operand operand, std::byte* data)
      : strides_(attention.strides[operand]), data_(reinterpret_cast<T*>(data)) {}

  T& at(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) const {
    return data_[batch * strides_[0] + head * strides_[1] + row * strides_[2] +
                 column * strides_[3]];
  }

 private:
  const Attention::Axes& strides_;
  T* data_;
};

template <class T>
void attend_as(const Attention& a, float scale, const std::array<std::byte*, 4>& operands) {
  const auto rows = [&](Attention::Operand operand) {
    return Rows<T>(a, operand, operands[operand]);
  };
  const Rows<T> query = rows(Attention::kQuery), key = rows(Attention::kKey);
  const Rows<T> value = rows(Attention::kValue), out = rows(Attention::kOut);
  const auto& of_query = a.extents[Attention::kQuery];
  const std::int64_t keys = a.extents[Attention::kKey][2];
  const std::int64_t columns = a.extents[Attention::kValue][3];
  // The last weight is that of the padding behind the keys, whose score is -infinity.
  std::vector<float> weights(static_cast<std::size_t>(keys) + 1);
  const auto attend_row = [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    for (std::int64_t j = 0; j < keys; ++j) {
      float score = 0;
      for (std::int64_t l = 0; l < of_query[3]; ++l) {
        score += static_cast<float>(query.at(b, h, i, l)) * static_cast<float>(key.at(b, h, j, l));
      }
      weights[static_cast<std::size_t>(j)] = scale * score;
    }
    weights.back() = scale * -std::numeric_limits<float>::infinity();
    const float most = *std::max_element(weights.begin(), weights.end());
    float total = 0;
    for (float& weight : weights) total += weight = std::exp(weight - most);
    for (std::int64_t n = 0; n < columns; ++n) {
      float sum = 0;
      for (std::int64_t j = 0; j < keys; ++j) {
        const T weight = static_cast<T>(weights[static_cast<std::size_t>(j)]);
        sum += static_cast<float>(weight) * static_cast<float>(value.at(b, h, j, n));
      }
      out.at(b, h, i, n) = static_cast<T>(sum / total);
    }
  };
  for (std::int64_t b = 0; b < of_query[0]; ++b) {
    for (std::int64_t h = 0; h < of_query[1]; ++h) {
      for (std::int64_t i = 0; i < of_query[2]; ++i) attend_row(b, h, i);
    }
  }
}

}  // namespace

bool Attention::fits() const {
  for (const Axes& tensor : extents) {
    if (tensor.size() != 4) return false;
    if (tensor[0] != extents[kQuery][0] || tensor[1] != extents[kQuery][1]) return false;
  }
  return extents[kKey][3] == extents[kQuery][3] && extents[kValue][2] == extents[kKey][2] &&
         extents[kOut][2] == extents[kQuery][2] && extents[kOut][3] == extents[kValue][3];
}

bool Attention::is_supported() const {
  if (type != cuda::kDnnF16 && type != cuda::kDnnBf16) return false;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::int64_t columns = extents[i][3];
    if (columns > kMostFeatures || columns % kFeatureStep != 0 || strides[i][3] != 1) return false;
  }
  return true;
}

void attend(const Attention& attention, float scale, const std::array<std::byte*, 4>& operands) {
  if (attention.type == cuda::kDnnF16) return attend_as<F16>(attention, scale, operands);
  attend_as<Bf16>(attention, scale, operands);
}

}  // namespace patchbay::sim
