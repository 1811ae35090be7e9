// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Times of the start, values of products, the same bits on two streams, what memory is free.
#include <cmath>
#include <limits>
#include <optional>

#include "probe.h"

namespace probe {
namespace {

using patchbay::Device;
using patchbay::Runtime;
using patchbay::Shape;
using patchbay::Tensor;

/// Prints whether both have the same bits, NaN apart, which equals none.
bool check(const char* name, const std::vector<float>& got, const std::vector<float>& expected) {
  std::size_t wrong = got.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
    wrong += got[i] == expected[i] ? 0 : 1;
  }
  print({{"check", name}, {"passed", wrong == 0}, {"elements", got.size()}, {"wrong", wrong}});
  return wrong == 0;
}

/// The product of whole numbers, as the host's loops have it.
std::vector<float> product_on_host(const std::vector<float>& a, const std::vector<float>& b,
                                   std::int64_t count, std::int64_t m, std::int64_t n,
                                   std::int64_t k) {
  std::vector<float> out;
  for (std::int64_t c = 0; c < count; ++c) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          sum += a[static_cast<std::size_t>((c * m + i) * k + l)] *
                 b[static_cast<std::size_t>((c * k + l) * n + j)];
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

bool check_product(const char* name, const Device& device, std::int64_t count, std::int64_t m,
                   std::int64_t n, std::int64_t k) {
  const std::vector<float> a = whole_numbers(count * m * k), b = whole_numbers(count * k * n);
  const Tensor left = from_host(a, {count, m, k}, device);
  const Tensor right = from_host(b, {count, k, n}, device);
  // What is there before does not count.
  const Tensor out = full({count, m, n}, std::numeric_limits<double>::quiet_NaN(), device);
  matmul_out(out, left, right);
  return check(name, out.to_vector<float>(), product_on_host(a, b, count, m, n, k));
}

}  // namespace

/// Each step for the first time in this process.
int start(const Target& target) {
  std::optional<Runtime> runtime;
  const double load = milliseconds_of([&] { runtime.emplace(patchbay::RuntimeOptions()); });
  const Device device = runtime->device(target.device);
  std::uint64_t free_bytes = 0;
  const double open = milliseconds_of([&] { free_bytes = device.memory().free_bytes; });
  const auto timed = [&device](const auto& body) {
    return milliseconds_of([&] {
      body();
      device.synchronize();
    });
  };
  Tensor a, b;
  const double kernel = timed([&] { a = full({512, 512}, 0.5, device); });
  const double product = timed([&] { b = matmul(a, a); });
  const double second = timed([&] { b = matmul(a, a); });
  print({{"device", device.properties().name},
         {"driver", device.properties().driver_version},
         {"free_bytes", free_bytes},
         {"load_plugins_ms", load},
         {"open_device_ms", open},
         {"first_kernel_ms", kernel},
         {"first_product_ms", product},
         {"second_product_ms", second}});
  return b.slice(0, 0, 1).to_vector<float>()[0] == 128 ? 0 : 1;
}

int products(const Target& target) {
  const Device device(target.device);
  bool passed = check_product("k = 0", device, 1, 37, 19, 0);
  passed &= check_product("batch of 5, k = 0", device, 5, 3, 2, 0);
  passed &= check_product("m = 1", device, 1, 1, 301, 257);
  passed &= check_product("n = 1", device, 1, 301, 1, 257);
  passed &= check_product("m = n = k = 1", device, 1, 1, 1, 1);
  passed &= check_product("129 x 65 x 255", device, 1, 129, 65, 255);
  passed &= check_product("batch of 70000", device, 70'000, 2, 3, 4);
  return passed ? 0 : 1;
}

int streams(const Target& target) {
  constexpr int kRounds = 20;
  const std::int64_t size = target.size_or(777);
  const Device device(target.device);
  std::vector<float> values = whole_numbers(size * size);
  for (float& value : values) value = std::sin(value) / 3;  // sums that round
  const Tensor a = from_host(values, {size, size}, device);
  const patchbay::Stream one(device), two(device);
  std::vector<Tensor> results;
  for (int i = 0; i < kRounds; ++i) {
    const patchbay::StreamScope scope(i % 2 == 0 ? one : two);
    results.push_back(matmul(a, a.t()));
  }
  one.synchronize();
  two.synchronize();
  const std::vector<float> first = results[0].to_vector<float>();
  bool passed = true;
  for (const Tensor& result : results) passed &= result.to_vector<float>() == first;
  print({{"check", "equal bits on two streams"}, {"passed", passed}, {"products", kRounds}});
  return passed ? 0 : 1;
}

int memory(const Target& target) {
  const Device device(target.device);
  const patchbay::DeviceMemory memory = device.memory();
  print({{"free_bytes", memory.free_bytes}, {"total_bytes", memory.total_bytes}});
  return 0;
}

}  // namespace probe
