// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/dnn_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda-cublas/api/dnn_api.hpp"
#include "sim/small_floats.h"

namespace patchbay::sim {
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
