// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/validation/block_map.h"

#include <iterator>

#include "core/runtime/validation/guard.h"

namespace patchbay::runtime::validation {
namespace {

std::uintptr_t number(const void* base) { return reinterpret_cast<std::uintptr_t>(base); }

}  // namespace

BlockMap::Key BlockMap::key_of(const Block& block) {
  if (is_addressable(*block.device, block.kind)) {
    return {0, number(block.whole.base) + block.whole.offset_bytes};
  }
  return {number(block.whole.base), block.whole.offset_bytes};
}

void BlockMap::add(std::shared_ptr<Block> block) {
  const Key key = key_of(*block);
  // The application may have freed memory that it had lent.
  const Key end{key.first, key.second + block->whole_bytes};
  for (auto next = blocks_.lower_bound(key); next != blocks_.end() && next->first < end;) {
    next = next->second->is_wrapped ? blocks_.erase(next) : std::next(next);
  }
  blocks_.insert_or_assign(key, std::move(block));
}

void BlockMap::remove(const Block& block) { blocks_.erase(key_of(block)); }

std::shared_ptr<Block> BlockMap::at(const Key& key) const {
  auto next = blocks_.upper_bound(key);
  if (next == blocks_.begin()) return nullptr;
  const auto& [begin, block] = *std::prev(next);
  const bool holds = begin.first == key.first && key.second - begin.second < block->whole_bytes;
  return holds ? block : nullptr;
}

std::shared_ptr<Block> BlockMap::find(patchbay_memory memory) const {
  if (auto block = at({number(memory.base), memory.offset_bytes})) return block;
  return at({0, number(memory.base) + memory.offset_bytes});
}

std::shared_ptr<Block> BlockMap::find_address(const void* address) const {
  return at({0, number(address)});
}

std::vector<std::shared_ptr<Block>> BlockMap::all() const {
  std::vector<std::shared_ptr<Block>> result;
  for (const auto& [key, block] : blocks_) result.push_back(block);
  return result;
}

std::vector<std::shared_ptr<Block>> BlockMap::of(const DeviceRecord& device) const {
  std::vector<std::shared_ptr<Block>> result;
  for (const auto& [key, block] : blocks_) {
    if (block->device.get() == &device) result.push_back(block);
  }
  return result;
}

}  // namespace patchbay::runtime::validation
