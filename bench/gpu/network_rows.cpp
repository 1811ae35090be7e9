// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The rows of networks' operators, losses, orders and updates: as those of rows.cpp.
#include "probe.h"

namespace probe {
namespace {

using patchbay::Device;
using patchbay::DType;
using patchbay::Index;
using patchbay::Shape;
using patchbay::Tensor;

/// Images [batch, channels, edge, edge]: the layers of ResNet-50 with 3 x 3 kernels at 224 pixels.
struct Images {
  explicit Images(std::int64_t count) : channels(count), edge(3584 / count) {}
  /// Of 64 M elements, for 64 or 256 channels.
  static Images large(std::int64_t count) {
    Images images(count);
    images.batch = 64;
    images.edge = count == 64 ? 128 : 64;
    return images;
  }

  Shape shape() const { return {batch, channels, edge, edge}; }

  std::int64_t batch = 32, channels, edge;
};

Row convolution(const std::string& kind, std::int64_t n, const Device& device) {
  const Images images(n);
  const bool is_pointwise = kind == "conv1x1";
  const patchbay::Conv2dOptions options{.padding = is_pointwise ? 0 : 1};
  const DType dtype = kind == "conv-bf16" ? DType::bf16 : DType::f32;
  const Tensor x = filled(images.shape(), device).cast(dtype);
  const Tensor weight =
      filled(is_pointwise ? Shape{4 * n, n, 1, 1} : Shape{n, n, 3, 3}, device).cast(dtype);
  if (kind != "conv-train") return [=] { (void)conv2d(x, weight, {}, options); };
  x.requires_grad_();
  weight.requires_grad_();
  return [=, gradient = filled(images.shape(), device)] {
    x.set_grad({});
    weight.set_grad({});
    conv2d(x, weight, {}, options).backward(gradient);
  };
}

Row attention(const std::string& kind, std::int64_t n, const Device& device) {
  const DType dtype = kind == "attention-bf16" ? DType::bf16 : DType::f32;
  const auto part = [&] { return filled({8, 8, n, 64}, device).cast(dtype); };
  return [q = part(), k = part(), v = part()] { (void)scaled_dot_product_attention(q, k, v); };
}

/// Adam over so many parameters of 160 x 1000, or over one of so many elements.
Row adam(const std::string& kind, std::int64_t n, const Device& device) {
  const bool is_one = kind == "adam-one";
  const Shape shape = is_one ? Shape{n} : Shape{160, 1000};
  std::vector<patchbay::TensorList> lists(4);
  for (patchbay::TensorList& list : lists) {
    for (std::int64_t i = 0; i < (is_one ? 1 : n); ++i) list.push_back(ones(shape, device));
  }
  return [lists] { adam_update(lists[0], lists[1], lists[2], lists[3], 1); };
}

Row lstm(std::int64_t n, const Device& device) {
  const patchbay::RecurrentWeights weights{.input_weight = filled({4 * n, n}, device),
                                           .hidden_weight = filled({4 * n, n}, device),
                                           .input_bias = filled({4 * n}, device),
                                           .hidden_bias = filled({4 * n}, device)};
  return [weights, x = filled({128, 32, n}, device)] { (void)patchbay::lstm(x, {weights}); };
}

}  // namespace

std::vector<std::int64_t> places(std::int64_t count, std::int64_t end) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int64_t>(i * 7919 % static_cast<std::size_t>(end));
  }
  return values;
}

Row network_row(const std::string& kind, std::int64_t n, const Device& device) {
  if (kind.starts_with("conv")) return convolution(kind, n, device);
  if (kind.starts_with("attention")) return attention(kind, n, device);
  if (kind.starts_with("adam")) return adam(kind, n, device);
  if (kind == "lstm") return lstm(n, device);
  if (kind == "gelu") return [a = filled({n}, device)] { (void)gelu(a); };
  if (kind == "linear-gelu") {
    return [x = filled({n, n}, device), w = filled({n, n}, device), b = filled({n}, device)] {
      (void)linear(x, w, b, patchbay::Activation::kGelu);
    };
  }
  if (kind == "batch-norm" || kind == "batch-norm-large") {
    const Tensor one = ones({n}, device), zero = zeros({n}, device);
    const patchbay::BatchNormOptions options{.running_mean = zero.clone(),
                                             .running_var = one.clone(),
                                             .weight = one,
                                             .bias = zero,
                                             .training = true};
    const Images images = kind == "batch-norm" ? Images(n) : Images::large(n);
    return [options, x = filled(images.shape(), device)] { (void)batch_norm(x, options); };
  }
  if (kind == "max-pool") {
    return [x = filled(Images(n).shape(), device)] {
      (void)max_pool2d(x, 3, {.stride = 2, .padding = 1});
    };
  }
  if (kind == "cross-entropy") {
    return [x = filled({4096, n}, device), y = from_host(places(4096, n), {4096}, device)] {
      (void)cross_entropy(x, y);
    };
  }
  if (kind == "cumsum") return [a = filled({n}, device)] { (void)cumsum(a, 0); };
  if (kind == "sort") return [a = randn({n}, device)] { (void)sort(a); };
  if (kind == "topk") return [a = randn({n}, device)] { (void)topk(a, 100); };
  if (kind == "index-add") {  // n rows of 64 onto 1000
    return [a = zeros({1000, 64}, device), index = from_host(places(n, 1000), {n}, device),
            source = filled({n, 64}, device)] { (void)index_add(a, 0, index, source); };
  }
  if (kind == "randn") return [n, device] { (void)randn({n}, device); };
  return {};
}

}  // namespace probe
