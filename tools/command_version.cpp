// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "command.h"

namespace patchbay::tools {

Report report_version() {
  Report report;
  report.json = {{"version", version()}, {"abi", plugin_abi_version()}};
  report.text = fmt::format("patchbay {} (plugin ABI {})\n", version(), plugin_abi_version());
  return report;
}

}  // namespace patchbay::tools
