// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fits a line by gradient descent: record, run backward, update. The data stays on the device; only
// the loss is fetched, now and then.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <patchbay/patchbay.h>

#include "examples/common/program.h"
#include "examples/common/random_values.h"
#include "examples/common/text.h"

using namespace examples;
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

void fit(const Device& device, std::int64_t steps) {
  const Tensor x = from_host(random_values(kCount, 1), {kCount}, device);
  const Tensor noise = from_host(random_values(kCount, 2), {kCount}, device);
  const Tensor y = kSlope * x + kOffset + 0.01 * noise;
  const Line line{zeros({}, device).requires_grad_(), zeros({}, device).requires_grad_()};
  for (std::int64_t step = 0; step <= steps; ++step) {
    const Tensor loss = mean(square(line(x) - y));
    if (step % 50 == 0) fmt::print("step {:3}: loss {:.6f}\n", step, loss.item<float>());
    loss.backward();
    update(line.slope, 0.5);
    update(line.offset, 0.5);
  }
  fmt::print("y = {:.2f} x + {:.2f} on {}\n", line.slope.item<float>(), line.offset.item<float>(),
             device.name());
}

}  // namespace

int main(int argc, char** argv) {
  Program program("gradients", "Fits a line by gradient descent.");
  std::string name = "cpu:0", steps = "200";
  program.add_option("--device", name, "Where to compute");
  program.add_option("--steps", steps, "How many updates");
  return program.run(argc, argv, [&] {
    const std::int64_t num_steps = parse_count("--steps", steps, 100000, "the most updates");
    fit(Device(name), num_steps);
  });
}
