// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/init.h"

#include <cmath>

#include "patchbay/autograd.h"

#include "core/base/error.h"

namespace patchbay::nn::init {

using base::raise;

Fan fan_of(const Tensor& weight) {
  if (weight.rank() < 2) {
    raise(ErrorCode::kShapeMismatch,
          "[fan_of] too few dimensions: expected a weight [out, in, ...], got {}",
          patchbay::to_string(weight.shape()));
  }
  std::int64_t others = 1;
  for (int d = 2; d < weight.rank(); ++d) others *= weight.size(d);
  return {weight.size(1) * others, weight.size(0) * others};
}

double calculate_gain(Nonlinearity function, double slope) {
  switch (function) {
    case Nonlinearity::kLinear:
    case Nonlinearity::kSigmoid: return 1;
    case Nonlinearity::kTanh: return 5.0 / 3;
    case Nonlinearity::kRelu: return std::sqrt(2.0);
    case Nonlinearity::kLeakyRelu: return std::sqrt(2 / (1 + slope * slope));
    case Nonlinearity::kSelu: return 0.75;
  }
  base::raise_not_in_enum("calculate_gain", "function", "Nonlinearity", function);
}

const Tensor& constant(const Tensor& tensor, double value) {
  const NoGrad no_grad;
  return tensor.fill_(value);
}

const Tensor& zeros(const Tensor& tensor) { return constant(tensor, 0); }

const Tensor& ones(const Tensor& tensor) { return constant(tensor, 1); }

const Tensor& eye(const Tensor& tensor) {
  if (tensor.rank() != 2) {
    raise(ErrorCode::kShapeMismatch, "[eye] no matrix: expected two dimensions, got {}",
          patchbay::to_string(tensor.shape()));
  }
  constant(tensor, 0);
  const NoGrad no_grad;
  tensor.detach().diagonal().fill_(1);
  return tensor;
}

const Tensor& dirac(const Tensor& tensor, std::int64_t groups) {
  if (tensor.rank() < 3 || tensor.rank() > 5) {
    raise(ErrorCode::kShapeMismatch,
          "[dirac] no weight of a convolution: expected 3 to 5 dimensions, got {}",
          patchbay::to_string(tensor.shape()));
  }
  if (groups < 1 || tensor.size(0) % groups != 0) {
    raise(ErrorCode::kInvalidArgument,
          "[dirac] wrong groups: expected a divisor of {} channels, got {}", tensor.size(0),
          groups);
  }
  constant(tensor, 0);
  const NoGrad no_grad;
  Tensor middle = tensor.detach();  // [out, in]
  while (middle.rank() > 2) {
    if (middle.size(-1) == 0) return tensor;
    middle = middle.select(-1, middle.size(-1) / 2);
  }
  const std::int64_t size = tensor.size(0) / groups;
  for (std::int64_t g = 0; g < groups; ++g) {
    middle.slice(0, g * size, (g + 1) * size).diagonal().fill_(1);
  }
  return tensor;
}

const Tensor& uniform(const Tensor& tensor, double low, double high,
                      const OptionalGenerator& generator) {
  const NoGrad no_grad;
  return fill_uniform(tensor, low, high, generator);
}

const Tensor& normal(const Tensor& tensor, double mean, double deviation,
                     const OptionalGenerator& generator) {
  const NoGrad no_grad;
  return fill_normal(tensor, mean, deviation, generator);
}

namespace {

double kaiming_deviation(const Tensor& tensor, const KaimingOptions& options) {
  base::check_in_enum("kaiming", "mode", "FanMode", options.mode, FanMode::kOut);
  const Fan fan = fan_of(tensor);
  const auto count = static_cast<double>(options.mode == FanMode::kIn ? fan.in : fan.out);
  return calculate_gain(options.nonlinearity, options.slope) / std::sqrt(count);
}

double xavier_deviation(const Tensor& tensor, double gain) {
  const Fan fan = fan_of(tensor);
  return gain * std::sqrt(2 / static_cast<double>(fan.in + fan.out));
}

const Tensor& symmetric(const Tensor& tensor, double deviation,
                        const OptionalGenerator& generator) {
  if (tensor.num_elements() == 0) return tensor;  // the deviation is infinite
  const double limit = std::sqrt(3.0) * deviation;
  return uniform(tensor, -limit, limit, generator);
}

const Tensor& centered(const Tensor& tensor, double deviation, const OptionalGenerator& generator) {
  if (tensor.num_elements() == 0) return tensor;
  return normal(tensor, 0, deviation, generator);
}

}  // namespace

const Tensor& xavier_uniform(const Tensor& tensor, double gain,
                             const OptionalGenerator& generator) {
  return symmetric(tensor, xavier_deviation(tensor, gain), generator);
}

const Tensor& xavier_normal(const Tensor& tensor, double gain, const OptionalGenerator& generator) {
  return centered(tensor, xavier_deviation(tensor, gain), generator);
}

const Tensor& kaiming_uniform(const Tensor& tensor, const KaimingOptions& options,
                              const OptionalGenerator& generator) {
  return symmetric(tensor, kaiming_deviation(tensor, options), generator);
}

const Tensor& kaiming_normal(const Tensor& tensor, const KaimingOptions& options,
                             const OptionalGenerator& generator) {
  return centered(tensor, kaiming_deviation(tensor, options), generator);
}

}  // namespace patchbay::nn::init
