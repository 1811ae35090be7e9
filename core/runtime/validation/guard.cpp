// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/validation/guard.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "core/base/status.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/validation/layer.h"

namespace patchbay::runtime::validation {
namespace {

constexpr unsigned char kGuard = 0xA5, kNew = 0xFF, kReleased = 0xFE;
constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;

using Bytes = std::vector<unsigned char>;

/// Calls `submit` with the layer's own stream of the device and waits for that stream.
template <class Submit>
bool on_own_stream(DeviceRecord& device, const Submit& submit) {
  const PluginTables& real = device.layer.real();
  const std::scoped_lock lock(device.stream_mutex);
  if (device.has_stream_ended) return false;
  if (device.stream == nullptr) {
    const base::StatusHolder failure(ask_for(device.stream, [&](patchbay_stream** stream) {
      return real.stream.create(device.own, 0, stream);
    }));
    if (device.stream == nullptr) return false;
  }
  const base::StatusHolder refused(submit(real, device.stream));
  const base::StatusHolder failed(real.stream.synchronize(device.stream, PATCHBAY_NO_DEADLINE));
  return !refused && !failed;
}

/// The host's address of the bytes at that offset of the whole block; null if it has none.
unsigned char* host_address(const Block& block, std::uint64_t offset) {
  if (!is_addressable(*block.device, block.kind)) return nullptr;
  return static_cast<unsigned char*>(block.whole.base) + block.whole.offset_bytes + offset;
}

patchbay_memory memory_at(const Block& block, std::uint64_t offset) {
  return {block.whole.base, block.whole.offset_bytes + offset};
}

/// For memory without an address. False if the bytes at that offset of the whole block can't be
/// written.
bool write(const Block& block, std::uint64_t offset, std::span<const unsigned char> bytes) {
  if (block.kind != PATCHBAY_MEMORY_DEVICE) return false;
  return on_own_stream(*block.device, [&](const PluginTables& real, patchbay_stream* stream) {
    return real.memory.copy_to_device(stream, memory_at(block, offset), bytes.data(), bytes.size());
  });
}

bool read(const Block& block, std::uint64_t offset, std::span<unsigned char> bytes) {
  return on_own_stream(*block.device, [&](const PluginTables& real, patchbay_stream* stream) {
    return real.memory.copy_to_host(stream, bytes.data(), memory_at(block, offset), bytes.size());
  });
}

bool fill(const Block& block, std::uint64_t offset, std::uint64_t size_bytes, unsigned char value) {
  if (unsigned char* const host = host_address(block, offset)) {
    std::memset(host, value, size_bytes);
    return true;
  }
  const Bytes chunk(std::min(size_bytes, kChunkBytes), value);
  for (std::uint64_t done = 0; done < size_bytes;) {
    const std::uint64_t step = std::min(size_bytes - done, kChunkBytes);
    if (!write(block, offset + done, std::span(chunk).first(step))) return false;
    done += step;
  }
  return true;
}

/// Which bytes differ from what `fill` wrote.
struct Changes {
  std::uint64_t count = 0, first = 0, last = 0;
};

/// Adds the bytes that differ from `value`. The first of these bytes is number `begin` of all.
void add_changes(Changes& changes, std::span<const unsigned char> bytes, std::uint64_t begin,
                 unsigned char value) {
  // Usually none differs: the first has the value, and each is equal to the next.
  if (bytes.empty() ||
      (bytes[0] == value && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0)) {
    return;
  }
  for (std::uint64_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == value) continue;
    if (changes.count++ == 0) changes.first = begin + i;
    changes.last = begin + i;
  }
}

Changes changes(const Block& block, std::uint64_t offset, std::uint64_t size_bytes,
                unsigned char value) {
  Changes result;
  if (const unsigned char* const host = host_address(block, offset)) {
    add_changes(result, {host, size_bytes}, 0, value);
    return result;
  }
  Bytes chunk(std::min(size_bytes, kChunkBytes));
  for (std::uint64_t done = 0; done < size_bytes;) {
    const std::uint64_t step = std::min(size_bytes - done, kChunkBytes);
    const auto bytes = std::span(chunk).first(step);
    if (!read(block, offset + done, bytes)) return result;
    add_changes(result, bytes, done, value);
    done += step;
  }
  return result;
}

std::string count_text(std::uint64_t count) {
  return fmt::format("{} changed byte{}", count, count == 1 ? "" : "s");
}

std::uint64_t back_of(const Block& block) { return block.front_bytes + block.size_bytes; }

bool write_guards(const Block& block) {
  const std::uint64_t back = back_of(block);
  return fill(block, 0, block.front_bytes, kGuard) &&
         fill(block, back, block.whole_bytes - back, kGuard);
}

}  // namespace

bool is_addressable(const DeviceRecord& device, std::uint32_t kind) {
  return ((device.info.host_addressable_kinds >> kind) & 1) != 0;
}

void set_guards(Block& block) {
  const std::scoped_lock lock(block.bytes_mutex);
  if (block.whole_bytes > kChunkBytes || is_addressable(*block.device, block.kind)) {
    block.is_guarded =
        write_guards(block) && fill(block, block.front_bytes, block.size_bytes, kNew);
    return;
  }
  Bytes image(block.whole_bytes, kGuard);  // written at once
  std::fill_n(image.begin() + static_cast<std::ptrdiff_t>(block.front_bytes), block.size_bytes,
              kNew);
  block.is_guarded = write(block, 0, image);
}

std::string take_damage(Block& block) {
  const std::scoped_lock lock(block.bytes_mutex);
  if (!block.is_guarded) return {};
  const Changes before = changes(block, 0, block.front_bytes, kGuard);
  const std::uint64_t back = back_of(block);
  const Changes after = changes(block, back, block.whole_bytes - back, kGuard);
  std::string text;
  if (before.count != 0) {
    text = fmt::format("{}, up to {} bytes before its begin", count_text(before.count),
                       block.front_bytes - before.first);
  }
  if (after.count != 0) {
    text += fmt::format("{}{}, up to {} bytes after its end", text.empty() ? "" : " and ",
                        count_text(after.count), after.last + 1);
  }
  if (!text.empty()) write_guards(block);
  return text;
}

void leave_alone(Block& block) {
  const std::scoped_lock lock(block.bytes_mutex);
  block.is_guarded = false;
}

void fill_released(Block& block) {
  const std::scoped_lock lock(block.bytes_mutex);
  if (block.is_guarded) {
    block.is_guarded = fill(block, block.front_bytes, block.size_bytes, kReleased);
  }
}

std::string take_late_writes(Block& block) {
  const std::scoped_lock lock(block.bytes_mutex);
  if (!block.is_guarded) return {};
  const Changes found = changes(block, block.front_bytes, block.size_bytes, kReleased);
  if (found.count == 0) return {};
  block.is_guarded = false;  // reported once
  return fmt::format("{}, the first at offset {}", count_text(found.count), found.first);
}

void forget_guards(Block& block) {
  const std::scoped_lock lock(block.bytes_mutex);
  block.is_guarded = false;
}

}  // namespace patchbay::runtime::validation
