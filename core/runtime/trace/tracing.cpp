// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/tracing.h"

#include "core/base/error.h"

namespace patchbay::runtime {

void Tracing::start(const std::filesystem::path& file) {
  const std::scoped_lock lock(mutex_);
  if (tracer() != nullptr) {
    raise(ErrorCode::kInUse,
          "[start_trace] a trace is being written already, so not to {}. Call stop_trace first.",
          quote(file.string()));
  }
  tracers_.push_back(Tracer::open(file));
  tracer_.store(tracers_.back().get(), std::memory_order_release);
}

void Tracing::stop() {
  const std::scoped_lock lock(mutex_);
  Tracer* const tracer = tracer_.exchange(nullptr);
  if (tracer == nullptr) return;
  tracer->flush();
  if (const std::string failure = tracer->failure(); !failure.empty()) {
    raise(ErrorCode::kIo, "[stop_trace] the trace is not complete: {}. Free space, or trace less.",
          failure);
  }
}

}  // namespace patchbay::runtime
