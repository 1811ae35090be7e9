// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/convolution.h"

#include "core/base/error.h"
#include "core/nn/layers/sizes.h"

namespace patchbay::nn {
namespace {

using layers::checked_size;
using layers::create_uniform;
using layers::tensor_of;

/// Errors: kInvalidArgument unless the groups divide both.
void check_groups(std::string_view layer, std::int64_t in, std::int64_t out, std::int64_t groups) {
  if (groups >= 1 && in % groups == 0 && out % groups == 0) return;
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[{}] wrong groups: expected a divisor of {} and {} channels, got {}", layer, in,
                 out, groups);
}

void create(const Parameter& weight, const Parameter& bias, bool has_bias, const Shape& shape,
            std::int64_t out) {
  std::int64_t fan = 1;
  for (int d = 1; d < shape.rank(); ++d) fan *= shape[d];
  create_uniform(weight, shape, fan);
  if (has_bias) create_uniform(bias, {out}, fan);
}

Pair checked_kernel(std::string_view layer, Pair kernel) {
  return {checked_size(layer, "kernel height", kernel.h),
          checked_size(layer, "kernel width", kernel.w)};
}

std::string text_of(Pair pair) {
  return pair.h == pair.w ? std::to_string(pair.h) : fmt::format("{}x{}", pair.h, pair.w);
}

/// ", stride 2, padding 1": what differs from the default.
std::string settings(Pair stride, Pair padding, Pair dilation, std::int64_t groups, bool has_bias) {
  std::string text;
  const auto add = [&](const char* name, Pair value, std::int64_t usual) {
    if (value.h != usual || value.w != usual) text += fmt::format(", {} {}", name, text_of(value));
  };
  add("stride", stride, 1);
  add("padding", padding, 0);
  add("dilation", dilation, 1);
  if (groups != 1) text += fmt::format(", groups {}", groups);
  if (!has_bias) text += ", no bias";
  return text;
}

}  // namespace

// -------------------------------------------------------------------------------- Conv2d ---

Conv2d::Conv2d(Index out, Pair kernel, const Conv2dLayerOptions& options)
    : weight(options.tensor),
      bias(options.tensor),
      out_(checked_size("Conv2d", "out", out)),
      kernel_(checked_kernel("Conv2d", kernel)),
      options_{options.stride, options.padding, options.dilation, options.groups},
      has_bias_(options.bias) {}

Conv2d::Conv2d(Index in, Index out, Pair kernel, const Conv2dLayerOptions& options)
    : Conv2d(out, kernel, options) {
  create(checked_size("Conv2d", "in", in));
}

void Conv2d::create(std::int64_t in) {
  check_groups("Conv2d", in, out_, options_.groups);
  in_ = in;
  nn::create(weight, bias, has_bias_, {out_, in / options_.groups, kernel_.h, kernel_.w}, out_);
}

Tensor Conv2d::forward(const Tensor& x) { return conv2d(x, weight, tensor_of(bias), options_); }

void Conv2d::members(Members& each) {
  each("weight", weight);
  if (has_bias_) each("bias", bias);
}

std::string Conv2d::details() const {
  return fmt::format(
      "{}, {}, {}{}", in_ < 0 ? "?" : std::to_string(in_), out_, text_of(kernel_),
      settings(options_.stride, options_.padding, options_.dilation, options_.groups, has_bias_));
}

Tensor LazyConv2d::forward(const Tensor& x) {
  if (!weight.defined() && (x.rank() == 3 || x.rank() == 4)) create(x.size(-3));
  return Conv2d::forward(x);
}

// -------------------------------------------------------------------------------- Conv1d ---

Conv1d::Conv1d(Index in, Index out, Index kernel, const Conv1dLayerOptions& options)
    : weight(options.tensor),
      bias(options.tensor),
      options_{options.stride, options.padding, options.dilation, options.groups},
      has_bias_(options.bias) {
  check_groups("Conv1d", checked_size("Conv1d", "in", in), checked_size("Conv1d", "out", out),
               options.groups);
  create(weight, bias, has_bias_,
         {out, in / options.groups, checked_size("Conv1d", "kernel", kernel)}, out);
}

Tensor Conv1d::forward(const Tensor& x) { return conv1d(x, weight, tensor_of(bias), options_); }

void Conv1d::members(Members& each) {
  each("weight", weight);
  if (has_bias_) each("bias", bias);
}

std::string Conv1d::details() const {
  return fmt::format(
      "{}, {}, {}{}", weight->size(1) * options_.groups, weight->size(0), weight->size(2),
      settings({options_.stride, options_.stride}, {options_.padding, options_.padding},
               {options_.dilation, options_.dilation}, options_.groups, has_bias_));
}

// ----------------------------------------------------------------------- ConvTranspose2d ---

ConvTranspose2d::ConvTranspose2d(Index in, Index out, Pair kernel,
                                 const ConvTranspose2dLayerOptions& options)
    : weight(options.tensor),
      bias(options.tensor),
      options_{options.stride, options.padding, options.output_padding, options.groups,
               options.dilation},
      has_bias_(options.bias) {
  check_groups("ConvTranspose2d", checked_size("ConvTranspose2d", "in", in),
               checked_size("ConvTranspose2d", "out", out), options.groups);
  const Pair size = checked_kernel("ConvTranspose2d", kernel);
  create(weight, bias, has_bias_, {in, out / options.groups, size.h, size.w}, out);
}

Tensor ConvTranspose2d::forward(const Tensor& x) {
  return conv_transpose2d(x, weight, tensor_of(bias), options_);
}

void ConvTranspose2d::members(Members& each) {
  each("weight", weight);
  if (has_bias_) each("bias", bias);
}

std::string ConvTranspose2d::details() const {
  return fmt::format(
      "{}, {}, {}{}", weight->size(0), weight->size(1) * options_.groups,
      text_of({weight->size(2), weight->size(3)}),
      settings(options_.stride, options_.padding, options_.dilation, options_.groups, has_bias_));
}

// ------------------------------------------------------------------------------- pooling ---

std::string MaxPool2d::details() const {
  return text_of(kernel_) + settings(options_.stride.value_or(kernel_), options_.padding,
                                     options_.dilation, 1, /*has_bias=*/true);
}

std::string AvgPool2d::details() const {
  return text_of(kernel_) + settings(options_.stride.value_or(kernel_), options_.padding, 1, 1,
                                     /*has_bias=*/true);
}

std::string AdaptiveAvgPool2d::details() const { return text_of(size_); }

}  // namespace patchbay::nn
