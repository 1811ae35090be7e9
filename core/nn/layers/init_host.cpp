// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// First values that are computed on the host, from numbers that are drawn on the tensor's device:
// they are the same for all devices.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/nn/init.h"

#include "core/base/error.h"

namespace patchbay::nn::init {
namespace {

using base::raise;
using Doubles = std::vector<double>;

Doubles on_host(const Tensor& drawn) {
  const std::vector<float> values = drawn.to_vector<float>();
  return Doubles(values.begin(), values.end());
}

Doubles draw_uniform(const Shape& shape, const Device& device, const OptionalGenerator& generator) {
  return on_host(rand(shape, {DType::f32, device}, generator));
}

Doubles draw_normal(const Shape& shape, const Device& device, const OptionalGenerator& generator) {
  return on_host(randn(shape, {DType::f32, device}, generator));
}

/// Rounds the values to the tensor's dtype on its device.
const Tensor& write(const Tensor& tensor, const Doubles& values) {
  const NoGrad no_grad;
  if (tensor.dtype() == DType::f64) {
    return tensor.copy_from(from_host(values, tensor.shape(), tensor.device()));
  }
  const std::vector<float> rounded(values.begin(), values.end());
  return tensor.copy_from(from_host(rounded, tensor.shape(), tensor.device()));
}

void check_matrix(const char* function, const Tensor& tensor, bool allows_more) {
  if (tensor.rank() == 2 || (allows_more && tensor.rank() > 2)) return;
  raise(ErrorCode::kShapeMismatch, "[{}] no matrix: expected two dimensions{}, got {}", function,
        allows_more ? " or more" : "", patchbay::to_string(tensor.shape()));
}

double normal_distribution(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

/// Where the normal distribution is p. By bisection: it is called once for each weight.
double normal_quantile(double p, double low, double high) {
  for (int i = 0; i < 60 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    (normal_distribution(middle) < p ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

/// Turns a uniform number from 0 to 1 into a normal one between `first` and `last`. `first` is at
/// most 0: far above, the distribution function is so close to 1 that f64 has no digits left.
class Truncated {
 public:
  Truncated(double first, double last)
      : first_(first),
        last_(std::min(last, kFarthest)),
        least_(normal_distribution(first)),
        most_(normal_distribution(last_)) {}

  double operator()(double u) const {
    if (last_ >= -kUnderflow) {
      const double low = std::max(first_, -kFarthest);
      return normal_quantile(least_ + u * (most_ - least_), low, last_);
    }
    // The distribution function is 0 in f64. The density is that of a Rayleigh distribution divided
    // by z, which changes by less than 1 / 37^2 where the numbers lie.
    const double span = (last_ - first_) * (-last_ - first_) / 2;
    return -std::hypot(last_, std::sqrt(-2 * std::log1p(u * std::expm1(-span))));
  }

 private:
  static constexpr double kUnderflow = 37, kFarthest = 38;

  double first_, last_, least_, most_;
};

/// Makes the columns orthonormal: Gram and Schmidt's method, each column twice, because once loses
/// the orthogonality of almost parallel columns. R's diagonal, the lengths, is positive.
void orthonormalize(std::span<Doubles> columns) {
  const auto dot = [](const Doubles& a, const Doubles& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Doubles& column = columns[k];
    for (int round = 0; round < 2; ++round) {
      for (const Doubles& before : columns.first(k)) {
        const double along = dot(before, column);
        for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along * before[i];
      }
    }
    const double length = std::sqrt(dot(column, column));
    for (double& value : column) value /= length;
  }
}

}  // namespace

const Tensor& trunc_normal(const Tensor& tensor, double mean, double deviation, double low,
                           double high, const OptionalGenerator& generator) {
  if (!(low < high) || !(deviation > 0) || !std::isfinite(mean) || !std::isfinite(deviation)) {
    raise(ErrorCode::kInvalidArgument,
          "[trunc_normal] no such distribution: expected low < high and deviation > 0, got {}, {} "
          "and {}",
          low, high, deviation);
  }
  const double first = (low - mean) / deviation, last = (high - mean) / deviation;
  const bool is_turned = first > 0;
  const Truncated normal = is_turned ? Truncated(-last, -first) : Truncated(first, last);
  Doubles values = draw_uniform(tensor.shape(), tensor.device(), generator);
  for (double& value : values) {
    const double z = is_turned ? -normal(value) : normal(value);
    value = std::clamp(mean + deviation * z, low, high);
  }
  return write(tensor, values);
}

const Tensor& orthogonal(const Tensor& tensor, double gain, const OptionalGenerator& generator) {
  check_matrix("orthogonal", tensor, /*allows_more=*/true);
  if (tensor.num_elements() == 0) return tensor;
  const auto rows = static_cast<std::size_t>(tensor.size(0));
  const std::size_t columns = static_cast<std::size_t>(tensor.num_elements()) / rows;
  Doubles values = draw_normal(tensor.shape(), tensor.device(), generator);
  // The fewer of both become orthogonal.
  const bool by_rows = rows < columns;
  const std::size_t count = std::min(rows, columns), length = std::max(rows, columns);
  const auto place = [&](std::size_t vector, std::size_t i) {
    return by_rows ? vector * columns + i : i * columns + vector;
  };
  std::vector<Doubles> vectors(count, Doubles(length));
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t i = 0; i < length; ++i) vectors[v][i] = values[place(v, i)];
  }
  orthonormalize(vectors);
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t i = 0; i < length; ++i) values[place(v, i)] = gain * vectors[v][i];
  }
  return write(tensor, values);
}

const Tensor& sparse(const Tensor& tensor, double sparsity, double deviation,
                     const OptionalGenerator& generator) {
  check_matrix("sparse", tensor, /*allows_more=*/false);
  if (!(sparsity >= 0 && sparsity <= 1)) {
    raise(ErrorCode::kInvalidArgument, "[sparse] a wrong sparsity: expected 0 to 1, got {}",
          sparsity);
  }
  const auto rows = static_cast<std::size_t>(tensor.size(0)),
             columns = static_cast<std::size_t>(tensor.size(1));
  const auto num_zeros = static_cast<std::size_t>(std::ceil(sparsity * static_cast<double>(rows)));
  Doubles values = draw_normal(tensor.shape(), tensor.device(), generator);
  for (double& value : values) value *= deviation;
  const Doubles order = draw_uniform(tensor.shape(), tensor.device(), generator);
  std::vector<std::size_t> chosen(rows);
  for (std::size_t column = 0; column < columns; ++column) {
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    std::ranges::stable_sort(chosen, {},
                             [&](std::size_t row) { return order[row * columns + column]; });
    for (std::size_t i = 0; i < num_zeros; ++i) values[chosen[i] * columns + column] = 0;
  }
  return write(tensor, values);
}

}  // namespace patchbay::nn::init
