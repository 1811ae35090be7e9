// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Drivers set up state of the process in their first calls, and several crash if two threads do so
// at once. Two plugins may share a driver, so all threads and runtimes of the process share one
// lock.
#ifndef PATCHBAY_CORE_RUNTIME_REGISTRY_DRIVER_LOCK_H_
#define PATCHBAY_CORE_RUNTIME_REGISTRY_DRIVER_LOCK_H_

#include <mutex>

#include "core/output/delivery.h"

namespace patchbay::runtime {

/// Lives while this thread opens or closes a plugin or a device. One thread of the process has it
/// at a time. Taken before the mutexes of a registry and of a device.
class DriverLock {
 public:
  /// Waits for the other threads. Errors: std::bad_alloc.
  DriverLock();
  ~DriverLock();
  DriverLock(const DriverLock&) = delete;
  DriverLock& operator=(const DriverLock&) = delete;

  /// Whether this thread holds it: the program's functions must not be called then.
  static bool is_here() noexcept;

 private:
  const std::scoped_lock<output::NoDeliveryMutex> lock_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_REGISTRY_DRIVER_LOCK_H_
