// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Maps a plugin's objects to validation's records. An entry finds its layer here, because tables
// carry no user pointer. Objects keep their own handles, so unvalidated entries and extensions see
// the plugin's objects.
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_REGISTRY_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_REGISTRY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/fork.h"

namespace patchbay::runtime::validation {

template <class Handle, class Record>
class Registry {
 public:
  /// One for the process: objects of all plugins have different addresses. Errors: std::bad_alloc,
  /// of the first call of a process, which adds or lists.
  static Registry& instance() {
    static constinit OfProcess<Registry> registry;
    return registry.get();
  }

  /// A plugin may give one object several times, where it has nothing to tell apart.
  void add(const Handle* handle, std::shared_ptr<Record> record) {
    const std::unique_lock lock(mutex_);
    Entry& entry = entries_[handle];
    entry.record = std::move(record);
    ++entry.num_given;
  }
  std::shared_ptr<Record> find(const Handle* handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(handle);
    return found != entries_.end() ? found->second.record : nullptr;
  }
  /// Called before the plugin's object is destroyed: its address may be reused at once. Returns
  /// what `find` does.
  std::shared_ptr<Record> remove(const Handle* handle) {
    const std::unique_lock lock(mutex_);
    const auto found = entries_.find(handle);
    if (found == entries_.end()) return nullptr;
    std::shared_ptr<Record> record = found->second.record;
    if (--found->second.num_given == 0) entries_.erase(found);
    return record;
  }
  std::vector<std::shared_ptr<Record>> all() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::shared_ptr<Record>> result;
    for (const auto& [handle, entry] : entries_) result.push_back(entry.record);
    return result;
  }

 private:
  struct Entry {
    std::shared_ptr<Record> record;
    std::uint64_t num_given = 0;
  };

  mutable std::shared_mutex mutex_;
  std::unordered_map<const Handle*, Entry> entries_;
};

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_REGISTRY_H_
