// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies between the host and opencl:0 beside the bare calls, and between opencl:0 and opencl:1
// beside the same two legs one after the other.
#include <algorithm>
#include <memory>

#include "bench.h"
#ifdef PATCHBAY_BENCH_OPENCL
#include "peers/opencl_copy.h"
#endif

namespace bench {
namespace {

using patchbay::Buffer;
using patchbay::copy;
using patchbay::copy_from_host;
using patchbay::copy_to_host;
using patchbay::Device;

std::shared_ptr<std::vector<float>> host_memory(std::size_t size_bytes) {
  return std::make_shared<std::vector<float>>(
      random_values(static_cast<std::int64_t>(size_bytes / sizeof(float))));
}

Buffer filled(const Device& device, std::size_t size_bytes) {
  Buffer buffer = Buffer::allocate(device, size_bytes);
  copy_from_host({buffer, 0, size_bytes}, host_memory(size_bytes)->data());
  return buffer;
}

std::string row(const char* group, std::size_t size_bytes) {
  return std::string(group) + "/" + std::to_string(size_bytes >> 10) + "KiB/";
}

void register_host(std::size_t size) {
  add_benchmark(
      row("copy-to-device", size) + "patchbay",
      [size] {
        return [size, values = host_memory(size), buffer = filled(Device("opencl:0"), size)] {
          copy_from_host({buffer, 0, size}, values->data());
        };
      },
      benchmark::kMicrosecond);
  add_benchmark(
      row("copy-to-host", size) + "patchbay",
      [size] {
        return [size, values = host_memory(size), buffer = filled(Device("opencl:0"), size)] {
          copy_to_host(values->data(), {buffer, 0, size});
        };
      },
      benchmark::kMicrosecond);
#ifdef PATCHBAY_BENCH_OPENCL
  add_benchmark(
      row("copy-to-device", size) + "bare",
      [size] {
        return [values = host_memory(size), peer = std::make_shared<OpenclCopy>(size)] {
          peer->write(values->data());
        };
      },
      benchmark::kMicrosecond);
  add_benchmark(
      row("copy-to-host", size) + "bare",
      [size] {
        return [values = host_memory(size), peer = std::make_shared<OpenclCopy>(size)] {
          peer->read(values->data());
        };
      },
      benchmark::kMicrosecond);
#endif
}

void register_staged(std::size_t size) {
  add_benchmark(
      row("copy-staged", size) + "patchbay",
      [size] {
        return
            [size, from = filled(Device("opencl:0"), size), to = filled(Device("opencl:1"), size)] {
              copy({to, 0, size}, {from, 0, size});
            };
      },
      benchmark::kMicrosecond);
  add_benchmark(
      row("copy-staged", size) + "leg-after-leg",
      [size] {
        return
            [size, from = filled(Device("opencl:0"), size), to = filled(Device("opencl:1"), size),
             pinned = Buffer::allocate(Device("opencl:0"), size, patchbay::MemoryKind::kPinned)] {
              copy({pinned, 0, size}, {from, 0, size});
              copy({to, 0, size}, {pinned, 0, size});
            };
      },
      benchmark::kMicrosecond);
}

}  // namespace

void register_copy() {
  const auto devices = patchbay::Runtime::get_default().devices();
  const auto is_there = [&devices](const char* name) {
    return std::any_of(devices.begin(), devices.end(),
                       [name](const auto& device) { return device.name() == name; });
  };
  constexpr std::size_t kKiB = 1024;
  for (const std::size_t size : {4 * kKiB, 256 * kKiB, 16384 * kKiB, 65536 * kKiB, 262144 * kKiB}) {
    if (is_there("opencl:0")) register_host(size);
    if (is_there("opencl:1")) register_staged(size);
  }
}

}  // namespace bench
