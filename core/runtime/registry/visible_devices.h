// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which devices a runtime shows.
#ifndef PATCHBAY_CORE_RUNTIME_REGISTRY_VISIBLE_DEVICES_H_
#define PATCHBAY_CORE_RUNTIME_REGISTRY_VISIBLE_DEVICES_H_

#include <string>
#include <vector>

#include "patchbay/runtime.h"

#include "core/base/environment.h"

namespace patchbay::runtime {

class VisibleDevices {
 public:
  /// Shows all devices.
  VisibleDevices() = default;
  /// Uses the list of the options or, if that is empty, the setting `visible_devices`. Errors:
  /// kInvalidArgument for a bad name and for the alias `gpu`.
  VisibleDevices(const RuntimeOptions& options, const base::Environment& environment);

  bool shows(const std::string& device_name) const;
  /// The devices' own names; empty if all are shown.
  const std::vector<std::string>& names() const { return names_; }
  /// "PATCHBAY_VISIBLE_DEVICES='cpu:0'" if the names are from there; else empty.
  const std::string& variable() const { return variable_; }
  /// "visible are [cpu:0]", with the variable behind it.
  std::string describe() const;

 private:
  std::vector<std::string> names_;
  std::string variable_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_REGISTRY_VISIBLE_DEVICES_H_
