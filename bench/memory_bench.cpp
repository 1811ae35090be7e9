// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory, copies, and how a runtime is made.
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/bench.h"
#ifdef PATCHBAY_BENCH_OPENCL
#include "bench/peers/opencl.h"
#endif

namespace bench {
namespace {

using patchbay::Buffer;
using patchbay::copy;
using patchbay::copy_from_host;
using patchbay::copy_to_host;
using patchbay::Device;

void allocate_and_free(const Device& device, std::size_t size_bytes, int times) {
  for (int i = 0; i < times; ++i) (void)Buffer::allocate(device, size_bytes);
}

void add_allocations(std::size_t size_bytes) {
  const std::string row = "memory/" + std::to_string(size_bytes);
  add(row, [size_bytes] {
    return [device = Device("cpu:0"), size_bytes] { allocate_and_free(device, size_bytes, 1); };
  });
  add(row, "malloc", [size_bytes] {
    return [size_bytes] {
      void* volatile memory = std::malloc(size_bytes);  // NOLINT: the peer
      std::free(memory);                                // NOLINT
    };
  });
}

/// The same number of pairs, by eight threads at once and by one.
void add_threads(std::size_t size_bytes) {
  constexpr int kManyThreads = 8, kPairs = 20000;
  add("memory/8-threads", [size_bytes] {
    return [device = Device("cpu:0"), size_bytes] {
      std::vector<std::thread> threads;
      for (int i = 0; i < kManyThreads; ++i) {
        threads.emplace_back([&] { allocate_and_free(device, size_bytes, kPairs); });
      }
      for (std::thread& thread : threads) thread.join();
    };
  });
  add("memory/8-threads", "one-thread", [size_bytes] {
    return [device = Device("cpu:0"), size_bytes] {
      allocate_and_free(device, size_bytes, kManyThreads * kPairs);
    };
  });
}

std::shared_ptr<std::vector<float>> host_memory(std::size_t size_bytes) {
  return std::make_shared<std::vector<float>>(
      random_values(static_cast<std::int64_t>(size_bytes / sizeof(float))));
}

Buffer filled(const char* device, std::size_t size_bytes) {
  const Buffer buffer = Buffer::allocate(Device(device), size_bytes);
  copy_from_host({buffer, 0, size_bytes}, host_memory(size_bytes)->data());
  return buffer;
}

/// Between the host and opencl:0, beside the bare calls.
void add_host_copies(std::size_t size) {
  const std::string extent = std::to_string(size >> 10) + "KiB";
  const std::string to_device = "copy-to-device/" + extent, to_host = "copy-to-host/" + extent;
  add(to_device, [size] {
    return [size, values = host_memory(size), buffer = filled("opencl:0", size)] {
      copy_from_host({buffer, 0, size}, values->data());
    };
  });
#ifdef PATCHBAY_BENCH_OPENCL
  add(to_device, "bare", [size] {
    return [values = host_memory(size), peer = std::make_shared<OpenclCopy>(size)] {
      peer->write(values->data());
    };
  });
#endif
  add(to_host, [size] {
    return [size, values = host_memory(size), buffer = filled("opencl:0", size)] {
      copy_to_host(values->data(), {buffer, 0, size});
    };
  });
#ifdef PATCHBAY_BENCH_OPENCL
  add(to_host, "bare", [size] {
    return [values = host_memory(size), peer = std::make_shared<OpenclCopy>(size)] {
      peer->read(values->data());
    };
  });
#endif
}

/// Between opencl:0 and opencl:1, beside the same two legs one after the other.
void add_staged_copies(std::size_t size) {
  const std::string row = "copy-staged/" + std::to_string(size >> 10) + "KiB";
  add(row, [size] {
    return [size, from = filled("opencl:0", size), to = filled("opencl:1", size)] {
      copy({to, 0, size}, {from, 0, size});
    };
  });
  add(row, "leg-after-leg", [size] {
    return [size, from = filled("opencl:0", size), to = filled("opencl:1", size),
            pinned = Buffer::allocate(Device("opencl:0"), size, patchbay::MemoryKind::kPinned)] {
      copy({pinned, 0, size}, {from, 0, size});
      copy({to, 0, size}, {pinned, 0, size});
    };
  });
}

}  // namespace

void add_runtime() {
  // The libraries are mapped anew each time, because no other runtime holds them yet.
  add("runtime/create",
      [] { return [] { (void)patchbay::Runtime(patchbay::RuntimeOptions()).devices().size(); }; });
}

void add_memory() {
  for (const std::size_t size_bytes : {64, 4096, 65536, 1 << 20, 16 << 20}) {
    add_allocations(size_bytes);
  }
  add_threads(4096);
  const bool has_host_copies = is_there("opencl:0"), has_staged_copies = is_there("opencl:1");
  for (const std::size_t kibibytes : {4, 256, 16384, 65536, 262144}) {
    if (has_host_copies) add_host_copies(kibibytes << 10);
    if (has_staged_copies) add_staged_copies(kibibytes << 10);
  }
}

}  // namespace bench
