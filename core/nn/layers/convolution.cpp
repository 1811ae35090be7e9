// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/convolution.h"

#include "core/base/error.h"
#include "core/nn/layers/details.h"
#include "core/nn/layers/sizes.h"

namespace patchbay::nn {
namespace {

using layers::both;
using layers::checked_size;
using layers::tensor_of;

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
    base::raise(ErrorCode::kInvalidArgument,
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

/// A layer and its lazy one: the rest are the options of its operator.
#define PATCHBAY_CONVOLUTION(Layer, num_dims, is_transposed, Size, pair_of, convolve, ...)       \
  Layer::Layer(Index out, Size kernel, const Layer##LayerOptions& options)                       \
      : Convolution(                                                                             \
            {#Layer, num_dims, is_transposed, out, pair_of(kernel), pair_of(options.stride),     \
             pair_of(options.padding), pair_of(options.dilation), options.groups, options.bias}, \
            options.tensor),                                                                     \
        options_{__VA_ARGS__} {}                                                                 \
  Layer::Layer(Index in, Index out, Size kernel, const Layer##LayerOptions& options)             \
      : Layer(out, kernel, options) {                                                            \
    create(in);                                                                                  \
  }                                                                                              \
  Tensor Layer::forward(const Tensor& x) {                                                       \
    return convolve(x, weight, tensor_of(bias), options_);                                       \
  }                                                                                              \
  Tensor Lazy##Layer::forward(const Tensor& x) {                                                 \
    learn(x);                                                                                    \
    return Layer::forward(x);                                                                    \
  }
PATCHBAY_CONVOLUTION(Conv2d, 2, false, Pair, Pair, conv2d, options.stride, options.padding,
                     options.dilation, options.groups)
PATCHBAY_CONVOLUTION(Conv1d, 1, false, Index, both, conv1d, options.stride, options.padding,
                     options.dilation, options.groups)
PATCHBAY_CONVOLUTION(ConvTranspose2d, 2, true, Pair, Pair, conv_transpose2d, options.stride,
                     options.padding, options.output_padding, options.groups, options.dilation)
PATCHBAY_CONVOLUTION(ConvTranspose1d, 1, true, Index, both, conv_transpose1d, options.stride,
                     options.padding, options.output_padding, options.groups, options.dilation)
#undef PATCHBAY_CONVOLUTION

}  // namespace patchbay::nn
