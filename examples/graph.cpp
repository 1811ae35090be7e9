// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fits a cosine by gradient descent on a small network. One step is recorded; each replay runs it
// on other points, with new dropout and another learning rate.
//   graph [DEVICE [STEPS]]
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <vector>

#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::Scalar;
using patchbay::Tensor;

namespace {

constexpr std::int64_t kPoints = 64, kHidden = 32;

struct Network {
  explicit Network(const Device& device)
      : in((randn({1, kHidden}, device) * 2).requires_grad_()),
        shift(randn({kHidden}, device).requires_grad_()),
        out((randn({kHidden, 1}, device) * 0.2).requires_grad_()) {}

  Tensor operator()(const Tensor& x, double dropout) const {
    const Tensor hidden = tanh(matmul(x, in) + shift);
    if (dropout == 0) return matmul(hidden, out);
    const Tensor kept = dropout_mask(dropout, hidden.shape(), x.device()).cast(x.dtype());
    return matmul(hidden * kept / (1 - dropout), out);
  }

  Tensor in, shift, out;
};

void update(const Tensor& parameter, const Scalar& rate) {
  const patchbay::NoGrad scope;
  parameter -= parameter.grad() * rate;
  parameter.set_grad({});
}

/// The places, and what is to come out there.
Tensor targets(const Tensor& x) {
  std::vector<float> values = x.to_vector<float>();
  for (float& value : values) value = std::cos(3 * value);
  return from_host(values, x.shape(), x.device());
}

void fit(const Device& device, std::int64_t steps) {
  patchbay::manual_seed(3);
  const Network network(device);
  const Tensor x = zeros({kPoints, 1}, device), y = zeros({kPoints, 1}, device);
  Tensor loss;
  Scalar rate = 0;
  const patchbay::Graph step = patchbay::record_graph([&](patchbay::GraphRecording& recording) {
    rate = recording.slot(0.1);
    loss = mean(square(network(x, 0.05) - y));
    loss.backward();
    for (const Tensor& parameter : {network.in, network.shift, network.out}) {
      update(parameter, rate);
    }
  });
  std::cout << "a step: " << step.num_operations() << " operations, " << step.memory_bytes()
            << " bytes of memory of its own\n";
  for (std::int64_t i = 0; i <= steps; ++i) {
    fill_uniform(x, -1, 1);
    y.copy_from(targets(x));
    step.set(rate, 0.1 / (1 + 0.01 * static_cast<double>(i)));
    step.replay();
    if (i % 100 == 0) {
      std::cout << "step " << std::setw(4) << i << ": loss " << std::fixed << std::setprecision(4)
                << loss.item<float>() << '\n';
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device(argc > 1 ? argv[1] : "cpu:0");
  fit(device, argc > 2 ? std::atoll(argv[2]) : 400);
} catch (const std::exception& error) {
  std::cerr << "graph: " << error.what() << '\n';
  return 1;
}
