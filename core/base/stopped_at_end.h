// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_BASE_STOPPED_AT_END_H_
#define PATCHBAY_CORE_BASE_STOPPED_AT_END_H_

#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/fork.h"

namespace patchbay::base {

/// The objects of one type whose stop_at_process_end() is called when the process ends, if they
/// still live. What was loaded before the first was added, such as drivers, ends later. A child of
/// fork stops its own alone.
template <class T>
class StoppedAtEnd {
 public:
  static void add(const std::shared_ptr<T>& object) {
    static const int registered = std::atexit(stop_all);
    static_cast<void>(registered);
    All& all = all_.get();
    const std::scoped_lock lock(all.mutex);
    std::erase_if(all.objects, [](const auto& each) { return each.expired(); });
    all.objects.push_back(object);
  }

 private:
  struct All {
    std::mutex mutex;
    std::vector<std::weak_ptr<T>> objects;
  };

  static void stop_all() {
    All* const all = all_.find();
    if (all == nullptr) return;
    std::unique_lock lock(all->mutex);
    const auto objects = all->objects;
    lock.unlock();  // it is taken under the objects' own locks, never around them
    for (const std::weak_ptr<T>& each : objects) {
      if (const auto held = each.lock()) held->stop_at_process_end();
    }
  }

  static inline constinit OfProcess<All> all_;
};

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_STOPPED_AT_END_H_
