// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/plugin_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/runtime/search/arrival.h"
#include "core/runtime/search/vocabulary.h"

namespace patchbay {

std::string_view to_string(PluginStatus status) {
  switch (status) {
    case PluginStatus::kFound: return "found";
    case PluginStatus::kLoaded: return "loaded";
    case PluginStatus::kShadowed: return "shadowed";
    case PluginStatus::kFiltered: return "filtered";
    case PluginStatus::kRefused: return "refused";
    case PluginStatus::kFailed: return "failed";
    case PluginStatus::kNoDriver: return "no-driver";
    case PluginStatus::kNoDevice: return "no-device";
    case PluginStatus::kUnloaded: return "unloaded";
    case PluginStatus::kQuarantined: return "quarantined";
  }
  return "unknown";
}

std::string_view to_string(ProbeOrigin origin) {
  switch (origin) {
    case ProbeOrigin::kNone: return "none";
    case ProbeOrigin::kNew: return "new";
    case ProbeOrigin::kKept: return "kept";
  }
  return "unknown";
}

namespace runtime {

PluginFile::PluginFile(PluginOwner& belongs_to, Candidate found,
                       const std::map<std::string, std::string>& given_settings)
    : owner(belongs_to),
      candidate(std::move(found)),
      own_settings(given_settings),
      environment(owner.environment.with(given_settings)),
      name(candidate.name),
      host(*this) {}

void PluginFile::set_status(PluginStatus outcome, std::string why) {
  status = outcome;
  reason = std::move(why);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  reason = printable(reason);
}

std::string PluginFile::describe_status() const {
  return fmt::format("[Runtime] plugin {} {}: {}", printable(candidate.path.string()),
                     to_string(status), reason);
}

void PluginFile::finish(PluginStatus outcome, std::string why) {
  set_status(outcome, std::move(why));
  const bool is_bad = outcome == PluginStatus::kRefused || outcome == PluginStatus::kFailed ||
                      outcome == PluginStatus::kQuarantined;
  const LogLevel level = is_bad ? LogLevel::kWarning : LogLevel::kInfo;
  owner.logger.log(level, "{}", describe_status());
}

void PluginFile::warn_undeclared(std::string_view setting) const {
  if (!settings || is_own_setting(setting) ||
      std::find(settings->begin(), settings->end(), setting) != settings->end()) {
    return;
  }
  owner.logger.log(LogLevel::kWarning,
                   "[{}] asks for the setting {}, which PATCHBAY_PLUGIN_SETTINGS does not have",
                   name, base::quote(setting));
}

patchbay_memory PluginFile::allocate_scratch(std::uint32_t device_index, std::uint64_t) {
  base::raise(
      ErrorCode::kInvalidArgument,
      "[scratch_allocate] no device of index {}: expected one that was enumerated, after the "
      "plugin was opened. Allocate later, or correct the index.",
      device_index);
}

void PluginFile::free_scratch(std::uint32_t, patchbay_memory) noexcept {}

}  // namespace runtime
}  // namespace patchbay
