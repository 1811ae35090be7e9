// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench.h"

namespace bench {
namespace {

using patchbay::Buffer;
using patchbay::Device;

constexpr int kManyThreads = 8, kPairs = 20000;

void allocate_and_free(const Device& device, std::size_t size_bytes, int times) {
  for (int i = 0; i < times; ++i) {
    benchmark::DoNotOptimize(Buffer::allocate(device, size_bytes));
  }
}

void register_size(const std::string& group, std::size_t size_bytes) {
  add_benchmark(
      group + "/patchbay",
      [size_bytes] {
        return [device = Device("cpu:0"), size_bytes] { allocate_and_free(device, size_bytes, 1); };
      },
      benchmark::kNanosecond);
  add_benchmark(
      group + "/malloc",
      [size_bytes] {
        return [size_bytes] {
          void* memory = std::malloc(size_bytes);  // NOLINT: the peer
          benchmark::DoNotOptimize(memory);
          std::free(memory);  // NOLINT
        };
      },
      benchmark::kNanosecond);
}

/// The same number of pairs, by eight threads at once and by one.
void register_threads(std::size_t size_bytes) {
  const std::string group = "memory/" + std::to_string(kManyThreads) + "-threads";
  add_benchmark(
      group + "/patchbay",
      [size_bytes] {
        return [device = Device("cpu:0"), size_bytes] {
          std::vector<std::thread> threads;
          for (int i = 0; i < kManyThreads; ++i) {
            threads.emplace_back([&] { allocate_and_free(device, size_bytes, kPairs); });
          }
          for (std::thread& thread : threads) thread.join();
        };
      },
      benchmark::kMillisecond);
  add_benchmark(
      group + "/one-thread",
      [size_bytes] {
        return [device = Device("cpu:0"), size_bytes] {
          allocate_and_free(device, size_bytes, kManyThreads * kPairs);
        };
      },
      benchmark::kMillisecond);
}

}  // namespace

void register_memory() {
  for (const std::size_t size_bytes : {64, 4096, 65536, 1 << 20, 16 << 20}) {
    register_size("memory/" + std::to_string(size_bytes), size_bytes);
  }
  register_threads(4096);
}

}  // namespace bench
