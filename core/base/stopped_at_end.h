// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_BASE_STOPPED_AT_END_H_
#define PATCHBAY_CORE_BASE_STOPPED_AT_END_H_

#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/fork.h"

namespace patchbay::base {

/// Calls stop_at_process_end() of all objects of one type that still live when the process ends.
/// Drivers that were loaded before the first object was added end after that. A child of fork stops
/// only the objects that it added itself.
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
    lock.unlock();  // add() is called with an object's lock held, and stopping takes that lock
    for (const std::weak_ptr<T>& each : objects) {
      if (const auto held = each.lock()) held->stop_at_process_end();
    }
  }

  static inline constinit OfProcess<All> all_;
};

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_STOPPED_AT_END_H_
