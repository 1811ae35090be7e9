// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Examines a plugin in a separate process, so that a report is printed whatever the plugin does.
#ifndef PATCHBAY_TOOLS_EXAMINATION_H_
#define PATCHBAY_TOOLS_EXAMINATION_H_

#include <string>
#include <vector>

#include "examiner.h"

namespace patchbay::tools {

struct Finding {
  conformance::Check check;
  conformance::Outcome outcome;
};

struct Examination {
  std::string plugin, backend;
  std::vector<Finding> findings;
  std::size_t num_not_run = 0;  // because too many checks hung
};

/// The steps after the last check: the runtime is closed, and the process exits.
inline const conformance::Check kTheEnd{"loading", "the_end", {}};

/// Runs the requested checks and the end. If a check ends the process or hangs, the rest runs in a
/// new one. Errors: those of `find_subject`; kPluginFailed if loading the plugin crashes or hangs.
Examination examine(const ExaminationRequest& request);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_EXAMINATION_H_
