// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the library does on a thread, shown in the trace and by vendors' profilers.
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_TRACE_SPAN_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_TRACE_SPAN_H_

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string_view>
#include <variant>
#include <vector>

#include "patchbay/plugin/extensions.h"

#include "core/base/fork.h"
#include "core/runtime/trace/tracer.h"

namespace patchbay::runtime {

/// A plugin that shows ranges to its vendor's profiler, until it is closed. Spans may end later.
class RangeReceiver {
 public:
  RangeReceiver(const patchbay_ranges_table& table, patchbay_driver* driver)
      : table_(table), driver_(driver) {}

  void begin(std::string_view name) noexcept;
  void end() noexcept;
  /// Waits for calls in other threads. The plugin is not called any more.
  void close() noexcept;

 private:
  template <class Call>
  void tell(const Call& call) noexcept;

  const patchbay_ranges_table& table_;
  patchbay_driver* const driver_;
  std::shared_mutex mutex_;
  bool is_closed_ = false;
};

/// Where spans go.
struct SpanTargets {
  Tracer* tracer = nullptr;  // null without a trace
  std::vector<std::shared_ptr<RangeReceiver>> receivers;
  base::HomeProcess home;  // a forked process calls no receiver
};

/// A span on the calling thread, from construction to destruction. Does nothing without targets.
class TraceSpan {
 public:
  TraceSpan(const SpanTargets* targets, std::string_view name) noexcept
      : targets_(targets), name_(name) {
    if (targets != nullptr) [[unlikely]]
      begin();
  }
  ~TraceSpan() {
    if (targets_ != nullptr) [[unlikely]]
      end();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  /// For the trace. The texts must stay valid until the span ends.
  void add(std::string_view name, std::variant<std::uint64_t, std::string_view> value) {
    if (targets_ != nullptr && targets_->tracer != nullptr) [[unlikely]]
      arguments_.push_back({name, value});
  }

 private:
  void begin() noexcept;
  void end() noexcept;

  const SpanTargets* const targets_;
  const std::string_view name_;
  std::uint64_t begin_ns_ = 0;
  std::vector<TraceArgument> arguments_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_TRACE_SPAN_H_
