// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fits a line by gradient descent: record, run backward, update. The data stays on the device; only
// the loss is fetched, now and then.
//   gradients [DEVICE [STEPS]]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::Tensor;

namespace {

constexpr std::int64_t kCount = 1000;
constexpr float kSlope = 3, kOffset = -0.5F;

struct Line {
  Tensor slope, offset;

  Tensor operator()(const Tensor& x) const { return slope * x + offset; }
};

/// One step downhill.
void update(const Tensor& parameter, double rate) {
  const patchbay::NoGrad scope;
  parameter -= rate * parameter.grad();
  parameter.set_grad({});
}

void fit(const Device& device, int steps) {
  const Tensor x = 2 * rand({kCount}, device) - 1;
  const Tensor noise = 0.01 * (2 * rand({kCount}, device) - 1);
  const Tensor y = kSlope * x + kOffset + noise;
  const Line line{zeros({}, device).requires_grad_(), zeros({}, device).requires_grad_()};
  for (int step = 0; step <= steps; ++step) {
    const Tensor loss = mean(square(line(x) - y));
    if (step % 50 == 0) {
      std::printf("step %3d: loss %.6f\n", step, static_cast<double>(loss.item<float>()));
    }
    loss.backward();
    update(line.slope, 0.5);
    update(line.offset, 0.5);
  }
  std::printf("y = %.2f x + %.2f on %s\n", static_cast<double>(line.slope.item<float>()),
              static_cast<double>(line.offset.item<float>()), device.name().c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device(argc > 1 ? argv[1] : "cpu:0");
  fit(device, argc > 2 ? std::atoi(argv[2]) : 200);
} catch (const std::exception& error) {
  std::fprintf(stderr, "gradients: %s\n", error.what());
  return 1;
}
