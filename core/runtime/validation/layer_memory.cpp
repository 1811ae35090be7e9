// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory: its guards, and released blocks, which are kept for a while.
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/context.h"
#include "core/runtime/validation/guard.h"
#include "core/runtime/validation/layer.h"

namespace patchbay::runtime::validation {
namespace {

// Limits for each device's released memory that is not freed yet.
constexpr std::uint64_t kMostReleasedBytes = std::uint64_t{16} << 20;
constexpr std::size_t kMostReleasedBlocks = 1024;

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return step <= 1 ? value : (value + step - 1) / step * step;
}

}  // namespace

patchbay_status* Layer::allocate(DeviceRecord& device, std::uint32_t kind, std::uint64_t size_bytes,
                                 std::uint64_t alignment_bytes, patchbay_memory* memory) {
  // No device has so much. The plugin reports it; adding the guards could overflow.
  if (size_bytes > UINT64_MAX / 2) {
    return real_.memory.allocate(device.own, kind, size_bytes, alignment_bytes, memory);
  }
  auto block = std::make_shared<Block>();
  block->device = device.shared_from_this();
  block->kind = kind;
  block->front_bytes = round_up(kGuardBytes, alignment_bytes);
  block->size_bytes = size_bytes;
  block->whole_bytes = block->front_bytes + size_bytes + kGuardBytes;
  block->tag = context().tag;
  block->is_scratch = is_for_plugin;
  block->made_at = CallSite::here();
  const auto take = [&] {
    block->whole = {};  // not what a failed call has left
    return real_.memory.allocate(device.own, kind, block->whole_bytes, alignment_bytes,
                                 &block->whole);
  };
  patchbay_status* failure = take();
  if (failure != nullptr && failure->code == PATCHBAY_OUT_OF_MEMORY) {
    base::release_status(failure);
    give_back(device, 0);
    failure = take();
  }
  if (failure != nullptr || block->whole.base == nullptr) return failure;
  if (!find_memory_fault(device.info, block->whole, kind, alignment_bytes).empty()) {
    *memory = block->whole;  // which the core refuses
    return nullptr;
  }
  set_guards(*block);
  *memory = block->memory();
  const std::scoped_lock lock(mutex_);
  blocks_.add(std::move(block));
  return nullptr;
}

void Layer::adopt_memory(DeviceRecord& device, patchbay_memory memory, std::uint64_t size_bytes) {
  auto block = std::make_shared<Block>();
  block->device = device.shared_from_this();
  block->whole = memory;
  block->size_bytes = block->whole_bytes = size_bytes;
  block->is_wrapped = true;
  block->made_at = CallSite::here();
  const std::scoped_lock lock(mutex_);
  const std::shared_ptr<Block> there = blocks_.find(memory);
  if (there == nullptr || there->is_wrapped) blocks_.add(std::move(block));
}

/// "[add] on stream 1 of fake:0" for work that may not have ended; else empty.
std::string Layer::find_user(const Block& block) {
  const std::scoped_lock lock(mutex_);
  const auto pending = std::find_if(block.accesses.begin(), block.accesses.end(),
                                    [this](const Access& access) { return !has_ended(access); });
  if (pending == block.accesses.end()) return {};
  return fmt::format("[{}] on {}", pending->operation, pending->stream_name);
}

void Layer::release(DeviceRecord& device, patchbay_memory memory) {
  std::shared_ptr<Block> block;
  bool is_released = false;
  {
    const std::scoped_lock lock(mutex_);
    block = blocks_.find(memory);
    is_released = block != nullptr && block->is_released;
  }
  const CallSite here = CallSite::here();
  if (block == nullptr || block->is_wrapped || is_released || block->memory().base != memory.base ||
      block->memory().offset_bytes != memory.offset_bytes) {
    findings_.add_late(fmt::format(
        "[{}] memory is released that is not allocated: expected what allocate gave, got base {} "
        "at offset {} ({}). Release each block once.",
        here.operation("release"), memory.base, memory.offset_bytes,
        block != nullptr ? describe(*block) : device.info.name_text));
    return;
  }
  if (const std::string user = find_user(*block); !user.empty()) {
    findings_.add_late(fmt::format(
        "[{}] memory is released while it is in use: {} is pending ({}). Wait for the work first.",
        here.operation("release"), user, describe(*block)));
    leave_alone(*block);  // the pending work will write to it
  }
  if (takes_back(device, *block)) return;
  check_guards({block}, /*also_unsuspected=*/true);
  block->released_at = here;
  fill_released(*block);
  keep_released(device, std::move(block));
}

/// While the device is closed, which can't be read or written any more.
bool Layer::takes_back(DeviceRecord& device, Block& block) {
  {
    const std::scoped_lock lock(mutex_);
    if (!device.closes) return false;
  }
  release_now(device, block);
  return true;
}

void Layer::release_now(DeviceRecord& device, Block& block) {
  {
    const std::scoped_lock lock(mutex_);
    blocks_.remove(block);
  }
  forget_guards(block);  // the thread that closes the device may be about to read them
  real_.memory.release(device.own, block.kind, block.whole);
}

void Layer::keep_released(DeviceRecord& device, std::shared_ptr<Block> block) {
  {
    const std::scoped_lock lock(mutex_);
    block->is_released = true;
    block->accesses.clear();
    // Otherwise a thread of the plugin's has begun before the device was closed.
    if (!device.closes) {
      device.released_bytes += block->whole_bytes;
      device.released.push_back(std::exchange(block, nullptr));
    }
  }
  if (block != nullptr) return release_now(device, *block);
  give_back(device, kMostReleasedBytes);
}

void Layer::give_back(DeviceRecord& device, std::uint64_t most_kept_bytes) {
  for (;;) {
    std::shared_ptr<Block> oldest;
    {
      const std::scoped_lock lock(mutex_);
      if (device.released.empty() || (device.released_bytes <= most_kept_bytes &&
                                      device.released.size() <= kMostReleasedBlocks)) {
        return;
      }
      oldest = std::move(device.released.front());
      device.released.pop_front();
      device.released_bytes -= oldest->whole_bytes;
      blocks_.remove(*oldest);
    }
    check_released(*oldest);
    forget_guards(*oldest);
    real_.memory.release(device.own, oldest->kind, oldest->whole);
  }
}

void Layer::check_released(Block& block) {
  const std::string written = take_late_writes(block);
  if (written.empty()) return;
  findings_.add_late(fmt::format(
      "[{}] memory was written after its release: {} ({}; released at {}). Keep a handle as long "
      "as the memory is used.",
      block.made_at.operation("allocate"), written, describe(block), block.released_at.caller()));
}

std::string Layer::find_damage(Block& block, const std::vector<std::string>& suspects) {
  const std::string damaged = take_damage(block);
  if (damaged.empty()) return {};
  const bool one = suspects.size() == 1;
  std::string who;
  if (!one) {
    who = suspects.empty() ? " by nothing that was launched"
                           : fmt::format(" by one of [{}]", fmt::join(suspects, "], ["));
  }
  return fmt::format(
      "[{}] the memory around a buffer was written{}: expected no use outside its {} bytes, got {} "
      "({}). Correct the indices of the kernel, or what the host writes through a pointer.",
      one ? suspects.front() : CallSite::here().operation("synchronize"), who, block.size_bytes,
      damaged, describe(block));
}

void Layer::check_guards(const std::vector<std::shared_ptr<Block>>& blocks, bool also_unsuspected) {
  for (const auto& block : blocks) {
    std::vector<std::string> suspects;
    {
      const std::scoped_lock lock(mutex_);
      if (block->is_released || has_pending(*block)) continue;
      suspects = std::exchange(block->suspects, {});
    }
    if (suspects.empty() && !also_unsuspected) continue;
    const std::string text = find_damage(*block, suspects);
    if (!text.empty()) findings_.add_late(text);
  }
}

void Layer::check_guards(DeviceRecord& device) {
  std::vector<std::shared_ptr<Block>> all;
  {
    const std::scoped_lock lock(mutex_);
    all = blocks_.of(device);
    std::erase_if(all, [](const auto& block) { return block->suspects.empty(); });
  }
  check_guards(all, /*also_unsuspected=*/false);
}

}  // namespace patchbay::runtime::validation
