// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Linear layers and convolutions of few rows or images, as in inference: with weights that stay
// packed between calls, and with weights that are packed anew in each.
#include <cstdint>
#include <string>

#include "bench.h"
#ifdef PATCHBAY_BENCH_TORCH
#include "peers/torch_convolution.h"
#include "peers/torch_ops.h"
#endif

namespace bench {
namespace {

using patchbay::Tensor;

struct Linear {
  std::int64_t rows, in, out;
};
constexpr Linear kLinears[] = {
    {4, 1024, 1024}, {16, 1024, 1024}, {16, 2048, 2048}, {64, 1024, 1024}, {256, 1024, 1024}};

struct Convolution {
  std::int64_t n, c, extent, o, kernel;
};
constexpr Convolution kConvolutions[] = {{4, 512, 7, 512, 3},
                                         {16, 512, 7, 512, 3},
                                         {4, 256, 14, 256, 3},
                                         {16, 256, 14, 256, 3},
                                         {4, 2048, 7, 512, 1}};

/// The most megabytes of weights that stay packed.
Tensor random_on(const char* megabytes, const patchbay::Shape& shape) {
  return random_tensor(shape, cpu_with("cpu_packed_mb", megabytes));
}

/// `make(megabytes)` gives what is timed.
template <class Make>
void add_both(const std::string& group, const Make& make, benchmark::TimeUnit unit) {
  add_benchmark(
      group + "patchbay", [make] { return make("64"); }, unit);
  add_benchmark(
      group + "patchbay-packs-anew", [make] { return make("0"); }, unit);
}

void register_linear(const Linear& size) {
  const std::string group = "packed/linear-" + std::to_string(size.rows) + "x" +
                            std::to_string(size.in) + "x" + std::to_string(size.out) + "/";
  const auto make = [size](const char* megabytes) {
    const Tensor x = random_on(megabytes, {size.rows, size.in}),
                 weight = random_on(megabytes, {size.out, size.in}).t();
    return [x, weight, out = matmul(x, weight)] { matmul_out(out, x, weight); };
  };
  add_both(group, make, benchmark::kMicrosecond);
#ifdef PATCHBAY_BENCH_TORCH
  add_benchmark(
      group + "libtorch",
      [size] { return torch_product(size.rows, size.in, size.out, true, kThreads); },
      benchmark::kMicrosecond);
#endif
}

void register_one(const Convolution& size) {
  const std::string group = "packed/conv2d-" + std::to_string(size.n) + "x" +
                            std::to_string(size.c) + "x" + std::to_string(size.extent) + "-" +
                            std::to_string(size.o) + "-" + std::to_string(size.kernel) + "x" +
                            std::to_string(size.kernel) + "/";
  const auto make = [size](const char* megabytes) {
    const Tensor x = random_on(megabytes, {size.n, size.c, size.extent, size.extent}),
                 weight = random_on(megabytes, {size.o, size.c, size.kernel, size.kernel});
    const patchbay::Conv2dOptions options{.padding = size.kernel / 2};
    return [x, weight, options] { benchmark::DoNotOptimize(conv2d(x, weight, {}, options)); };
  };
  add_both(group, make, benchmark::kMillisecond);
#ifdef PATCHBAY_BENCH_TORCH
  add_benchmark(
      group + "libtorch",
      [size] {
        return torch_convolution(
            {size.n, size.c, size.extent, size.o, size.kernel, 1, size.kernel / 2, 0}, kThreads);
      },
      benchmark::kMillisecond);
#endif
}

}  // namespace

void register_packed() {
  for (const Linear& size : kLinears) register_linear(size);
  for (const Convolution& size : kConvolutions) register_one(size);
}

}  // namespace bench
