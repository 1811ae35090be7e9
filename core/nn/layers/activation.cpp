// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/activation.h"

#include "patchbay/fuse.h"
#include "patchbay/nn/init.h"

#include "core/base/error.h"
#include "core/nn/layers/sizes.h"

namespace patchbay::nn {

using base::raise;

namespace {

/// Applies an activation that is made of several operations. For f16 and bf16 they run in f32, and
/// only the result is rounded.
template <class Activate>
Tensor in_f32(const Module& layer, const Tensor& x, const Activate& activate) {
  layers::check_defined(layer, "input", x);
  const DType dtype = x.dtype();
  const bool is_small = dtype == DType::f16 || dtype == DType::bf16;
  return is_small ? activate(x.cast(DType::f32)).cast(dtype) : activate(x);
}

}  // namespace

Tensor GLU::forward(const Tensor& x) {
  layers::check_defined(*this, "input", x);
  const std::int64_t extent = x.size(dim_), half = extent / 2;
  if (extent % 2 != 0) {
    raise(ErrorCode::kShapeMismatch,
          "[GLU] no two halves: expected an even extent of dimension {}, got {} (input: {})",
          static_cast<int>(dim_), extent, patchbay::to_string(x.shape()));
  }
  return x.slice(dim_, 0, half) * sigmoid(x.slice(dim_, half));
}

Tensor Softsign::forward(const Tensor& x) {
  layers::check_defined(*this, "input", x);
  if (!is_floating(x.dtype())) {
    raise(ErrorCode::kDtypeMismatch,
          "[Softsign] is not defined for {0}: expected one of f32, f64, f16, bf16, got {0} (input: "
          "{0} {1} on {2}). Convert it first with cast.",
          patchbay::to_string(x.dtype()), patchbay::to_string(x.shape()), x.device().name());
  }
  // Far from 0 the gradient of x / (|x| + 1) would be the difference of two nearly equal numbers.
  // The side that is not taken stays finite, so that it adds 0 to the gradient, not NaN.
  static const auto& softsign = *new auto(fuse(
      [](const Expression& a) {
        const Expression size = abs(a);
        const Expression near = clamp(a, -1, 1) / (minimum(size, 1) + 1);
        return where(ge(size, 1), sign(a) * (1 - 1 / (size + 1)), near);
      },
      "softsign"));
  return in_f32(*this, x, [](const Tensor& wide) { return softsign(wide); });
}

Tensor Hardsigmoid::forward(const Tensor& x) {
  return in_f32(*this, x, [](const Tensor& wide) { return clamp(wide / 6 + 0.5, 0, 1); });
}

Tensor Hardswish::forward(const Tensor& x) {
  return in_f32(*this, x, [](const Tensor& wide) { return wide * clamp(wide / 6 + 0.5, 0, 1); });
}

Tensor Mish::forward(const Tensor& x) {
  return in_f32(*this, x, [](const Tensor& wide) { return wide * tanh(softplus(wide)); });
}

Tensor Tanhshrink::forward(const Tensor& x) {
  return in_f32(*this, x, [](const Tensor& wide) { return wide - tanh(wide); });
}

PReLU::PReLU(Index count, const PReLUOptions& options) : weight(options.tensor) {
  layers::create_parameter(weight, {layers::checked_size("PReLU", "count", count)},
                           [&](const Tensor& tensor) { init::constant(tensor, options.slope); });
}

Tensor PReLU::forward(const Tensor& x) {
  layers::check_defined(*this, "input", x);
  const std::int64_t count = weight->num_elements();
  if (count == 1) return leaky_relu(x, *weight);
  if (x.rank() < 2 || x.size(1) != count) {
    raise(ErrorCode::kShapeMismatch,
          "[PReLU] a wrong input: expected [n, {}, ...], for one weight each, got {}", count,
          patchbay::to_string(x.shape()));
  }
  Shape shape{count};
  for (int d = 2; d < x.rank(); ++d) shape.push_back(1);
  return leaky_relu(x, weight->view(shape));
}

std::string PReLU::details() const { return std::to_string(weight->num_elements()); }

}  // namespace patchbay::nn
