// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chapter memory: blocks are allocated, keep their content, do not overlap, and are released.
#include <algorithm>

#include "conformance/chapters.h"
#include "conformance/support/bytes.h"
#include "conformance/support/expect.h"

namespace patchbay::conformance {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

void sizes_from_1_byte_to_16_mib(Context& context) {
  for (std::size_t size = 1; size <= 16 * kMiB; size = size * 3 + 1) {
    const Buffer buffer = Buffer::allocate(context.device(), size);
    expect_equal(buffer.size_bytes(), size, "size of a buffer");
    expect(buffer.device() == context.device(), "the buffer is on another device");
    const Bytes last = {std::byte{0x5a}};
    write(buffer, last, size - 1);
    expect_same(read(buffer, size - 1, 1), last, fmt::format("last of {} bytes", size));
  }
  const Buffer whole = Buffer::allocate(context.device(), 16 * kMiB);
  expect_equal(whole.size_bytes(), 16 * kMiB, "size of a buffer");
}

void zero_bytes(Context& context) {
  const Buffer empty = Buffer::allocate(context.device(), 0);
  expect(static_cast<bool>(empty), "a buffer of 0 bytes is null");
  expect_equal(empty.size_bytes(), 0u, "size of an empty buffer");
  copy_from_host({empty, 0, 0}, nullptr);
  copy_to_host(nullptr, {empty, 0, 0});
}

void host_pointers_are_aligned(Context& context) {
  const std::size_t alignment =
      std::max<std::size_t>(16, context.device().properties().preferred_vector_bytes);
  for (const std::size_t size : kSizes) {
    const Buffer buffer = Buffer::allocate(context.device(), size);
    if (!buffer.is_host_addressable()) throw Waiver("the host can't address this memory");
    const auto address = reinterpret_cast<std::uintptr_t>(buffer.host_pointer());
    expect(address % alignment == 0, "{} bytes lie at {:#x}: expected a multiple of {}", size,
           address, alignment);
  }
}

void host_access_matches_what_is_said(Context& context) {
  const Buffer buffer = upload(context.device(), pattern(64, 1));
  expect(buffer.is_host_addressable() == context.device().properties().host_addressable,
         "the buffer and the properties differ on host_addressable");
  if (!buffer.is_host_addressable()) {
    expect_error(ErrorCode::kUnsupported, "the host pointer of device memory",
                 [&] { (void)buffer.host_pointer(); }, {context.device().name()});
    return;
  }
  const auto* data = static_cast<const std::byte*>(buffer.host_pointer());
  expect_same(Bytes(data, data + 64), pattern(64, 1), "bytes through the host pointer");
}

void writes_survive(Context& context) {
  for (const std::size_t size : kSizes) {
    const Bytes sent = pattern(size, size);
    expect_same(read(upload(context.device(), sent)), sent, fmt::format("{} bytes", size));
  }
}

void writes_touch_nothing_else(Context& context) {
  const std::size_t total = 70000;
  for (const std::size_t offset : {1u, 3u, 64u, 4095u}) {
    for (const std::size_t size : {1u, 7u, 256u, 65537u}) {
      Bytes expected = pattern(total, 1);
      const Buffer buffer = upload(context.device(), expected);
      const Bytes patch = pattern(size, 2);
      write(buffer, patch, offset);
      std::copy(patch.begin(), patch.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
      expect_same(read(buffer), expected, fmt::format("{} bytes written at {}", size, offset));
      expect_same(read(buffer, offset, size), patch, fmt::format("{} bytes at {}", size, offset));
    }
  }
}

void blocks_do_not_overlap(Context& context) {
  std::vector<Buffer> buffers;
  std::vector<Bytes> sent;
  for (std::uint64_t i = 0; i < 64; ++i) {
    sent.push_back(pattern(1 + static_cast<std::size_t>(mix(i) % 5000), i));
    buffers.push_back(upload(context.device(), sent.back()));
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    expect_same(read(buffers[i]), sent[i], fmt::format("block {} of 64", i));
  }
}

void freed_blocks_leave_the_others_alone(Context& context) {
  std::vector<Buffer> buffers;
  for (std::uint64_t i = 0; i < 32; ++i) {
    buffers.push_back(upload(context.device(), pattern(1000, i)));
  }
  for (std::size_t i = 0; i < buffers.size(); i += 2) buffers[i] = Buffer();
  for (std::uint64_t i = 0; i < 16; ++i) (void)upload(context.device(), pattern(1000, 100 + i));
  for (std::size_t i = 1; i < buffers.size(); i += 2) {
    expect_same(read(buffers[i]), pattern(1000, i), fmt::format("block {}", i));
  }
}

void pinned_memory(Context& context) {
  std::string reason;
  Buffer pinned;
  const bool missing = is_unsupported(
      [&] { pinned = Buffer::allocate(context.device(), 65537, MemoryKind::kPinned); }, &reason);
  if (missing) throw Waiver(reason);
  expect(pinned.kind() == MemoryKind::kPinned, "the buffer's kind is not pinned");
  expect(pinned.is_host_addressable(), "the host can't address pinned memory");
  write(pinned, pattern(65537, 3));
  expect_same(read(pinned), pattern(65537, 3), "pinned memory");
  const Buffer device = Buffer::allocate(context.device(), 65537);
  copy({device, 0, 65537}, {pinned, 0, 65537});
  expect_same(read(device), pattern(65537, 3), "a copy of pinned memory");
}

/// The host and the device see one another's bytes, and copies of every kind arrive.
void unified_memory(Context& context) {
  const Device device = context.device();
  if (!device.properties().unified_buffers) throw Waiver("the device has no unified memory");
  const std::size_t size = 65537;
  const Buffer unified = Buffer::allocate(device, size, MemoryKind::kUnified);
  expect(unified.kind() == MemoryKind::kUnified, "the buffer's kind is not unified");
  expect(unified.is_host_addressable(), "the host can't address unified memory");
  const Bytes sent = pattern(size, 4), others = pattern(size, 5);
  std::copy(sent.begin(), sent.end(), static_cast<std::byte*>(unified.host_pointer()));
  const Buffer plain = Buffer::allocate(device, size);
  copy({plain, 0, size}, {unified, 0, size});
  expect_same(read(plain), sent, "a copy of unified memory");
  copy({unified, 0, size}, {upload(device, others), 0, size}, /*non_blocking=*/true);
  const auto* const seen = static_cast<const std::byte*>(unified.host_pointer());
  expect_same(Bytes(seen, seen + size), others, "unified memory through the host pointer");
}

void impossible_size_is_out_of_memory(Context& context) {
  const Device device = context.device();
  const Buffer kept = upload(device, pattern(4096, 9));
  const DeviceMemory before = device.memory();
  for (const std::size_t size : {std::size_t{1} << 62, SIZE_MAX / 2}) {
    expect_error(ErrorCode::kOutOfMemory, fmt::format("{} bytes", size),
                 [&] { (void)Buffer::allocate(device, size); }, {device.name()});
  }
  const DeviceMemory after = device.memory();
  expect_equal(after.live_bytes, before.live_bytes, "live bytes after a refusal");
  expect_equal(after.live_blocks, before.live_blocks, "live blocks after a refusal");
  expect_same(read(kept), pattern(4096, 9), "a block that was there before");
  expect_same(read(upload(device, pattern(kMiB, 10))), pattern(kMiB, 10), "a block made after");
}

void many_small_blocks(Context& context) {
  const std::uint64_t before = context.device().memory().live_blocks;
  std::vector<Buffer> buffers;
  for (int i = 0; i < 5000; ++i) {
    buffers.push_back(Buffer::allocate(context.device(), static_cast<std::size_t>(i % 33)));
  }
  const std::uint64_t live = context.device().memory().live_blocks - before;
  // Blocks of 0 bytes may be counted or not.
  expect(live >= 4800 && live <= 5000, "5000 buffers make {} live blocks", live);
}

void live_bytes_return_to_0(Context& context) {
  const Runtime runtime(context.subject().options);
  const Device device = runtime.device(context.subject().backend);
  {
    const Buffer a = Buffer::allocate(device, 1000), b = Buffer::allocate(device, 3 * kMiB);
    const Buffer second_handle = b;
    const DeviceMemory memory = device.memory();
    expect(memory.live_bytes >= 3 * kMiB + 1000, "two blocks make {} live bytes",
           memory.live_bytes);
    expect_equal(memory.live_blocks, 2u, "live blocks");
  }
  device.synchronize();
  const DeviceMemory memory = device.memory();
  expect_equal(memory.live_bytes, 0u, "live bytes when all is freed");
  expect_equal(memory.live_blocks, 0u, "live blocks when all is freed");
  expect(memory.peak_bytes >= 3 * kMiB + 1000, "the peak is {} bytes", memory.peak_bytes);
}

void memory_figures_make_sense(Context& context) {
  const DeviceMemory memory = context.device().memory();
  expect(memory.total_bytes > 0, "the device says it has no memory");
  expect(memory.free_bytes <= memory.total_bytes, "{} bytes are free of {}", memory.free_bytes,
         memory.total_bytes);
}

void threads_allocate_at_once(Context& context) {
  const Device device = context.device();
  run_threads(4, [&](int thread) {
    for (std::uint64_t i = 0; i < 50; ++i) {
      const Bytes sent = pattern(1 + static_cast<std::size_t>(mix(i) % 3000),
                                 1000 * static_cast<std::uint64_t>(thread) + i);
      expect_same(read(upload(device, sent)), sent, fmt::format("thread {}", thread));
    }
  });
}

void every_device_has_memory_of_its_own(Context& context) {
  const std::vector<Device> devices = context.devices();
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    buffers.push_back(upload(devices[i], pattern(10000, i)));
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    expect_same(read(buffers[i]), pattern(10000, i), devices[i].name());
  }
}

}  // namespace

std::vector<Check> memory_checks() {
  return {
      {"memory", "sizes_from_1_byte_to_16_mib", sizes_from_1_byte_to_16_mib},
      {"memory", "zero_bytes", zero_bytes},
      {"memory", "host_pointers_are_aligned", host_pointers_are_aligned},
      {"memory", "host_access_matches_what_is_said", host_access_matches_what_is_said},
      {"memory", "writes_survive", writes_survive},
      {"memory", "writes_touch_nothing_else", writes_touch_nothing_else},
      {"memory", "blocks_do_not_overlap", blocks_do_not_overlap},
      {"memory", "freed_blocks_leave_the_others_alone", freed_blocks_leave_the_others_alone},
      {"memory", "pinned_memory", pinned_memory},
      {"memory", "unified_memory", unified_memory},
      {"memory", "impossible_size_is_out_of_memory", impossible_size_is_out_of_memory},
      {"memory", "many_small_blocks", many_small_blocks},
      {"memory", "live_bytes_return_to_0", live_bytes_return_to_0},
      {"memory", "memory_figures_make_sense", memory_figures_make_sense},
      {"memory", "threads_allocate_at_once", threads_allocate_at_once},
      {"memory", "every_device_has_memory_of_its_own", every_device_has_memory_of_its_own},
  };
}

}  // namespace patchbay::conformance
