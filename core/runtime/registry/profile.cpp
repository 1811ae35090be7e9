// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/profile.h"

#include <utility>

#include "core/runtime/registry/loaded_runtime.h"

namespace patchbay {

struct Profile::Impl {
  std::shared_ptr<runtime::RuntimeState> state;
  std::shared_ptr<runtime::Profiler> profiler = std::make_shared<runtime::Profiler>();

  explicit Impl(std::shared_ptr<runtime::RuntimeState> runtime) : state(std::move(runtime)) {}

  std::vector<ProfileRow> rows(std::string_view operation) const {
    state->home.check(operation, "every device");
    const runtime::PluginRegistry::Reading reading(runtime::registry_of(*state));
    for (runtime::Backend* const backend : runtime::registry_of(*state).loaded()) {
      for (const auto& device : backend->assemblies) device->write_trace();
    }
    return profiler->rows();
  }
};

Profile::Profile(const Runtime& runtime)
    : impl_(std::make_unique<Impl>(runtime.state().shared_from_this())) {
  impl_->state->home.check("Profile", "every device");
  impl_->state->tracing.add(impl_->profiler);
}

Profile::~Profile() { impl_->state->tracing.remove(impl_->profiler); }

void Profile::stop() {
  impl_->state->home.check("stop", "every device");
  impl_->state->tracing.remove(impl_->profiler);
  const runtime::PluginRegistry::Reading reading(runtime::registry_of(*impl_->state));
  for (runtime::Backend* const backend : runtime::registry_of(*impl_->state).loaded()) {
    for (const auto& device : backend->assemblies) device->finish_trace();
  }
}

std::vector<ProfileRow> Profile::rows() const { return impl_->rows("rows"); }

std::string Profile::table() const { return runtime::profile_table(impl_->rows("table")); }

}  // namespace patchbay
