// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Computes a thousand products and logs the norm of each. Fetching every norm at once makes the
// host wait a thousand times for one number; a log on the device is fetched once.
#include <cstdint>
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

struct Problem {
  Tensor matrices;  // [count, n, n]
  Tensor factor;    // [n, n]
};

struct Run {
  std::vector<float> norms;
  double seconds = 0;
  std::uint64_t copies = 0;  // from the device to the host
};

Problem make_problem(std::int64_t count, std::int64_t n, const Device& device) {
  return {from_host(random_values(count * n * n, 1), {count, n, n}, device),
          from_host(random_values(n * n, 2), {n, n}, device)};
}

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

template <class Function>
Run measure(const Device& device, Function function) {
  const patchbay::Ledger& ledger = device.runtime().ledger();
  const std::uint64_t copies_before = ledger.total(device.name(), "host").copies;
  Run run;
  const Stopwatch watch;
  run.norms = function();
  run.seconds = watch.seconds();
  run.copies = ledger.total(device.name(), "host").copies - copies_before;
  return run;
}

void print_run(const char* title, const Run& run) {
  fmt::print("{:<20} {:>9.2f} ms, {} {} to the host\n", title, run.seconds * 1e3, run.copies,
             run.copies == 1 ? "copy" : "copies");
}

void compare(std::int64_t count, std::int64_t n, const Device& device) {
  const Problem problem = make_problem(count, n, device);
  const auto on_host = [&] { return log_on_host(problem); };
  const auto on_device = [&] { return log_on_device(problem); };
  measure(device, on_device);  // warms up: kernels are prepared, memory is touched
  const Run one_by_one = measure(device, on_host);
  const Run at_once = measure(device, on_device);

  fmt::print("{} products of {} x {} matrices on {}\n", count, n, n, device.name());
  print_run("norms one at a time", one_by_one);
  print_run("log on the device", at_once);
  fmt::print("equal values: {}; first {:.4f}, last {:.4f}\n", one_by_one.norms == at_once.norms,
             at_once.norms.front(), at_once.norms.back());
}

}  // namespace

int main(int argc, char** argv) {
  Program program("norms", "What it costs to fetch numbers one at a time.");
  std::string name = "cpu:0", count = "1000", size = "100";
  program.add_option("--device", name, "Where to compute");
  program.add_option("--count", count, "How many products");
  program.add_option("--size", size, "Rows and columns of the matrices");
  return program.run(argc, argv, [&] {
    const std::int64_t num_products = parse_count("--count", count, 100000, "the most products");
    const std::int64_t num_rows = parse_count("--size", size, 4096, "the largest matrices");
    compare(num_products, num_rows, Device(name));
  });
}
