// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Prevents work while the process exits. A driver may compile a kernel in a thread when it first
// runs, but exit() destroys the state of the compiler's library.
#ifndef PATCHBAY_PLUGINS_OPENCL_CONTEXT_PROCESS_END_HPP_
#define PATCHBAY_PLUGINS_OPENCL_CONTEXT_PROCESS_END_HPP_

#include <cstdint>
#include <mutex>
#include <vector>

#include "kit/call_gate.hpp"

namespace patchbay::opencl {

class Stream;

/// One for the driver and all its devices. Thread-safe.
class ProcessEnd {
 public:
  /// Held during a submission or a build. Throws if the process is exiting.
  class Pass {
   public:
    explicit Pass(ProcessEnd& end);

   private:
    const CallGate::Pass pass_;
  };

  /// Registers a stream with `stop` while this object exists.
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

  /// Prevents new submissions and builds, and waits for running ones and for the work of all
  /// streams, until the deadline.
  void stop(std::uint64_t deadline_ns) noexcept;

 private:
  CallGate gate_;
  std::mutex mutex_;
  std::vector<Stream*> streams_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_CONTEXT_PROCESS_END_HPP_
