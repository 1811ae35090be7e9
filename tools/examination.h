// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Examines a plugin in a process of its own, so that the report comes out whatever the plugin does.
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
  std::size_t num_not_run = 0;  // because too many checks did not end
};

/// What comes after the last check: the runtime is closed, and the process ends.
inline const conformance::Check kTheEnd{"loading", "the_end", {}};

/// Runs the checks of the request, and the end; when a check ends the process or does not end, the
/// rest runs in a new one. Errors: those of `find_subject`; kPluginFailed if the plugin can't be
/// loaded without a crash, or in time.
Examination examine(const ExaminationRequest& request);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_EXAMINATION_H_
