// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Times products of n x n matrices, n = 16, 32, ...: the CPU against the other devices. For small n
// the CPU is faster, because a launch takes time. The crossover is the n from which a device stays
// faster.
//   sweep [LARGEST [DEVICE]]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::Tensor;

namespace {

constexpr double kMinSeconds = 0.02;  // long enough for the clock, short enough for a test

struct Operands {
  Tensor a, b;  // [n, n]
};

/// Seconds for one product, with the result in place: the best of three runs.
double seconds_for_product(const Operands& x, const Tensor& out) {
  using Clock = std::chrono::steady_clock;
  const Device device = out.device();
  int repeats = 1;
  double best = INFINITY;
  for (int run = 0; run < 3;) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < repeats; ++i) matmul_out(out, x.a, x.b);
    device.synchronize();  // a launch returns before the product is there
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds < kMinSeconds && repeats < 1 << 20) {
      repeats *= 2;  // this run was the warm-up
      continue;
    }
    best = std::min(best, seconds / repeats);
    ++run;
  }
  return best;
}

/// The largest difference between elements; b is copied to a's device.
float max_difference(const Tensor& a, const Tensor& b) {
  return max(abs(a - b.to(a.device()))).item<float>();
}

/// The n from which `device` stays faster than the CPU; 0 if there is none.
std::int64_t crossover(const std::vector<std::int64_t>& sizes, const std::vector<double>& cpu,
                       const std::vector<double>& device) {
  std::int64_t from = 0;
  for (std::size_t i = sizes.size(); i-- > 0 && device[i] < cpu[i];) from = sizes[i];
  return from;
}

void print_time(std::int64_t n, double seconds) {
  const double flops = 2.0 * static_cast<double>(n * n * n);
  std::printf(" %9.3f ms %5.0f GF/s", seconds * 1e3, flops / seconds * 1e-9);
}

void sweep(const Device& cpu, const std::vector<Device>& others, std::int64_t largest) {
  std::vector<std::int64_t> sizes;
  std::vector<double> cpu_seconds;
  std::vector<std::vector<double>> seconds(others.size());
  std::printf("%6s %22s", "n", cpu.name().c_str());
  for (const Device& other : others) std::printf(" %22s %10s", other.name().c_str(), "difference");
  std::printf("\n");

  for (std::int64_t n = 16; n <= largest; n *= 2) {
    sizes.push_back(n);
    const Operands x{patchbay::rand({n, n}, cpu), patchbay::rand({n, n}, cpu)};
    const Tensor expected = matmul(x.a, x.b);
    cpu_seconds.push_back(seconds_for_product(x, expected));
    std::printf("%6lld", static_cast<long long>(n));
    print_time(n, cpu_seconds.back());
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Operands there{x.a.to(others[i]), x.b.to(others[i])};
      const Tensor product = matmul(there.a, there.b);
      seconds[i].push_back(seconds_for_product(there, product));
      print_time(n, seconds[i].back());
      std::printf(" %10.1e", static_cast<double>(max_difference(expected, product)));
    }
    std::printf("\n");
  }

  if (others.empty()) std::printf("no other device to compare with\n");
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::int64_t from = crossover(sizes, cpu_seconds, seconds[i]);
    std::printf("crossover of %s and %s: %s\n", cpu.name().c_str(), others[i].name().c_str(),
                from > 0 ? ("n = " + std::to_string(from)).c_str() : "none");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::int64_t largest = argc > 1 ? std::atoll(argv[1]) : 4096;
  if (largest < 16) throw std::invalid_argument("LARGEST has to be a number from 16");
  const Device cpu("cpu:0");
  std::vector<Device> others =
      argc > 2 ? std::vector{Device(argv[2])} : patchbay::Runtime::get_default().devices();
  std::erase(others, cpu);
  sweep(cpu, others, largest);
} catch (const std::exception& error) {
  std::fprintf(stderr, "sweep: %s\n", error.what());
  return 1;
}
