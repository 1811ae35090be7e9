// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Times two products on two devices at once, with one host thread each, against the same products
// one after the other on one device. The devices share nothing, so they do not wait for each other.
//   two_devices [SIZE [DEVICE [OTHER]]]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::Tensor;

namespace {

/// A product with everything it needs on one device.
struct Job {
  void run() const {
    matmul_out(out, a, b);
    out.device().synchronize();
  }

  Tensor a, b, out;
};

Job random_job(std::int64_t n, const Device& device) {
  return {patchbay::rand({n, n}, device), patchbay::rand({n, n}, device),
          patchbay::empty({n, n}, device)};
}
Job same_job(const Job& job, const Device& device) {
  return {job.a.to(device), job.b.to(device), patchbay::empty(job.out.shape(), device)};
}

/// Both jobs at once. get() passes on an error of the thread.
void run_at_once(const Job& first, const Job& second) {
  std::future<void> other = std::async(std::launch::async, [&] { second.run(); });
  first.run();
  other.get();
}

double median_milliseconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  work();  // warms up
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point start = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void compare(const Device& device, const Device& other, std::int64_t n) {
  const Job first = random_job(n, device), second = random_job(n, device);
  const Job second_elsewhere = same_job(second, other);
  const double in_turn = median_milliseconds([&] {
    first.run();
    second.run();
  });
  const double at_once = median_milliseconds([&] { run_at_once(first, second_elsewhere); });
  // The second product once more, brought here by an explicit copy.
  const Tensor difference = abs(second.out - second_elsewhere.out.to(device));

  const std::string both = device.name() + " and " + other.name();
  std::printf("two products of %lld x %lld matrices\n", static_cast<long long>(n),
              static_cast<long long>(n));
  std::printf("one after the other on %-16s %9.2f ms\n", device.name().c_str(), in_turn);
  std::printf("at once on %-28s %9.2f ms\n", both.c_str(), at_once);
  std::printf("speed-up %.2f, largest difference %.1e\n", in_turn / at_once,
              static_cast<double>(max(difference).item<float>()));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 1024;
  if (n < 1) throw std::invalid_argument("SIZE has to be a number from 1");
  const Device device(argc > 2 ? argv[2] : "cpu:0");
  std::vector<Device> others =
      argc > 3 ? std::vector{Device(argv[3])} : patchbay::Runtime::get_default().devices();
  std::erase(others, device);
  if (others.empty()) {
    std::printf(
        "%s is the only device: nothing to run at once (PATCHBAY_CPU_DEVICES=2 splits the CPU)\n",
        device.name().c_str());
    return 0;
  }
  compare(device, others.front(), n);
} catch (const std::exception& error) {
  std::fprintf(stderr, "two_devices: %s\n", error.what());
  return 1;
}
