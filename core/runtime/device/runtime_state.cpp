// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/runtime_state.h"

namespace patchbay::runtime {

RuntimeState::RuntimeState(const RuntimeOptions& options, Links& measured, Transfer& copies,
                           HostCopier& copier)
    : PluginOwner(options),
      sync(environment.is_on("sync")),
      validates(environment.is_on("validate")),
      links(measured),
      transfer(copies),
      host_copier(copier) {}

}  // namespace patchbay::runtime
