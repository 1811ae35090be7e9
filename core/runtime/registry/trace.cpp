// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The public functions of tracing.
#include "patchbay/trace.h"

#include <utility>

#include "core/runtime/registry/loaded_runtime.h"

namespace patchbay {
void Runtime::start_trace(const std::filesystem::path& file) const {
  state_->home.check("start_trace", file.string());
  state_->tracing.start(file);
}

void Runtime::stop_trace() const {
  state_->home.check("stop_trace", "its trace");
  const runtime::PluginRegistry::Reading reading(runtime::registry_of(*state_));
  for (runtime::Backend* const backend : runtime::registry_of(*state_).loaded()) {
    for (const auto& device : backend->assemblies) device->write_trace();
  }
  state_->tracing.stop();
}

struct TraceScope::Impl {
  std::shared_ptr<runtime::RuntimeState> keep;
  const std::string name;
  const runtime::TraceSpan span;

  Impl(std::shared_ptr<runtime::RuntimeState> state, const runtime::SpanTargets* targets,
       std::string text)
      : keep(std::move(state)), name(std::move(text)), span(targets, name) {}
};

TraceScope::TraceScope(std::string name, const Runtime& runtime) {
  if (const runtime::SpanTargets* const targets = runtime.state().tracing.spans()) {
    impl_ = std::make_unique<Impl>(runtime.state().shared_from_this(), targets, std::move(name));
  }
}

TraceScope::~TraceScope() = default;

}  // namespace patchbay
