// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_BLOCK_MAP_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_BLOCK_MAP_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/runtime/validation/records.h"

namespace patchbay::runtime::validation {

/// Blocks by location: the address if the host can use the memory, so that a pointer into the
/// middle finds its block; else the plugin's handle and an offset. Takes no lock.
class BlockMap {
 public:
  void add(std::shared_ptr<Block> block);
  void remove(const Block& block);
  /// The block that holds that byte, guards included; null if there is none.
  std::shared_ptr<Block> find(patchbay_memory memory) const;
  std::shared_ptr<Block> find_address(const void* address) const;
  std::vector<std::shared_ptr<Block>> all() const;
  std::vector<std::shared_ptr<Block>> of(const DeviceRecord& device) const;

 private:
  using Key = std::pair<std::uintptr_t, std::uint64_t>;  // 0 and an address, or base and offset
  static Key key_of(const Block& block);
  std::shared_ptr<Block> at(const Key& key) const;

  std::map<Key, std::shared_ptr<Block>> blocks_;
};

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_BLOCK_MAP_H_
