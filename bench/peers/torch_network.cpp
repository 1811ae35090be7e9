// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "peers/torch_network.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <cmath>
#include <tuple>
#include <vector>

namespace bench {
namespace {

/// Runs forward, and backward from a given gradient of the result.
std::function<void()> trained(const std::vector<at::Tensor>& leaves,
                              const std::function<at::Tensor()>& forward) {
  at::Tensor grad;
  {
    const at::NoGradGuard guard;
    grad = at::rand_like(forward());
  }
  return [=] { torch::autograd::grad({forward()}, leaves, {grad}); };
}

std::vector<at::Tensor> random_leaves(const std::vector<std::vector<std::int64_t>>& shapes,
                                      bool gradient) {
  std::vector<at::Tensor> leaves;
  for (const auto& shape : shapes) {
    leaves.push_back(torch::rand(shape).sub_(0.5).mul_(0.2).requires_grad_(gradient));
  }
  return leaves;
}

std::function<void()> run_of(const std::vector<at::Tensor>& leaves, bool gradient,
                             const std::function<at::Tensor()>& forward) {
  if (gradient) return trained(leaves, forward);
  return [=] {
    const at::NoGradGuard guard;
    forward();
  };
}

}  // namespace

std::function<void()> torch_pool(const TorchPool& sizes, int threads) {
  at::set_num_threads(threads);
  const auto leaves = random_leaves({{sizes.n, sizes.c, sizes.extent, sizes.extent}}, true);
  const std::vector<std::int64_t> kernel(2, sizes.kernel), stride(2, sizes.stride),
      padding(2, sizes.padding);
  const bool takes_most = sizes.operation == "max_pool2d";
  const auto forward = [=] {
    return takes_most ? at::max_pool2d(leaves[0], kernel, stride, padding)
                      : at::avg_pool2d(leaves[0], kernel, stride, padding);
  };
  if (!sizes.gradient) return run_of(leaves, false, forward);
  const at::Tensor y = forward(), grad = torch::rand(y.sizes());
  return [=] { torch::autograd::grad({y}, leaves, {grad}, /*retain_graph=*/true); };
}

std::function<void()> torch_order(const std::string& operation, std::int64_t rows,
                                  std::int64_t columns, int threads) {
  at::set_num_threads(threads);
  const at::Tensor a = at::rand({rows, columns}).sub_(0.5);
  return [=] {
    const c10::InferenceMode mode;
    if (operation == "cumsum") at::cumsum(a, 1);
    if (operation == "sort") at::sort(a, 1);
    if (operation == "topk") at::topk(a, 10, 1);
    if (operation == "prod") at::prod(a, 1);
  };
}

std::function<void()> torch_recurrent(const std::string& operation, std::int64_t steps,
                                      std::int64_t batch, std::int64_t width, bool gradient,
                                      int threads) {
  at::set_num_threads(threads);
  const bool is_lstm = operation == "lstm";
  const std::int64_t gates = (is_lstm ? 4 : 3) * width;
  const auto leaves = random_leaves(
      {{steps, batch, width}, {gates, width}, {gates, width}, {gates}, {gates}}, gradient);
  const std::vector<at::Tensor> weights(leaves.begin() + 1, leaves.end());
  const at::Tensor zero = at::zeros({1, batch, width});
  return run_of(leaves, gradient, [=] {
    if (is_lstm) {
      return std::get<0>(
          at::lstm(leaves[0], {zero, zero}, weights, true, 1, 0.0, gradient, false, false));
    }
    return std::get<0>(at::gru(leaves[0], zero, weights, true, 1, 0.0, gradient, false, false));
  });
}

std::function<void()> torch_attention(std::int64_t heads, std::int64_t length,
                                      std::int64_t features, bool gradient, int threads) {
  at::set_num_threads(threads);
  const std::vector<std::int64_t> shape{1, heads, length, features};
  const auto leaves = random_leaves({shape, shape, shape}, gradient);
  return run_of(leaves, gradient, [=] {
    return std::get<0>(at::_scaled_dot_product_attention(leaves[0], leaves[1], leaves[2]));
  });
}

std::function<void()> torch_update(const std::string& operation, int count, std::int64_t size,
                                   int threads) {
  at::set_num_threads(threads);
  std::vector<at::Tensor> parameters, gradients, first, second;
  for (int i = 0; i < count; ++i) {
    parameters.push_back(at::rand({size}));
    gradients.push_back(at::rand({size}).sub_(0.5));
    first.push_back(at::zeros({size}));
    if (operation == "adam") second.push_back(at::zeros({size}));
  }
  return [=] {
    const c10::InferenceMode mode;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (operation == "sgd") {
        first[i].mul_(0.9).add_(gradients[i]);
        parameters[i].add_(first[i], -0.01);
        continue;
      }
      first[i].mul_(0.9).add_(gradients[i], 0.1);
      second[i].mul_(0.999).addcmul_(gradients[i], gradients[i], 0.001);
      const at::Tensor root = (second[i].sqrt() / std::sqrt(0.001)).add_(1e-8);
      parameters[i].addcdiv_(first[i], root, -0.01);
    }
  };
}

}  // namespace bench
