// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/registry/visible_devices.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "patchbay/device.h"

#include "core/base/error.h"

namespace patchbay::runtime {
namespace {

/// "fake" means fake:0. The alias `gpu` is refused: hiding devices would change its meaning.
std::string canonical_name(const std::string& text) {
  const DeviceName name = DeviceName::parse(text);
  if (name.backend == "gpu") {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[Runtime] visible devices: expected devices' own names, got the alias {}. A valid list "
        "is 'cpu:0'.",
        base::quote(text));
  }
  return name.to_string();
}

}  // namespace

VisibleDevices::VisibleDevices(const RuntimeOptions& options, const base::Environment& environment)
    : names_(!options.visible_devices.empty() ? options.visible_devices
                                              : environment.get_list("visible_devices")) {
  if (options.visible_devices.empty() && !names_.empty()) {
    variable_ = environment.quote_variable("visible_devices");
  }
  for (std::string& name : names_) name = canonical_name(name);
}

std::string VisibleDevices::describe() const {
  return fmt::format("visible are [{}]{}", fmt::join(names_, ", "),
                     variable_.empty() ? "" : fmt::format(" ({})", variable_));
}

bool VisibleDevices::shows(const std::string& device_name) const {
  return names_.empty() || std::find(names_.begin(), names_.end(), device_name) != names_.end();
}

}  // namespace patchbay::runtime
