// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Times two products on two devices at once, with one host thread each, against the same products
// one after the other on one device. The devices share nothing, so they do not wait for each other.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <thread>
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

constexpr int kRuns = 5;

/// A product with everything it needs on one device.
struct Job {
  Job(std::int64_t n, std::uint32_t seed, const Device& device)
      : a(from_host(random_values(n * n, seed), {n, n}, device)),
        b(from_host(random_values(n * n, seed + 1), {n, n}, device)),
        out(a.new_empty({n, n})) {}

  void run() const {
    matmul_out(out, a, b);
    out.device().synchronize();
  }

  Tensor a, b, out;
};

/// Both jobs at once. An error in the thread is passed on: an exception must not leave it.
void run_at_once(const Job& first, const Job& second) {
  std::exception_ptr failure;
  std::thread helper([&] {
    try {
      second.run();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  try {
    first.run();
  } catch (...) {
    failure = std::current_exception();
  }
  helper.join();
  if (failure) std::rethrow_exception(failure);
}

double median_seconds(const std::function<void()>& work) {
  work();  // warms up
  std::vector<double> seconds;
  for (int i = 0; i < kRuns; ++i) {
    const Stopwatch watch;
    work();
    seconds.push_back(watch.seconds());
  }
  std::nth_element(seconds.begin(), seconds.begin() + kRuns / 2, seconds.end());
  return seconds[kRuns / 2];
}

void compare(const Device& device, const Device& other, std::int64_t n) {
  const Job first(n, 1, device), second(n, 3, device), second_elsewhere(n, 3, other);
  const double in_turn = median_seconds([&] {
    first.run();
    second.run();
  });
  const double at_once = median_seconds([&] { run_at_once(first, second_elsewhere); });
  // The second product once more, brought here by an explicit copy.
  const Tensor difference = abs(second.out - second_elsewhere.out.to(device));

  fmt::print("two products of {0} x {0} matrices\n", n);
  fmt::print("one after the other on {:<16} {:>9.2f} ms\n", device.name(), in_turn * 1e3);
  fmt::print("at once on {:<28} {:>9.2f} ms\n", device.name() + " and " + other.name(),
             at_once * 1e3);
  fmt::print("speed-up {:.2f}, largest difference {:.1e}\n", in_turn / at_once,
             max(difference).item<float>());
}

std::optional<Device> other_than(const Device& device) {
  for (const Device& other : device.runtime().devices()) {
    if (other != device) return other;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Program program("two_devices", "Two devices at once against one after the other.");
  std::string name = "cpu:0", other_name, size = "1024";
  program.add_option("--device", name, "The first device");
  program.add_option("--other", other_name, "The second device (default: the next there is)");
  program.add_option("--size", size, "Rows and columns of the matrices");
  return program.run(argc, argv, [&] {
    const std::int64_t n = parse_count("--size", size, 16384, "the largest matrices");
    const Device device(name);
    const auto other = other_name.empty() ? other_than(device) : Device(other_name);
    if (!other) {
      fmt::print(
          "{} is the only device here: nothing to run at once "
          "(PATCHBAY_CPU_DEVICES=2 splits the CPU in two)\n",
          device.name());
      return;
    }
    if (*other == device) {
      throw patchbay::Error(patchbay::ErrorCode::kInvalidArgument,
                            "[--other] one device twice: expected a device other than " +
                                device.name() + ". See 'patchbay devices' for what there is.");
    }
    compare(device, *other, n);
  });
}
