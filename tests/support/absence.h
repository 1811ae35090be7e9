// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SUPPORT_ABSENCE_H_
#define PATCHBAY_TESTS_SUPPORT_ABSENCE_H_

#include <string>

#include <patchbay/runtime.h>

namespace patchbay::test {

/// Why a plugin finds no driver or device on this machine, which no test can help; empty if it
/// does. A plugin that is there and broken is no absence.
inline std::string why_absent(const PluginInfo& plugin) {
  const bool is_absent =
      plugin.status == PluginStatus::kNoDriver || plugin.status == PluginStatus::kNoDevice;
  return is_absent ? plugin.reason : std::string();
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_ABSENCE_H_
