// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "peers/torch_rows.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <array>
#include <tuple>

namespace bench {
namespace {

constexpr double kEpsilon = 1e-5;
constexpr std::array<bool, 3> kAll{true, true, true};

std::function<void()> softmax(const at::Tensor& x, bool backward) {
  if (!backward) return [=] { at::softmax(x, 1); };
  const at::Tensor y = at::softmax(x, 1), grad = at::rand_like(x);
  return [=] { at::_softmax_backward_data(grad, y, 1, at::kFloat); };
}

std::function<void()> log_softmax(const at::Tensor& x, bool backward) {
  if (!backward) return [=] { at::log_softmax(x, 1); };
  const at::Tensor y = at::log_softmax(x, 1), grad = at::rand_like(x);
  return [=] { at::_log_softmax_backward_data(grad, y, 1, at::kFloat); };
}

std::function<void()> cross_entropy(const at::Tensor& x, bool backward) {
  const at::Tensor target = at::randint(x.size(1), {x.size(0)}, at::kLong);
  if (!backward) return [=] { at::cross_entropy_loss(x, target); };
  const at::Tensor y = at::log_softmax(x, 1), grad = at::ones({});
  const auto loss = at::nll_loss_forward(y, target, {}, 1, -100);
  return [=, total = std::get<1>(loss)] {
    const at::Tensor of_loss = at::nll_loss_backward(grad, y, target, {}, 1, -100, total);
    at::_log_softmax_backward_data(of_loss, y, 1, at::kFloat);
  };
}

std::function<void()> layer_norm(const at::Tensor& x, bool backward) {
  const at::Tensor weight = at::rand({x.size(1)}), bias = at::rand({x.size(1)});
  const std::array<std::int64_t, 1> shape{x.size(1)};
  if (!backward) return [=] { at::native_layer_norm(x, shape, weight, bias, kEpsilon); };
  const auto result = at::native_layer_norm(x, shape, weight, bias, kEpsilon);
  const at::Tensor grad = at::rand_like(x);
  return [=] {
    at::native_layer_norm_backward(grad, x, shape, std::get<1>(result), std::get<2>(result), weight,
                                   bias, kAll);
  };
}

std::function<void()> rms_norm(const at::Tensor& x) {
  const at::Tensor weight = at::rand({x.size(1)});
  return [=] { x* at::rsqrt(at::mean(at::square(x), {1}, true) + kEpsilon) * weight; };
}

std::function<void()> batch_norm(const at::Tensor& x, bool backward) {
  const at::Tensor weight = at::rand({x.size(1)}), bias = at::rand({x.size(1)});
  const at::Tensor mean = at::zeros({x.size(1)}), variance = at::ones({x.size(1)});
  const auto run = [=] {
    return at::native_batch_norm(x, weight, bias, mean, variance, true, 0.1, kEpsilon);
  };
  if (!backward) return [=] { run(); };
  const auto result = run();
  const at::Tensor grad = at::rand_like(x);
  return [=] {
    at::native_batch_norm_backward(grad, x, weight, mean, variance, std::get<1>(result),
                                   std::get<2>(result), true, kEpsilon, kAll);
  };
}

std::function<void()> made(const TorchRows& row, const at::Tensor& x) {
  if (row.operation == "softmax") return softmax(x, row.backward);
  if (row.operation == "log_softmax") return log_softmax(x, row.backward);
  if (row.operation == "cross_entropy") return cross_entropy(x, row.backward);
  if (row.operation == "layer_norm") return layer_norm(x, row.backward);
  if (row.operation == "batch_norm") return batch_norm(x, row.backward);
  return rms_norm(x);
}

}  // namespace

std::function<void()> torch_rows(const TorchRows& row, int threads) {
  at::set_num_threads(threads);
  const c10::InferenceMode mode;
  return [run = made(row, at::rand(row.shape))] {
    const c10::InferenceMode inside;
    run();
  };
}

}  // namespace bench
