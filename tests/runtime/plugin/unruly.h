// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The plugin of fixtures/unruly.c, which misbehaves as the environment variable UNRULY says.
#ifndef PATCHBAY_TESTS_RUNTIME_PLUGIN_UNRULY_H_
#define PATCHBAY_TESTS_RUNTIME_PLUGIN_UNRULY_H_

#include "support/environment_variable.h"
#include "support/kernels.h"
#include "support/log_lines.h"

namespace patchbay::faults {

inline RuntimeOptions unruly_options(std::map<std::string, std::string> settings = {}) {
  RuntimeOptions result;
  result.read_environment = false;
  result.search_default_directories = false;
  result.plugin_files = {PATCHBAY_FIXTURE_DIR "/unruly/patchbay-kept.so"};
  result.settings = std::move(settings);
  return result;
}

/// A runtime with the plugin, which misbehaves in these ways.
class Unruly {
 public:
  explicit Unruly(const std::string& ways, std::map<std::string, std::string> settings = {},
                  const std::string& log = "info")
      : ways_("UNRULY", ways), runtime_(options(std::move(settings), log)) {}

  Runtime& runtime() { return *runtime_; }
  Device device(int index = 1) { return runtime_->device("kept:" + std::to_string(index)); }
  /// Ends the runtime; then all lines have come.
  void end() { runtime_.reset(); }
  int count(const std::string& text) const { return lines_.count(text); }

 private:
  RuntimeOptions options(std::map<std::string, std::string> settings, const std::string& log) {
    settings["log"] = log;
    RuntimeOptions result = unruly_options(std::move(settings));
    result.log = lines_.sink();
    return result;
  }

  const test::LogLines lines_;
  const test::EnvironmentVariable ways_;
  std::optional<Runtime> runtime_;
};

/// With validation and without.
inline void for_each_mode(
    const std::function<void(const std::map<std::string, std::string>&)>& body) {
  for (const char* validate : {"0", "1"}) {
    SCOPED_TRACE(std::string("validate ") + validate);
    body({{"validate", validate}});
  }
}

inline void for_each_mode(const std::string& ways, const std::function<void(Unruly&)>& body) {
  for_each_mode([&](const auto& settings) {
    Unruly plugin(ways, settings);
    body(plugin);
  });
}

using test::fill_spec;

inline std::vector<float> values_on(const Device& device) {
  return ones({3}, device).to_vector<float>();
}
inline const std::vector<float> kOnes(3, 1);

}  // namespace patchbay::faults

#endif  // PATCHBAY_TESTS_RUNTIME_PLUGIN_UNRULY_H_
