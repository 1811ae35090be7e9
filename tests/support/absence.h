// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SUPPORT_ABSENCE_H_
#define PATCHBAY_TESTS_SUPPORT_ABSENCE_H_

#include <filesystem>
#include <string>
#include <string_view>

#include <patchbay/runtime.h>

#include "support/paths.h"

namespace patchbay::test {

/// Why a plugin finds no driver or device on this machine; empty if it does. A broken plugin is not
/// absent.
inline std::string why_absent(const PluginInfo& plugin) {
  const bool is_absent =
      plugin.status == PluginStatus::kNoDriver || plugin.status == PluginStatus::kNoDevice;
  return is_absent ? plugin.reason : std::string();
}

/// Whether this build has the plugin; a test that requests a missing one fails.
inline bool is_built(std::string_view plugin) {
  return std::filesystem::exists(
      built_path("lib/patchbay/plugins/patchbay-" + std::string(plugin) + ".so"));
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_ABSENCE_H_
