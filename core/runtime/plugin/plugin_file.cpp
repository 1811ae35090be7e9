// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/plugin_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/plugin/guarded_call.h"
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

PluginStatus status_of(std::int32_t code) {
  switch (code) {
    case PATCHBAY_NO_DRIVER: return PluginStatus::kNoDriver;
    case PATCHBAY_NO_DEVICE: return PluginStatus::kNoDevice;
    default: return PluginStatus::kFailed;
  }
}

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

std::string PluginFile::check_own_names(const patchbay_plugin& table) {
  Arrival arrival;
  const std::string own_name = arrival.text("its table's name", table.name);
  const std::string own_backend = arrival.text("its table's backend", table.backend);
  version = arrival.text("its table's version", table.version);
  if (!arrival.fault().empty()) return arrival.fault();
  if (own_name == name && own_backend == backend) return {};
  return fmt::format("its table says plugin {}, backend {}; its note says {}, {}",
                     base::quote(own_name), base::quote(own_backend), base::quote(name),
                     base::quote(backend));
}

patchbay_driver* PluginFile::open_driver(const patchbay_plugin& table) {
  const bool can_fork = ((host.table()->features >> PATCHBAY_FEATURE_FORK) & 1) != 0;
  if (!note_opening(file) && !can_fork) {
    finish(PluginStatus::kFailed,
           "this process was forked after the plugin had opened its driver, which stays with the "
           "parent: fork before the first Runtime, or start another program");
    return nullptr;
  }
  patchbay_status* answer = nullptr;
  patchbay_driver* opened = nullptr;
  const KeptFloatEnvironment kept;
  const std::string thrown =
      call_guarded("open", [&] { answer = table.open(host.table(), &opened); });
  const base::StatusHolder failure(answer);
  if (thrown.empty() && !failure && opened != nullptr) return opened;
  if (!thrown.empty()) {
    finish(PluginStatus::kFailed, thrown);
  } else if (failure) {
    const bool is_internal = failure->code == PATCHBAY_INTERNAL;  // an exception of the kit's, say
    finish(status_of(failure->code), (is_internal ? "open failed: " : "") + failure->message);
  } else {
    finish(PluginStatus::kFailed, "open gave neither a driver nor a status");
  }
  return nullptr;
}

}  // namespace runtime
}  // namespace patchbay
