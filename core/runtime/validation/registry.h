// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Maps a plugin's objects to validation's records. An entry finds its layer here, because tables
// carry no user pointer. Objects keep their own handles, so unvalidated entries and extensions see
// the plugin's objects.
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_REGISTRY_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_REGISTRY_H_

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace patchbay::runtime::validation {

template <class Handle, class Record>
class Registry {
 public:
  /// One for the process: objects of all plugins have different addresses.
  static Registry& instance() {
    static auto& registry = *new Registry;  // never destroyed: entries may be called late
    return registry;
  }

  void add(const Handle* handle, std::shared_ptr<Record> record) {
    const std::unique_lock lock(mutex_);
    records_.insert_or_assign(handle, std::move(record));
  }
  std::shared_ptr<Record> find(const Handle* handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = records_.find(handle);
    return found != records_.end() ? found->second : nullptr;
  }
  /// Called before the plugin's object is destroyed: its address may be reused at once.
  std::shared_ptr<Record> remove(const Handle* handle) {
    const std::unique_lock lock(mutex_);
    const auto node = records_.extract(handle);
    return node.empty() ? nullptr : node.mapped();
  }
  std::vector<std::shared_ptr<Record>> all() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::shared_ptr<Record>> result;
    for (const auto& [handle, record] : records_) result.push_back(record);
    return result;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<const Handle*, std::shared_ptr<Record>> records_;
};

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_REGISTRY_H_
