// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Drivers set up state of the process in their first calls, and several crash if two threads do so
// at once. Two plugins may share a driver, so all threads and runtimes of the process take turns.
#ifndef PATCHBAY_CORE_RUNTIME_REGISTRY_DRIVER_TURN_H_
#define PATCHBAY_CORE_RUNTIME_REGISTRY_DRIVER_TURN_H_

#include <mutex>

namespace patchbay::runtime {

/// Lives while this thread opens or closes a plugin or a device. One thread of the process has it
/// at a time; it may nest. Taken before the mutexes of a registry and of a device.
class DriverTurn {
 public:
  /// Waits for the other threads. Errors: std::bad_alloc.
  DriverTurn();
  ~DriverTurn();
  DriverTurn(const DriverTurn&) = delete;
  DriverTurn& operator=(const DriverTurn&) = delete;

  /// Lives while a plugin's line is logged. The sink may open a device of another runtime, and the
  /// thread whose turn it is may wait for this one: here turns begin at once.
  class Exempt {
   public:
    Exempt() noexcept;
    ~Exempt();
    Exempt(const Exempt&) = delete;
    Exempt& operator=(const Exempt&) = delete;

   private:
    const bool outer_;
  };

 private:
  std::unique_lock<std::mutex> lock_;  // empty if this turn is nested or exempt
  const bool outer_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_REGISTRY_DRIVER_TURN_H_
