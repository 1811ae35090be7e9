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
#include "core/runtime/trace/trace_span.h"

namespace patchbay::runtime {

class PrintedProfile;

/// Whether a runtime traces, and to which file, its profiles, and the plugins that show its spans.
class Tracing {
 public:
  Tracing();
  /// Prints the profile of print_profile_at_end.
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  /// Null if nothing wants spans; else valid as long as this object. Called on every path through
  /// the library.
  const SpanTargets* spans() const noexcept { return spans_.load(std::memory_order_acquire); }
  /// Null if the runtime does not trace.
  Tracer* tracer() const noexcept {
    const SpanTargets* const targets = spans();
    return targets != nullptr ? targets->tracer : nullptr;
  }
  void start(const std::filesystem::path& file);
  void stop();

  /// Whether there is a trace or a profile: launches and copies are measured.
  bool is_on() const noexcept { return is_on_.load(std::memory_order_acquire); }
  /// Whether there is a trace or a profile, or a plugin shows spans.
  bool is_watched() const noexcept { return is_watched_.load(std::memory_order_acquire); }
  Profilers profilers() const noexcept;
  void add(const std::shared_ptr<Profiler>& profiler);
  void remove(const std::shared_ptr<Profiler>& profiler) noexcept;
  /// Spans go to these plugins too, from now on until `remove`.
  void add(const std::shared_ptr<RangeReceiver>& receiver);
  void remove(const std::shared_ptr<RangeReceiver>& receiver) noexcept;
  /// Profiles from now on, and prints the table at the end of the runtime or the process.
  void print_profile_at_end();

 private:
  void note_change() noexcept;
  /// Replaces the targets. The caller holds the mutex.
  void send_spans(SpanTargets targets);

  const base::HomeProcess home_;
  mutable std::mutex mutex_;
  std::atomic<bool> is_on_{false}, is_watched_{false};
  std::atomic<const SpanTargets*> spans_{nullptr};
  // All so far: a thread may still be within a span that goes to an earlier one.
  std::vector<std::shared_ptr<Tracer>> tracers_;
  std::vector<std::unique_ptr<const SpanTargets>> earlier_spans_;
  Profilers profilers_;  // replaced by each change
  std::shared_ptr<PrintedProfile> printed_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_TRACING_H_
