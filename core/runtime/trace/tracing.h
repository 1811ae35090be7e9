// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_TRACING_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_TRACING_H_

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "core/runtime/trace/tracer.h"

namespace patchbay::runtime {

/// Whether a runtime traces, and where.
class Tracing {
 public:
  /// Null if it does not: what is asked on every way through the library.
  Tracer* tracer() const noexcept { return tracer_.load(std::memory_order_acquire); }
  void start(const std::filesystem::path& file);
  void stop();

 private:
  std::mutex mutex_;
  std::atomic<Tracer*> tracer_{nullptr};
  // All that there were: a thread may still be writing to one that was stopped.
  std::vector<std::shared_ptr<Tracer>> tracers_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_TRACING_H_
