// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What opening a plugin does to a process, found out in another process first: docs/loading.md.
#ifndef PATCHBAY_CORE_RUNTIME_PROBE_VERDICT_H_
#define PATCHBAY_CORE_RUNTIME_PROBE_VERDICT_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "patchbay/runtime.h"

#include "core/base/environment.h"
#include "core/runtime/search/candidate.h"

namespace patchbay::runtime {

struct Verdict {
  ProbeOrigin origin = ProbeOrigin::kNone;
  std::string harm;  // empty if the plugin may be opened
  std::vector<std::string> changes;
};

/// Judges the plugins of a runtime before they are opened.
class Probe {
 public:
  /// Errors: kInvalidArgument for bad settings; kUnsupported if the probe is wanted and is not
  /// installed.
  Probe(const RuntimeOptions& options, const base::Environment& environment);

  /// Sound without a look if no probe is wanted. Uses the verdict of an earlier probe, unless the
  /// plugin, a library that was opened with it, the environment or the Linux release has changed.
  /// Errors: kIo if the probe can't be started.
  Verdict judge(const Inspection& inspection, const base::Environment& settings);

 private:
  ProbeMode mode_;
  double seconds_;
  std::filesystem::path program_;
  std::map<std::string, std::string> kept_;  // of this runtime's probes
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PROBE_VERDICT_H_
