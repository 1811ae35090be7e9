// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// From a plugin's object to what validation knows of it. Tables carry no pointer of the caller's,
// so this is where an entry finds its layer. Objects keep their own handles: entries that
// validation leaves alone, and extensions, see what the plugin made.
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
  /// Of the process: plugins' objects have different addresses, whoever made them.
  static Registry& instance() {
    static auto& registry = *new Registry;  // entries may be called until the process ends
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
  /// Before the plugin's object goes: its address may come back at once.
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
