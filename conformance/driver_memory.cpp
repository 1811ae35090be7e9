// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chapter memory, allocate and release of the plugin: the runtime usually divides a few large
// blocks, so buffers seldom call these entries.
#include <algorithm>
#include <set>
#include <utility>

#include "conformance/chapters.h"
#include "conformance/support/bytes.h"
#include "conformance/support/expect.h"

namespace patchbay::conformance {
namespace {

/// A device on which each buffer is an allocation of the plugin.
Device without_cache(const Context& context) {
  return context.new_runtime({{"memory_cache", "off"}}).device(context.subject().backend);
}

std::vector<MemoryKind> kinds_of(const Device& device) {
  std::vector<MemoryKind> kinds = {MemoryKind::kDevice};
  for (const MemoryKind kind : {MemoryKind::kPinned, MemoryKind::kUnified}) {
    std::string reason;
    if (is_unsupported([&] { (void)Buffer::allocate(device, 1, kind); }, &reason)) continue;
    kinds.push_back(kind);
  }
  return kinds;
}

/// A buffer and its expected content.
struct Written {
  Buffer buffer;
  Bytes sent;
};

void expect_kept(const std::vector<Written>& all, std::string_view when) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].buffer) continue;
    expect_same(read(all[i].buffer), all[i].sent,
                fmt::format("{} of {} blocks, {} memory, {}", i, all.size(),
                            to_string(all[i].buffer.kind()), when));
  }
}

void expect_apart(const Context& context, const std::vector<std::size_t>& sizes) {
  const Device device = without_cache(context);
  const std::vector<MemoryKind> kinds = kinds_of(device);
  std::vector<Written> all;
  const auto add = [&](std::size_t size) {
    for (const MemoryKind kind : kinds) {
      Bytes sent = pattern(size, all.size());
      const Buffer buffer = upload(device, sent, kind);
      all.push_back({buffer, std::move(sent)});
    }
  };
  for (int round = 0; round < 6; ++round) {
    for (const std::size_t size : sizes) add(size);
  }
  expect_kept(all, "when all are written");
  for (std::size_t i = 0; i < all.size(); i += 3) all[i].buffer = Buffer();
  for (const std::size_t size : sizes) add(size);
  expect_kept(all, "when others were released and made");
}

void driver_blocks_do_not_overlap(Context& context) {
  expect_apart(context, {4096, 10007, 1, 255, 3});
  expect_apart(context, {4096});
}

/// Whether the bases of memory of this kind are addresses that the host can read.
bool has_addresses(const Device& device, MemoryKind kind) {
  return Buffer::allocate(device, 1, kind).is_host_addressable();
}

/// Returns false if the driver refuses such an alignment, which is allowed.
bool expect_aligned(const Device& device, MemoryKind kind, std::size_t size,
                    std::size_t alignment) {
  const auto driver = driver_memory(device);
  RawMemory memory;
  try {
    memory = driver->allocate(kind, size, alignment);
  } catch (const Error&) {
    return false;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(memory.base) + memory.offset_bytes;
  driver->release(kind, memory, size);
  expect(address % alignment == 0,
         "allocate gave {:#x} for {} bytes of {} memory: expected a multiple of {}", address, size,
         to_string(kind), alignment);
  return true;
}

void driver_blocks_are_aligned_as_asked(Context& context) {
  const Device device = without_cache(context);
  std::size_t num_tried = 0;
  for (const MemoryKind kind : kinds_of(device)) {
    if (!has_addresses(device, kind)) continue;
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
      for (const std::size_t size : {1u, 24u, 4097u}) {
        if (expect_aligned(device, kind, size, alignment)) ++num_tried;
      }
    }
    const auto own =
        reinterpret_cast<std::uintptr_t>(Buffer::allocate(device, 24, kind).host_pointer());
    expect(own % 8 == 0, "a buffer lies at {:#x}: expected a multiple of 8, for f64 and i64", own);
  }
  if (num_tried == 0) throw Waiver("the host can't address this memory");
}

void two_blocks_are_never_in_one_place(Context& context) {
  const Device device = without_cache(context);
  const auto driver = driver_memory(device);
  for (const MemoryKind kind : kinds_of(device)) {
    std::vector<RawMemory> all;
    std::set<std::pair<void*, std::uint64_t>> places;
    for (int i = 0; i < 64; ++i) {
      all.push_back(driver->allocate(kind, 512, 64));
      places.emplace(all.back().base, all.back().offset_bytes);
    }
    for (const RawMemory& memory : all) driver->release(kind, memory, 512);
    expect_equal(places.size(), all.size(),
                 fmt::format("places of live blocks of {} memory", to_string(kind)));
  }
}

/// Allocates blocks from the driver and releases them at once.
class Turnover {
 public:
  explicit Turnover(const Device& device)
      : device_(device),
        size_(std::clamp<std::size_t>(device.memory().free_bytes / 8, 1, kMostBytes)) {}

  /// Allocates more than there is, or enough to notice a leak. Returns the bytes that are lost.
  std::uint64_t missing_bytes() {
    const std::uint64_t before = device_.memory().free_bytes;
    for (int i = 0; i < kRounds; ++i) turn_over();
    const std::uint64_t after = device_.memory().free_bytes;
    return before > after ? before - after : 0;
  }
  /// The number of lost bytes if nothing was released.
  std::uint64_t most_missing_bytes() const { return size_ * kRounds; }
  std::string to_string() const {
    return fmt::format("{} blocks of {} bytes were allocated and released", num_blocks_, size_);
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  static constexpr int kRounds = 16;

  void turn_over() {
    const auto driver = driver_memory(device_);
    try {
      const RawMemory memory = driver->allocate(MemoryKind::kDevice, size_, 64);
      driver->release(MemoryKind::kDevice, memory, size_);
    } catch (const Error& error) {
      throw Failure(fmt::format("{}, and the next one failed: {}", to_string(), error.what()));
    }
    ++num_blocks_;
  }

  Device device_;
  std::size_t size_;
  std::size_t num_blocks_ = 0;
};

void released_memory_can_be_had_again(Context& context) {
  Turnover turnover(without_cache(context));
  std::uint64_t missing = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {  // other programs use memory too
    missing = turnover.missing_bytes();
    if (missing < turnover.most_missing_bytes() / 4 * 3) return;
  }
  throw Failure(fmt::format("{}, and {} bytes are not free again", turnover.to_string(), missing));
}

void both_totals_agree(Context& context) {
  for (const Device& device : context.devices()) {
    const std::uint64_t said = device.properties().memory_total_bytes;
    const std::uint64_t found = device.memory().total_bytes;
    expect(found / 2 <= said && said / 2 <= found,
           "{}: enumerate says {} bytes of memory in total, info {}", device.name(), said, found);
  }
}

/// Others may release memory of the device meanwhile, so one of a few buffers must show it.
void info_counts_what_is_allocated(Context& context) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20, kPartOfFree = 16;
  constexpr std::size_t kMostBuffers = 5;
  const Device device = without_cache(context);
  const std::uint64_t before = device.memory().free_bytes;
  const auto each =
      static_cast<std::size_t>(std::clamp<std::uint64_t>(before / kPartOfFree, 1, kMostBytes));
  std::vector<Buffer> held;  // a plugin's own pool must grow
  std::uint64_t after = 0;
  while (held.size() < kMostBuffers) {
    held.push_back(upload(device, pattern(each, 0)));  // committed when it is written
    after = device.memory().free_bytes;
    if (before >= after + each / 2) return;
  }
  expect(false, "info says that {} bytes are free before {} bytes are allocated, and {} after",
         before, held.size() * each, after);
}

}  // namespace

std::vector<Check> driver_memory_checks() {
  return {
      {"memory", "driver_blocks_do_not_overlap", driver_blocks_do_not_overlap},
      {"memory", "driver_blocks_are_aligned_as_asked", driver_blocks_are_aligned_as_asked},
      {"memory", "two_blocks_are_never_in_one_place", two_blocks_are_never_in_one_place},
      {"memory", "released_memory_can_be_had_again", released_memory_can_be_had_again},
      {"memory", "both_totals_agree", both_totals_agree},
      {"memory", "info_counts_what_is_allocated", info_counts_what_is_allocated},
  };
}

}  // namespace patchbay::conformance
