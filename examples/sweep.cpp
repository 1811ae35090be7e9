// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Times products of n x n matrices, n = 16, 32, ...: the CPU against the other devices. For small n
// the CPU is faster, because a launch takes time. The crossover is the n from which a device stays
// faster.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <patchbay/patchbay.h>

#include "examples/common/program.h"
#include "examples/common/random_values.h"
#include "examples/common/stopwatch.h"
#include "examples/common/text.h"

using namespace examples;
using patchbay::Device;
using patchbay::Tensor;

namespace {

constexpr std::int64_t kMaxSize = 16384;
constexpr double kMinSeconds = 0.02;  // long enough for the clock, short enough for a test

struct Operands {
  Tensor a, b;  // [n, n]
};

/// Seconds for one product, with the result in place: the best of three runs.
double seconds_for_product(const Operands& x, const Tensor& out) {
  const Device device = out.device();
  int repeats = 1;
  double best = INFINITY;
  for (int run = 0; run < 3;) {
    const Stopwatch watch;
    for (int i = 0; i < repeats; ++i) matmul_out(out, x.a, x.b);
    device.synchronize();  // a launch returns before the product is there
    const double seconds = watch.seconds();
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

/// The n from which `device` stays faster than the CPU.
std::optional<std::int64_t> crossover(const std::vector<std::int64_t>& sizes,
                                      const std::vector<double>& cpu,
                                      const std::vector<double>& device) {
  std::optional<std::int64_t> from;
  for (std::size_t i = sizes.size(); i-- > 0 && device[i] < cpu[i];) from = sizes[i];
  return from;
}

void sweep(const Device& cpu, const std::vector<Device>& others, std::int64_t max_size) {
  std::vector<std::int64_t> sizes;
  std::vector<double> cpu_seconds;
  std::vector<std::vector<double>> seconds(others.size());
  fmt::print("{:>6} {:>22}", "n", cpu.name());
  for (const Device& other : others) fmt::print(" {:>22} {:>10}", other.name(), "difference");
  fmt::print("\n");
  const auto print_time = [](std::int64_t n, double time) {
    const double flops = 2.0 * static_cast<double>(n * n * n);
    fmt::print(" {:>9.3f} ms {:>5.0f} GF/s", time * 1e3, flops / time * 1e-9);
  };

  for (std::int64_t n = 16; n <= max_size; n *= 2) {
    sizes.push_back(n);
    const Operands x{from_host(random_values(n * n, 1), {n, n}, cpu),
                     from_host(random_values(n * n, 2), {n, n}, cpu)};
    const Tensor expected = matmul(x.a, x.b);
    cpu_seconds.push_back(seconds_for_product(x, expected));
    fmt::print("{:>6}", n);
    print_time(n, cpu_seconds.back());
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Operands there{x.a.to(others[i]), x.b.to(others[i])};
      const Tensor product = matmul(there.a, there.b);
      seconds[i].push_back(seconds_for_product(there, product));
      print_time(n, seconds[i].back());
      fmt::print(" {:>10.1e}", max_difference(expected, product));
    }
    fmt::print("\n");
  }

  if (others.empty()) fmt::print("no other device to compare with\n");
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto from = crossover(sizes, cpu_seconds, seconds[i]);
    fmt::print("crossover of {} and {}: {}\n", cpu.name(), others[i].name(),
               from ? fmt::format("n = {}", *from) : "none");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program("sweep", "Matrix products on the CPU and on other devices, by size.");
  std::string name, max_text = "4096";
  program.add_option("--device", name, "The device to compare with cpu:0 (default: all others)");
  program.add_option("--max", max_text, "The largest n");
  return program.run(argc, argv, [&] {
    const std::int64_t max_size = parse_count("--max", max_text, kMaxSize, "the largest n");
    const Device cpu("cpu:0");
    std::vector<Device> others =
        name.empty() ? patchbay::Runtime::get_default().devices() : std::vector{Device(name)};
    std::erase(others, cpu);
    sweep(cpu, others, std::max<std::int64_t>(max_size, 16));
  });
}
