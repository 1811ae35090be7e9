// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/plugin_state.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/plugin/call_watch.h"
#include "core/runtime/plugin/guarded_call.h"
#include "core/runtime/plugin/process_end.h"
#include "core/runtime/search/arrival.h"

namespace patchbay {
namespace runtime {
PluginState::~PluginState() { close(); }

void PluginState::load(const Inspection& inspection) {
  file = inspection.id;
  settings = inspection.note.settings;
  if (std::string failure = open_tables(inspection); !failure.empty()) {
    finish(PluginStatus::kFailed, std::move(failure));
    close();
    return;
  }
  driver = open_driver(tables.plugin);
  if (driver == nullptr || !enumerate()) {
    close();
    return;
  }
  std::string thrown = warn_reserved();
  if (thrown.empty()) thrown = examine_extensions();
  if (thrown.empty()) thrown = show_ranges();
  if (!thrown.empty()) {
    finish(PluginStatus::kFailed, std::move(thrown));
    close();
    return;
  }
  finish(PluginStatus::kLoaded,
         fmt::format("{} device{}", devices.size(), devices.size() == 1 ? "" : "s"));
}

/// Of a plugin that can't know what a later minor version makes of the name.
std::string PluginState::warn_reserved() const {
  if (tables.plugin.abi_minor > PATCHBAY_ABI_MINOR) return {};
  for (const std::string_view reserved :
       {PATCHBAY_EXTENSION_EVENT_EXPORT, PATCHBAY_EXTENSION_IPC, PATCHBAY_EXTENSION_COLLECTIVE}) {
    const void* table = nullptr;
    std::string thrown = ask_extension(reserved, devices.front()->plugin_index, table);
    if (!thrown.empty()) return thrown;
    if (table == nullptr) continue;
    owner.logger.log(LogLevel::kWarning,
                     "[{}] gives the extension '{}', a name that plugin interface {}.{} reserves: "
                     "ignored",
                     name, reserved, PATCHBAY_ABI_MAJOR, PATCHBAY_ABI_MINOR);
  }
  return {};
}

std::string PluginState::ask_extension(std::string_view extension_name,
                                       std::optional<std::uint32_t> device_index,
                                       const void*& table) const {
  return call_guarded("get_extension",
                      [&] { table = find_extension(extension_name, device_index, 1); });
}

const void* PluginState::find_extension(std::string_view extension_name,
                                        std::optional<std::uint32_t> device_index,
                                        std::uint32_t number) const {
  const patchbay_string asked = {extension_name.data(), extension_name.size()};
  const void* table = nullptr;
  if (device_index) {
    table = tables.plugin.get_device_extension(driver, *device_index, asked, number);
  }
  return table != nullptr ? table : tables.plugin.get_extension(driver, asked, number);
}

const void* PluginState::extension(std::string_view extension_name, std::uint64_t least_bytes,
                                   std::optional<std::uint32_t> device_index,
                                   std::uint32_t number) const {
  return whole(find_extension(extension_name, device_index, number), extension_name, least_bytes);
}

const void* PluginState::whole(const void* table, std::string_view extension_name,
                               std::uint64_t least_bytes) const {
  if (table == nullptr || least_bytes == 0) return table;
  std::uint64_t size = 0;  // every table of the interface begins with it, and goes on with entries
  std::memcpy(&size, table, sizeof(size));
  if (size < least_bytes) {
    owner.logger.log(LogLevel::kWarning,
                     "[{}] gives a table of {} bytes for the extension '{}', expected at least {}: "
                     "ignored",
                     name, size, extension_name, least_bytes);
    return nullptr;
  }
  const auto* const bytes = static_cast<const std::byte*>(table);
  for (std::uint64_t at = sizeof(size); at < least_bytes; at += sizeof(void*)) {
    const void* entry = nullptr;
    std::memcpy(&entry, bytes + at, sizeof(entry));
    if (entry != nullptr) continue;
    owner.logger.log(LogLevel::kWarning,
                     "[{}] gives a table for the extension '{}' whose entry {} of {} is null: "
                     "ignored",
                     name, extension_name, at / sizeof(void*), least_bytes / sizeof(void*) - 1);
    return nullptr;
  }
  return table;
}

std::string PluginState::examine_extensions() const {
  if (!is_watched()) return {};
  static constexpr std::pair<std::string_view, std::uint64_t> kExtensions[] = {
      {PATCHBAY_EXTENSION_ADOPT_CONTEXT, sizeof(patchbay_adopt_context_table)},
      {PATCHBAY_EXTENSION_MEMORY_INFO, sizeof(patchbay_memory_info_table)},
      {PATCHBAY_EXTENSION_EXIT, sizeof(patchbay_exit_table)},
      {PATCHBAY_EXTENSION_GRAPH, sizeof(patchbay_graph_table)},
      {PATCHBAY_EXTENSION_RANGES, sizeof(patchbay_ranges_table)}};
  for (const auto& [extension_name, least_bytes] : kExtensions) {
    const void* table = nullptr;
    std::string thrown = ask_extension(extension_name, devices.front()->plugin_index, table);
    if (!thrown.empty()) return thrown;
    (void)whole(table, extension_name, least_bytes);
  }
  return {};
}

std::string PluginState::open_tables(const Inspection& inspection) {
  LibraryResult opened = open_library(inspection);
  if (!opened.library) return opened.failure;
  library = std::move(opened.library);
  if (std::string failure = adopt_tables(*library->table(), tables); !failure.empty()) {
    return failure;
  }
  if (std::string failure = check_own_names(tables.plugin); !failure.empty()) return failure;
  if (is_watched()) watch_calls(tables);
  host.agree(tables.plugin.abi_minor,
             tables.plugin.required_features | tables.plugin.optional_features);
  return {};
}

bool PluginState::enumerate() {
  Found found;
  patchbay_status* answer = nullptr;
  begin_enumeration(&found);
  const KeptFloatEnvironment kept;
  const std::string thrown = call_guarded(
      "enumerate", [&] { answer = tables.plugin.enumerate(driver, note_device, this); });
  begin_enumeration(nullptr);
  const base::StatusHolder failure(answer);
  if (found.error) std::rethrow_exception(found.error);
  if (failure) {
    finish(status_of(failure->code), "enumeration failed: " + failure->message);
  } else if (!thrown.empty() || !found.bad.empty()) {
    finish(PluginStatus::kFailed, thrown.empty() ? found.bad : thrown);
  } else if (devices.empty()) {
    finish(PluginStatus::kNoDevice, "the driver runs and sees no device");
  } else {
    return true;
  }
  devices.clear();
  return false;
}

void PluginState::begin_enumeration(Found* found) {
  const std::scoped_lock lock(enumeration_mutex_);
  enumeration_ = found;
}

/// Called by the plugin. Calls after `enumerate` has returned are not allowed, and ignored.
void PluginState::note_device(void* user, const patchbay_device_properties* properties) {
  auto* const self = static_cast<PluginState*>(user);
  if (self == nullptr) return;
  const std::scoped_lock lock(self->enumeration_mutex_);
  Found* const found = self->enumeration_;
  if (found == nullptr || !found->bad.empty() || found->error) return;
  try {
    found->bad = properties != nullptr ? self->add_device(*properties)
                                       : "it enumerates a device without properties";
  } catch (...) {  // no exception may cross the plugin
    found->error = std::current_exception();
  }
}

std::string PluginState::add_device(const patchbay_device_properties& raw) {
  DeviceInfo info;
  const bool is_newer = tables.plugin.abi_minor > PATCHBAY_ABI_MINOR;
  std::string fault = read_device_info(raw, backend, is_newer, info);
  if (!fault.empty()) return fault;
  const auto is_same = [&info](const auto& other) {
    return other->plugin_index == info.plugin_index;
  };
  if (std::any_of(devices.begin(), devices.end(), is_same)) {
    return fmt::format("it enumerates two devices of index {}", info.plugin_index);
  }
  if (environment.get("host_access") == "off") {
    info.host_addressable_kinds &= ~(std::uint64_t{1} << PATCHBAY_MEMORY_DEVICE);
    info.properties.host_addressable = false;
  }
  devices.push_back(std::make_unique<const DeviceInfo>(std::move(info)));
  return {};
}

std::string PluginState::show_ranges() {
  if (!owner.shows_ranges) return {};
  const void* given = nullptr;
  std::string thrown = ask_extension(PATCHBAY_EXTENSION_RANGES, std::nullopt, given);
  if (!thrown.empty()) return thrown;
  const auto* table = static_cast<const patchbay_ranges_table*>(
      whole(given, PATCHBAY_EXTENSION_RANGES, sizeof(patchbay_ranges_table)));
  if (table != nullptr) {
    ranges_ = std::make_shared<RangeReceiver>(*table, driver);
    owner.tracing.add(ranges_);
  }
  return {};
}

void PluginState::heed_process_end() const {
  const auto* table = static_cast<const patchbay_exit_table*>(
      extension(PATCHBAY_EXTENSION_EXIT, sizeof(patchbay_exit_table), std::nullopt));
  if (table != nullptr) stop_at_process_end(*this, *table);
}

void PluginState::close() noexcept {
  if (process_is_ending()) return;  // the library stays: see Library
  if (driver != nullptr) {
    forget_at_process_end(*this);
    if (ranges_ != nullptr) owner.tracing.remove(ranges_);
    ranges_.reset();
    try {
      tables.plugin.close(driver);
    } catch (...) {
      owner.logger.write(LogLevel::kError, "a plugin's close threw an exception");
    }
  }
  driver = nullptr;
  library.reset();
}

PluginInfo PluginState::info() const {
  PluginInfo result{candidate.path, name, backend, version, status, reason, {}, probe, changes};
  if (is_loaded()) {
    result.abi_minor = static_cast<int>(tables.plugin.abi_minor);
    for (const auto& device : devices) result.devices.push_back(device->name_text);
  }
  return result;
}

}  // namespace runtime
}  // namespace patchbay
