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

/// Whether a runtime traces, and to which file.
class Tracing {
 public:
  /// Null if the runtime does not trace. Called on every path through the library.
  Tracer* tracer() const noexcept { return tracer_.load(std::memory_order_acquire); }
  void start(const std::filesystem::path& file);
  void stop();

 private:
  std::mutex mutex_;
  std::atomic<Tracer*> tracer_{nullptr};
  // All tracers so far: a thread may still write to a stopped one.
  std::vector<std::shared_ptr<Tracer>> tracers_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_TRACING_H_
