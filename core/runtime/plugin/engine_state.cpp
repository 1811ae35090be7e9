// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/engine_state.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/status.h"
#include "core/runtime/plugin/guarded_call.h"
#include "core/runtime/search/arrival.h"

namespace patchbay::runtime {

EngineState::~EngineState() { close(); }

void EngineState::load(const Inspection& inspection) {
  file = inspection.id;
  settings = inspection.note.settings;
  LibraryResult opened = open_library(inspection);
  std::string failure = std::move(opened.failure);
  if (opened.library) {
    library = std::move(opened.library);
    failure = adopt_engine(*library->table(), plugin);
    if (failure.empty()) failure = check_own_names(plugin);
  }
  if (!failure.empty()) {
    finish(PluginStatus::kFailed, std::move(failure));
    return close();
  }
  host.agree(plugin.abi_minor, plugin.required_features | plugin.optional_features);
  driver = open_driver(plugin);
  if (driver == nullptr) return close();
  failure = describe();
  if (!failure.empty()) {
    finish(PluginStatus::kFailed, std::move(failure));
    return close();
  }
  finish(PluginStatus::kLoaded, library_name);
}

/// Returns what is wrong, or nothing.
std::string EngineState::describe() {
  const void* given = nullptr;
  const std::string_view wanted = PATCHBAY_EXTENSION_COLLECTIVE;
  std::string failure = call_guarded("get_extension", [&] {
    given = plugin.get_extension(driver, {wanted.data(), wanted.size()}, 1);
  });
  if (!failure.empty()) return failure;
  if (given == nullptr) return fmt::format("it has no extension '{}', version 1", wanted);
  failure = adopt_collective(*static_cast<const patchbay_collective_table*>(given), table);
  if (!failure.empty()) return failure;
  patchbay_collective_properties properties{};
  properties.size = sizeof(properties);
  patchbay_status* answer = nullptr;
  failure = call_guarded("describe", [&] { answer = table.describe(driver, &properties); });
  const base::StatusHolder answered(answer);
  if (!failure.empty()) return failure;
  if (answered) return "describe failed: " + answered->message;
  Arrival arrival;
  arrival.expect(
      properties.launched_size == 0 || properties.launched_rank < properties.launched_size,
      "it says that it was launched with rank {} of {}", properties.launched_rank,
      properties.launched_size);
  launched_rank = properties.launched_rank;
  launched_size = properties.launched_size;
  library_name = arrival.text("the name of its library", properties.library);
  static_cast<void>(arrival.text("its backend", properties.backend));
  return arrival.fault();
}

void EngineState::close() noexcept {
  if (process_is_ending()) return;
  if (driver != nullptr) {
    try {
      plugin.close(driver);
    } catch (...) {
      owner.logger.write(LogLevel::kError, "a plugin's close threw an exception");
    }
  }
  driver = nullptr;
  library.reset();
}

PluginInfo EngineState::info() const {
  PluginInfo result{candidate.path, name, backend, version, status, reason, {}, probe, changes};
  if (is_loaded()) result.abi_minor = static_cast<int>(plugin.abi_minor);
  return result;
}

std::string EngineState::explain() const {
  return fmt::format("  {} {}: {}\n", printable(candidate.path.string()), to_string(status),
                     reason);
}

}  // namespace patchbay::runtime
