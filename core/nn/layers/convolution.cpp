// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/convolution.h"

#include "core/base/error.h"
#include "core/nn/layers/details.h"
#include "core/nn/layers/sizes.h"

namespace patchbay::nn {
namespace {

using layers::checked_size;
using layers::tensor_of;

/// For layers of one dimension.
Pair both(std::int64_t number) { return {number, number}; }

}  // namespace

// --------------------------------------------------------------------------- what is shared ---

Convolution::Convolution(const Settings& settings, const TensorOptions& options)
    : weight(options), bias(options), settings_(settings) {
  checked_size(settings.layer, "out", settings.out);
  const auto check = [&](std::string_view name, const Pair& sizes, std::int64_t least) {
    if (settings.num_dims == 1) {
      checked_size(settings.layer, name, sizes.w, least);
    } else {
      checked_size(settings.layer, fmt::format("{} height", name), sizes.h, least);
      checked_size(settings.layer, fmt::format("{} width", name), sizes.w, least);
    }
  };
  check("kernel", settings.kernel, 1);
  check("stride", settings.stride, 1);
  check("padding", settings.padding, 0);
  check("dilation", settings.dilation, 1);
}

void Convolution::create(std::int64_t in) {
  const auto& [layer, num_dims, is_transposed, out, kernel, stride, padding, dilation, groups,
               has_bias] = settings_;
  checked_size(layer, "in", in);
  if (groups < 1 || in % groups != 0 || out % groups != 0) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[{}] wrong groups: expected a divisor of {} and {} channels, got {}", layer, in,
                   out, groups);
  }
  Shape shape = is_transposed ? Shape{in, out / groups} : Shape{out, in / groups};
  if (num_dims == 2) shape.push_back(kernel.h);
  shape.push_back(kernel.w);
  std::int64_t fan = 1;
  for (int d = 1; d < shape.rank(); ++d) fan *= shape[d];
  std::vector<layers::Wanted> all{{"weight", weight, shape, layers::uniform_in(fan)}};
  if (has_bias) all.push_back({"bias", bias, {out}, layers::uniform_in(fan)});
  layers::create_missing(layer, all);
}

void Convolution::learn(const Tensor& x) {
  layers::check_defined(*this, "input", x);
  if (weight.defined() && (!settings_.bias || bias.defined())) return;
  const int least = settings_.num_dims + 1;
  if (x.rank() == least || x.rank() == least + 1) create(x.size(-least));
}

void Convolution::members(Members& each) {
  each("weight", weight);
  if (settings_.bias) each("bias", bias);
}

std::string Convolution::details() const {
  const int rank = settings_.num_dims + 2;
  const std::string in = settings_.is_transposed
                             ? layers::extent_text(weight, rank, 0)
                             : layers::extent_text(weight, rank, 1, settings_.groups);
  std::string text =
      fmt::format("{}, {}, {}{}", in, settings_.out, layers::text_of(settings_.kernel),
                  layers::settings_text(settings_.stride, settings_.padding, settings_.dilation));
  if (settings_.groups != 1) text += fmt::format(", groups {}", settings_.groups);
  if (!settings_.bias) text += ", no bias";
  return text;
}

// -------------------------------------------------------------------------------- Conv2d ---

Conv2d::Conv2d(Index out, Pair kernel, const Conv2dLayerOptions& options)
    : Convolution({"Conv2d", 2, false, out, kernel, options.stride, options.padding,
                   options.dilation, options.groups, options.bias},
                  options.tensor),
      options_{options.stride, options.padding, options.dilation, options.groups} {}

Conv2d::Conv2d(Index in, Index out, Pair kernel, const Conv2dLayerOptions& options)
    : Conv2d(out, kernel, options) {
  create(in);
}

Tensor Conv2d::forward(const Tensor& x) { return conv2d(x, weight, tensor_of(bias), options_); }

Tensor LazyConv2d::forward(const Tensor& x) {
  learn(x);
  return Conv2d::forward(x);
}

// -------------------------------------------------------------------------------- Conv1d ---

Conv1d::Conv1d(Index out, Index kernel, const Conv1dLayerOptions& options)
    : Convolution({"Conv1d", 1, false, out, both(kernel), both(options.stride),
                   both(options.padding), both(options.dilation), options.groups, options.bias},
                  options.tensor),
      options_{options.stride, options.padding, options.dilation, options.groups} {}

Conv1d::Conv1d(Index in, Index out, Index kernel, const Conv1dLayerOptions& options)
    : Conv1d(out, kernel, options) {
  create(in);
}

Tensor Conv1d::forward(const Tensor& x) { return conv1d(x, weight, tensor_of(bias), options_); }

Tensor LazyConv1d::forward(const Tensor& x) {
  learn(x);
  return Conv1d::forward(x);
}

// ----------------------------------------------------------------------- ConvTranspose2d ---

ConvTranspose2d::ConvTranspose2d(Index out, Pair kernel, const ConvTranspose2dLayerOptions& options)
    : Convolution({"ConvTranspose2d", 2, true, out, kernel, options.stride, options.padding,
                   options.dilation, options.groups, options.bias},
                  options.tensor),
      options_{options.stride, options.padding, options.output_padding, options.groups,
               options.dilation} {}

ConvTranspose2d::ConvTranspose2d(Index in, Index out, Pair kernel,
                                 const ConvTranspose2dLayerOptions& options)
    : ConvTranspose2d(out, kernel, options) {
  create(in);
}

Tensor ConvTranspose2d::forward(const Tensor& x) {
  return conv_transpose2d(x, weight, tensor_of(bias), options_);
}

Tensor LazyConvTranspose2d::forward(const Tensor& x) {
  learn(x);
  return ConvTranspose2d::forward(x);
}

// ----------------------------------------------------------------------- ConvTranspose1d ---

ConvTranspose1d::ConvTranspose1d(Index out, Index kernel,
                                 const ConvTranspose1dLayerOptions& options)
    : Convolution({"ConvTranspose1d", 1, true, out, both(kernel), both(options.stride),
                   both(options.padding), both(options.dilation), options.groups, options.bias},
                  options.tensor),
      options_{options.stride, options.padding, options.output_padding, options.groups,
               options.dilation} {}

ConvTranspose1d::ConvTranspose1d(Index in, Index out, Index kernel,
                                 const ConvTranspose1dLayerOptions& options)
    : ConvTranspose1d(out, kernel, options) {
  create(in);
}

Tensor ConvTranspose1d::forward(const Tensor& x) {
  return conv_transpose1d(x, weight, tensor_of(bias), options_);
}

Tensor LazyConvTranspose1d::forward(const Tensor& x) {
  learn(x);
  return ConvTranspose1d::forward(x);
}

}  // namespace patchbay::nn
