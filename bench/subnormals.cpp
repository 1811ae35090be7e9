// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How much longer operations on subnormal numbers take than on normal ones, as values and as zeros:
// patchbay-subnormals DEVICE. What the processor does decides it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <patchbay/patchbay.h>

namespace {

using namespace patchbay;

/// Of several calls, the median in seconds.
double time_of(const Device& device, const std::function<Tensor()>& body) {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    device.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    const Tensor result = body();
    device.synchronize();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct Case {
  std::string name;
  std::function<Tensor(double value)> run;  // on tensors of that value
};

std::vector<Case> cases_on(const Device& device) {
  const auto with = [device](Shape shape, double value) { return full(shape, value, device); };
  return {
      {"add, 1 M", [=](double v) { return with({1 << 20}, v) + with({1 << 20}, v); }},
      {"mul, 1 M", [=](double v) { return with({1 << 20}, v) * 0.5; }},
      {"exp, 1 M", [=](double v) { return exp(with({1 << 20}, v)); }},
      {"softmax, 1024 x 1024",
       [=](double v) {
         return softmax(with({1024, 1024}, v), 1);
       }},
      {"sum, 1 M", [=](double v) { return sum(with({1 << 20}, v)); }},
      {"matmul, 512",
       [=](double v) {
         return matmul(with({512, 512}, v), with({512, 512}, 1));
       }},
      {"conv2d, 8 x 32 x 32 x 32",
       [=](double v) {
         return conv2d(with({8, 32, 32, 32}, 1), with({32, 32, 3, 3}, v));
       }},
  };
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "cpu:0";
  std::printf("%-28s %12s %12s %12s %12s\n", "", "normal", "subnormal", "normal, on", "subn., on");
  std::vector<std::vector<double>> times;
  std::vector<std::string> names;
  for (const bool flushes : {false, true}) {
    RuntimeOptions options;
    options.flush_subnormals = flushes;
    const Device device = Runtime(options).device(name);
    if (!flushes) std::printf("%s\n", device.properties().name.c_str());
    std::size_t at = 0;
    for (const Case& each : cases_on(device)) {
      if (!flushes) {
        times.emplace_back();
        names.push_back(each.name);
      }
      for (const double value : {0.7, 1e-39}) {
        times[at].push_back(time_of(device, [&] { return each.run(value); }));
      }
      ++at;
    }
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::printf("%-28s", names[i].c_str());
    for (const double time : times[i]) std::printf(" %9.3f ms", time * 1e3);
    std::printf("   ratio %.2f, on %.2f\n", times[i][1] / times[i][0], times[i][3] / times[i][2]);
  }
  return 0;
}
