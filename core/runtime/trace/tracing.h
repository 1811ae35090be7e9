// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_TRACING_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_TRACING_H_

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/fork.h"
#include "core/runtime/trace/profiler.h"
#include "core/runtime/trace/tracer.h"

namespace patchbay::runtime {

class PrintedProfile;

/// Whether a runtime traces, and to which file, and its profiles.
class Tracing {
 public:
  Tracing();
  /// Prints the profile of print_profile_at_end.
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  /// Null if the runtime does not trace. Called on every path through the library.
  Tracer* tracer() const noexcept { return tracer_.load(std::memory_order_acquire); }
  void start(const std::filesystem::path& file);
  void stop();

  /// Whether there is a trace or a profile: launches and copies are measured.
  bool is_on() const noexcept { return is_on_.load(std::memory_order_acquire); }
  Profilers profilers() const noexcept;
  void add(const std::shared_ptr<Profiler>& profiler);
  void remove(const std::shared_ptr<Profiler>& profiler) noexcept;
  /// Profiles from now on, and prints the table at the end of the runtime or the process.
  void print_profile_at_end();

 private:
  void note_change() noexcept;

  const HomeProcess home_;
  mutable std::mutex mutex_;
  std::atomic<bool> is_on_{false};
  std::atomic<Tracer*> tracer_{nullptr};
  // All tracers so far: a thread may still write to a stopped one.
  std::vector<std::shared_ptr<Tracer>> tracers_;
  Profilers profilers_;  // replaced by each change
  std::unique_ptr<PrintedProfile> printed_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_TRACING_H_
