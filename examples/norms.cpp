// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Computes a thousand products and logs the norm of each. Fetching every norm at once makes the
// host wait a thousand times for one number; a log on the device is fetched once.
//   norms [DEVICE [COUNT [SIZE]]]
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <vector>

#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::Tensor;

namespace {

struct Problem {
  Tensor matrices;  // [count, n, n]
  Tensor factor;    // [n, n]
};

struct Run {
  std::vector<float> norms;
  double seconds = 0;
  std::uint64_t copies = 0;  // from the device to the host
};

/// One number at a time: item() copies and waits.
std::vector<float> log_on_host(const Problem& problem) {
  std::vector<float> log;
  for (std::int64_t i = 0; i < problem.matrices.size(0); ++i) {
    log.push_back(norm(matmul(problem.matrices[i], problem.factor)).item<float>());
  }
  return log;
}

/// The log is a tensor of the same device. The guard turns any copy in the loop into an error.
std::vector<float> log_on_device(const Problem& problem) {
  const std::int64_t count = problem.matrices.size(0);
  const Tensor log = problem.factor.new_zeros({count});
  {
    const patchbay::CopyGuard nothing_moves;
    for (std::int64_t i = 0; i < count; ++i) {
      log[i] += norm(matmul(problem.matrices[i], problem.factor));
    }
  }
  return log.to_vector<float>();
}

Run measure(const Device& device, const std::function<std::vector<float>()>& work) {
  using Clock = std::chrono::steady_clock;
  const patchbay::Ledger& ledger = device.runtime().ledger();
  const std::uint64_t copies_before = ledger.total(device.name(), "host").copies;
  Run run;
  const Clock::time_point start = Clock::now();
  run.norms = work();
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  run.copies = ledger.total(device.name(), "host").copies - copies_before;
  return run;
}

void print_run(const char* title, const Run& run) {
  std::printf("%-20s %9.2f ms, %llu %s to the host\n", title, run.seconds * 1e3,
              static_cast<unsigned long long>(run.copies), run.copies == 1 ? "copy" : "copies");
}

void compare(std::int64_t count, std::int64_t n, const Device& device) {
  const Problem problem{patchbay::rand({count, n, n}, device), patchbay::rand({n, n}, device)};
  const auto on_device = [&] { return log_on_device(problem); };
  measure(device, on_device);  // warms up: kernels are prepared, memory is touched
  const Run one_by_one = measure(device, [&] { return log_on_host(problem); });
  const Run at_once = measure(device, on_device);

  std::printf("%lld products of %lld x %lld matrices on %s\n", static_cast<long long>(count),
              static_cast<long long>(n), static_cast<long long>(n), device.name().c_str());
  print_run("norms one at a time", one_by_one);
  print_run("log on the device", at_once);
  std::printf("equal values: %s; first %.4f, last %.4f\n",
              one_by_one.norms == at_once.norms ? "true" : "false",
              static_cast<double>(at_once.norms.front()),
              static_cast<double>(at_once.norms.back()));
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device(argc > 1 ? argv[1] : "cpu:0");
  const std::int64_t count = argc > 2 ? std::atoll(argv[2]) : 1000;
  const std::int64_t size = argc > 3 ? std::atoll(argv[3]) : 100;
  if (count < 1 || size < 1)
    throw std::invalid_argument("COUNT and SIZE have to be numbers from 1");
  compare(count, size, device);
} catch (const std::exception& error) {
  std::fprintf(stderr, "norms: %s\n", error.what());
  return 1;
}
