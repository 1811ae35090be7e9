// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What must not run while the process ends. A driver may compile a kernel when it is first run, in
// a thread of its own, and the compiler's library is taken down by exit().
#ifndef PATCHBAY_PLUGINS_OPENCL_DEVICE_PROCESS_END_HPP_
#define PATCHBAY_PLUGINS_OPENCL_DEVICE_PROCESS_END_HPP_

#include <cstdint>
#include <mutex>
#include <vector>

#include "kit/call_gate.hpp"

namespace patchbay::opencl {

class Stream;

/// One for the driver and its devices. Thread-safe.
class ProcessEnd {
 public:
  /// Held during a submission or a build. Throws if the process has begun to end.
  class Pass {
   public:
    explicit Pass(ProcessEnd& end);

   private:
    const CallGate::Pass pass_;
  };

  /// Lets `stop` know of a stream for as long as this object lives.
  class Entry {
   public:
    Entry(ProcessEnd& end, Stream& stream);
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry();
    ProcessEnd& end() const { return end_; }

   private:
    ProcessEnd& end_;
    Stream& stream_;
  };

  /// Lets no submission and no build begin any more, and waits for those that run and for what all
  /// streams hold, until the deadline.
  void stop(std::uint64_t deadline_ns) noexcept;

 private:
  CallGate gate_;
  std::mutex mutex_;
  std::vector<Stream*> streams_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_DEVICE_PROCESS_END_HPP_
