// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// When the program's log sink is called. A sink may call the library, wait for other threads and
// throw. So a thread calls it only while it holds no lock of the library and is in no call to a
// plugin; a line that it logs at other times waits until the last lock is released and the
// outermost call has returned. Other threads may wait for a thread of a plugin, or for one that
// makes copies or callbacks: its lines are delivered by a thread of their own.
#ifndef PATCHBAY_CORE_OUTPUT_DELIVERY_H_
#define PATCHBAY_CORE_OUTPUT_DELIVERY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "patchbay/log.h"

namespace patchbay::output {

/// While one lives, this thread calls no sink. The last to end delivers the thread's lines.
class NoDelivery {
 public:
  NoDelivery() noexcept { begin(); }
  ~NoDelivery() { end(); }
  NoDelivery(const NoDelivery&) = delete;
  NoDelivery& operator=(const NoDelivery&) = delete;

  static void begin() noexcept { ++state; }
  static void end() noexcept {
    if (--state == kHasLines) [[unlikely]]
      deliver_lines();
  }

 private:
  friend class ServiceThread;
  friend class LineQueue;
  static constexpr std::uint32_t kHasLines = 1u << 31, kIsService = 1u << 30;
  static void deliver_lines() noexcept;

  /// The number of these objects; kHasLines if lines wait for the last; kIsService.
  static constinit thread_local std::uint32_t state;
};

/// A mutex under which a plugin is called or a line is logged.
class NoDeliveryMutex {
 public:
  void lock() {
    NoDelivery::begin();
    mutex_.lock();
  }
  void unlock() {
    mutex_.unlock();
    NoDelivery::end();
  }

 private:
  std::mutex mutex_;
};

/// Lives on a thread that works for others, such as one that makes copies or a stream's callbacks,
/// and in what a plugin calls, perhaps on its own thread: a sink must not hold these up. Does
/// nothing within a NoDelivery, whose end comes after the call.
class ServiceThread {
 public:
  ServiceThread() noexcept;
  ~ServiceThread();
  ServiceThread(const ServiceThread&) = delete;
  ServiceThread& operator=(const ServiceThread&) = delete;

 private:
  const std::uint32_t state_before_;
};

using SharedSink = std::shared_ptr<const LogSink>;

/// Delivers the line, after the earlier ones of this thread: at once, or when that is allowed.
/// Drops it if there is no memory for it.
void deliver(const SharedSink& sink, LogLevel level, std::string_view line) noexcept;
/// Waits until no line is left for the sink. Within a sink or a NoDelivery the lines, which keep
/// the sink, are delivered later.
void finish_delivery(const SharedSink& sink) noexcept;
/// At the end of the process, delivers what is left. A sink that blocks then has 5 seconds.
void deliver_at_process_end();

}  // namespace patchbay::output

#endif  // PATCHBAY_CORE_OUTPUT_DELIVERY_H_
