// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Plugins of kind "collective". They are opened when a group of processes is joined.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/registry/driver_lock.h"
#include "core/runtime/registry/plugin_registry.h"

namespace patchbay::runtime {

bool PluginRegistry::is_engine(const Candidate& candidate) {
  return read_candidate_note(candidate).kind == PATCHBAY_KIND_COLLECTIVE;
}

EngineState& PluginRegistry::add_engine(const Candidate& candidate, const Settings& settings) {
  auto engine = std::make_unique<EngineState>(runtime_, candidate, settings);
  const bool is_wanted =
      candidate.named_in_code || wanted_plugins_.empty() ||
      std::ranges::find(wanted_plugins_, candidate.name) != wanted_plugins_.end();
  if (!is_wanted) {
    engine->finish(PluginStatus::kFiltered, fmt::format("not among the plugins asked for ({})",
                                                        fmt::join(wanted_plugins_, ", ")));
  } else {
    const Inspection inspection = inspect(candidate, trusted_);
    if (!inspection.note.plugin.empty()) engine->name = inspection.note.plugin;
    engine->backend = inspection.note.backend;
    engine->file = inspection.id;
    if (!inspection.refusal.empty()) {
      engine->finish(PluginStatus::kRefused, inspection.refusal);
    } else {
      engine->set_status(PluginStatus::kFound, "not opened yet: a group of processes opens it");
    }
  }
  const std::scoped_lock lock(mutex_);
  // A later attempt replaces an earlier one of the file, unless that is open.
  const auto former = std::ranges::find_if(engines_, [&](const auto& each) {
    return each->candidate.path == candidate.path && !each->is_loaded();
  });
  if (former == engines_.end()) return *engines_.emplace_back(std::move(engine));
  former->swap(engine);
  return **former;
}

/// The caller holds load_mutex_.
void PluginRegistry::open_engine(EngineState& engine) {
  const Inspection inspection = inspect(engine.candidate, trusted_);
  if (!inspection.refusal.empty()) {
    engine.finish(PluginStatus::kRefused, inspection.refusal);
  } else {
    engine.load(inspection);
  }
}

PluginInfo PluginRegistry::load_engine(const Candidate& candidate, const Settings& settings) {
  EngineState& engine = add_engine(candidate, settings);
  if (engine.status == PluginStatus::kFound) open_engine(engine);
  if (engine.status == PluginStatus::kRefused || engine.status == PluginStatus::kFailed) {
    base::raise(ErrorCode::kPluginFailed, "[Runtime] plugin {} {}: {}.",
                base::quote(candidate.path.string()), to_string(engine.status), engine.reason);
  }
  return engine.info();
}

EngineUse PluginRegistry::engine(std::string_view operation, std::string_view backend) {
  runtime_.home.check(operation, "a group of processes");
  const DriverLock driver_lock;
  const LoadLock load_lock(*this);
  std::vector<EngineState*> candidates;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& each : engines_) {
      if (each->backend != backend) continue;
      if (each->is_loaded()) return EngineUse(*each);
      candidates.push_back(each.get());
    }
  }
  std::string reasons;
  for (EngineState* const each : candidates) {
    const bool is_closed = each->status == PluginStatus::kFound ||
                           each->status == PluginStatus::kFailed ||
                           each->status == PluginStatus::kNoDriver;
    if (is_closed) open_engine(*each);
    if (each->is_loaded()) return EngineUse(*each);
    reasons += fmt::format("{}{} {}: {}", reasons.empty() ? "" : "; ",
                           base::quote(each->candidate.path.string()), to_string(each->status),
                           each->reason);
  }
  if (reasons.empty()) {
    std::vector<std::string> searched;
    for (const auto& each : directories_) searched.push_back(each.string());
    base::raise(ErrorCode::kUnsupported,
                "[{}] there is no plugin of the engine '{}': patchbay-{}.so is in none of [{}]. "
                "Install it there.",
                operation, backend, backend, fmt::join(searched, ", "));
  }
  base::raise(ErrorCode::kPluginFailed, "[{}] the engine '{}' can't be opened: {}.", operation,
              backend, reasons);
}

bool PluginRegistry::unload_engine(std::string_view plugin_name) {
  EngineState* found = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& each : engines_) {
      const bool is_there = each->is_loaded() || each->status == PluginStatus::kFound;
      if (each->name == plugin_name && is_there) found = each.get();
    }
  }
  if (found == nullptr) return false;
  if (const std::size_t groups = found->num_groups.load(); groups > 0) {
    base::raise(ErrorCode::kInUse,
                "[unload] plugin '{}' is in use: {} group{} of processes. Release these first, "
                "then unload.",
                plugin_name, groups, groups == 1 ? "" : "s");
  }
  found->close();
  const std::scoped_lock lock(mutex_);
  found->finish(PluginStatus::kUnloaded, "unloaded by the program");
  return true;
}

}  // namespace patchbay::runtime
