// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a program sees of tracing.
#include "patchbay/trace.h"

#include <utility>

#include "core/base/error.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/trace/tracing.h"

namespace patchbay {
namespace runtime {

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

}  // namespace runtime

void Runtime::start_trace(const std::filesystem::path& file) const { state_->tracing.start(file); }

void Runtime::stop_trace() const {
  for (runtime::DeviceState* const device : state_->devices()) device->write_trace();
  state_->tracing.stop();
}

struct TraceScope::Impl {
  std::shared_ptr<runtime::RuntimeState> keep;
  const std::string name;
  const runtime::TraceSpan span;

  Impl(std::shared_ptr<runtime::RuntimeState> state, runtime::Tracer* tracer, std::string text)
      : keep(std::move(state)), name(std::move(text)), span(tracer, name) {}
};

TraceScope::TraceScope(std::string name, const Runtime& runtime) {
  if (runtime::Tracer* const tracer = runtime.state().tracing.tracer()) {
    impl_ = std::make_unique<Impl>(runtime.state().shared_from_this(), tracer, std::move(name));
  }
}

TraceScope::~TraceScope() = default;

}  // namespace patchbay
