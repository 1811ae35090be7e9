// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions of common networks, and each of their gradients.
#include <string>

#include "bench.h"
#ifdef PATCHBAY_BENCH_TORCH
#include "peers/torch_convolution.h"
#endif

namespace bench {
namespace {

using patchbay::Tensor;

struct Case {
  const char* name;
  std::int64_t n, c, extent, o, kernel, stride, padding;
};

constexpr Case kCases[] = {
    {"alexnet-11x11-s4", 16, 3, 224, 96, 11, 4, 2}, {"alexnet-5x5", 16, 96, 27, 256, 5, 1, 2},
    {"alexnet-3x3", 16, 256, 13, 384, 3, 1, 1},     {"resnet50-7x7-s2", 16, 3, 224, 64, 7, 2, 3},
    {"resnet50-3x3-56", 16, 64, 56, 64, 3, 1, 1},   {"resnet50-3x3-14", 16, 256, 14, 256, 3, 1, 1},
    {"resnet50-3x3-28", 16, 128, 28, 128, 3, 1, 1}, {"resnet50-3x3-7", 16, 512, 7, 512, 3, 1, 1},
    {"resnet50-1x1-56", 16, 64, 56, 256, 1, 1, 0},  {"resnet50-1x1-7", 16, 2048, 7, 512, 1, 1, 0},
    {"resnet50-1x1-s2", 16, 256, 56, 512, 1, 2, 0}, {"resnet56-3x3-16", 128, 16, 32, 16, 3, 1, 1},
    {"resnet56-3x3-32", 128, 32, 16, 32, 3, 1, 1},  {"resnet56-3x3-64", 128, 64, 8, 64, 3, 1, 1},
    {"alexnet-r-5x5", 128, 32, 16, 32, 5, 1, 2},
};

/// Which result is computed.
enum class Part { kForward, kInput, kWeight };

struct Operands {
  Operands(const Case& one, const patchbay::Device& cpu)
      : x(random_tensor({one.n, one.c, one.extent, one.extent}, cpu)),
        weight(random_tensor({one.o, one.c, one.kernel, one.kernel}, cpu)),
        options{.stride = one.stride, .padding = one.padding} {}

  Tensor x, weight;
  patchbay::Conv2dOptions options;
};

std::function<void()> run_of(const Case& one, Part part,
                             const patchbay::Device& cpu = patchbay::default_device()) {
  const Operands in(one, cpu);
  if (part == Part::kForward) {
    return [in] { benchmark::DoNotOptimize(conv2d(in.x, in.weight, {}, in.options)); };
  }
  const Tensor leaf = (part == Part::kInput ? in.x : in.weight).requires_grad_();
  const Tensor y = conv2d(in.x, in.weight, {}, in.options);
  return [y, leaf, grad = random_tensor(y.shape(), cpu)] {
    benchmark::DoNotOptimize(patchbay::gradients({y}, {leaf}, {grad}, {.retain_graph = true}));
  };
}

void register_part(const Case& one, const char* suffix, Part part) {
  const std::string row = std::string("conv2d/") + one.name + suffix + "/";
  add_benchmark(
      row + "patchbay", [one, part] { return run_of(one, part); }, benchmark::kMillisecond);
  if (one.kernel == 3 && one.stride == 1 && part != Part::kWeight) {
    add_benchmark(
        row + "patchbay-winograd",
        [one, part] { return run_of(one, part, cpu_with("cpu_convolutions", "winograd")); },
        benchmark::kMillisecond);
  }
#ifdef PATCHBAY_BENCH_TORCH
  add_benchmark(
      row + "libtorch",
      [one, part] {
        return torch_convolution({one.n, one.c, one.extent, one.o, one.kernel, one.stride,
                                  one.padding, static_cast<int>(part)},
                                 kThreads);
      },
      benchmark::kMillisecond);
#endif
}

}  // namespace

void register_convolution() {
  for (const Case& one : kCases) {
    register_part(one, "", Part::kForward);
    register_part(one, "-input", Part::kInput);
    register_part(one, "-weight", Part::kWeight);
  }
}

}  // namespace bench
