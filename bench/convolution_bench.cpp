// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions of common networks and of few images, as in inference, and each of their gradients.
#include <string>

#include "bench/bench.h"
#include "bench/cases.h"

namespace bench {
namespace {

using patchbay::Device;
using patchbay::Tensor;

enum class Part { kForward, kInput, kWeight };

Repeat convolution_on(const ConvolutionCase& one, Part part, const Device& cpu) {
  const Tensor x = random_tensor({one.n, one.c, one.extent, one.extent}, cpu);
  const Tensor weight = random_tensor({one.o, one.c, one.kernel, one.kernel}, cpu);
  const auto forward = [=] {
    return conv2d(x, weight, {}, {.stride = one.stride, .padding = one.padding});
  };
  if (part == Part::kForward) return repeat([forward] { (void)forward(); });
  return gradients_of({part == Part::kInput ? x : weight}, forward, /*again=*/false);
}

void add_convolution(const ConvolutionCase& one, const char* suffix, Part part) {
  const std::string row = std::string("conv2d/") + one.name + suffix;
  add(row, [one, part] { return convolution_on(one, part, patchbay::default_device()); });
  if (one.kernel != 3 || one.stride != 1 || part == Part::kWeight) return;
  add(row, "patchbay-winograd", [one, part] {
    return convolution_on(one, part, device_with("cpu_convolutions", "winograd"));
  });
}

}  // namespace

void add_convolutions() {
  for (const ConvolutionCase& one : kConvolutions) {
    add_convolution(one, "", Part::kForward);
    add_convolution(one, "-input", Part::kInput);
    add_convolution(one, "-weight", Part::kWeight);
  }
  for (const ConvolutionCase& one : kPackedConvolutions) {
    add_packed(std::string("packed/conv2d-") + one.name,
               [one](const Device& cpu) { return convolution_on(one, Part::kForward, cpu); });
  }
}

}  // namespace bench
