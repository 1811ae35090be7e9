// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/runtime_state.h"

#include <utility>

namespace patchbay::runtime {

RuntimeState::RuntimeState(const RuntimeOptions& options, Environment read, Links& measured,
                           Transfer& copies, HostCopier& copier)
    : PluginOwner(options, std::move(read)),
      sync(environment.is_on("sync")),
      validates(environment.is_on("validate")),
      links(measured),
      transfer(copies),
      host_copier(copier) {}

}  // namespace patchbay::runtime
