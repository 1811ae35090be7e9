// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A copy of the plugin of misdeeds.cpp, opened with the probe.
#ifndef PATCHBAY_TESTS_RUNTIME_PROBE_PROBED_H_
#define PATCHBAY_TESTS_RUNTIME_PROBE_PROBED_H_

#include "support/environment_variable.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {

class Probed {
 public:
  explicit Probed(const std::string& misdeed = "none");

  /// What becomes of the plugin in a new runtime.
  PluginInfo open() const;
  /// The processes that the plugin's code was in so far.
  std::vector<int> processes() const;

  RuntimeOptions options;
  std::filesystem::path file;

 private:
  TemporaryDirectory plugins_, cache_;
  test::EnvironmentVariable misdeed_, trace_, asan_, tsan_;
};

/// Longer than the deadline, which is exact on an idle machine.
inline constexpr std::chrono::seconds kSlowness{10};

}  // namespace patchbay::faults

#endif  // PATCHBAY_TESTS_RUNTIME_PROBE_PROBED_H_
