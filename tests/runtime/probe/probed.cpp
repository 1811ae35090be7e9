// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "probed.h"

namespace patchbay::faults {
namespace {

/// Sanitizers report a crash themselves, and leaks can't be looked for under ptrace.
std::string without_handlers(const char* variable) {
  const char* const options = std::getenv(variable);
  return std::string(options != nullptr ? options : "") +
         ":handle_segv=0:handle_abort=0:detect_leaks=0";
}

}  // namespace

Probed::Probed(const std::string& misdeed)
    : misdeed_("PATCHBAY_TEST_MISDEED", misdeed),
      trace_("PATCHBAY_TEST_TRACE", cache_.path() / "trace"),
      asan_("ASAN_OPTIONS", without_handlers("ASAN_OPTIONS")),
      tsan_("TSAN_OPTIONS", without_handlers("TSAN_OPTIONS")) {
  file = plugins_.add("misdeeds");
  options = only({plugins_.path()});
  options.settings["cache_dir"] = cache_.path();
  options.probe = ProbeMode::kOn;
}

PluginInfo Probed::open() const { return plugin_info(Runtime(options), "misdeeds"); }

std::vector<int> Probed::processes() const {
  std::vector<int> all;
  std::ifstream lines(cache_.path() / "trace");
  for (int one = 0; lines >> one;) all.push_back(one);
  return all;
}

}  // namespace patchbay::faults
