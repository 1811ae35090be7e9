// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "text.h"

namespace patchbay::tools {
namespace {

std::vector<std::string> capabilities_of(const DeviceProperties& properties) {
  std::vector<std::string> names;
  const auto add = [&](bool has, const char* name) {
    if (has) names.emplace_back(name);
  };
  add(properties.f64, "f64");
  add(properties.f16, "f16");
  add(properties.bf16, "bf16");
  add(properties.peer_access, "peer_access");
  add(properties.unified_memory, "unified_memory");
  add(properties.unified_buffers, "unified_buffers");
  add(properties.stream_priorities, "stream_priorities");
  add(properties.pageable_copies_block, "pageable_copies_block");
  add(properties.modules, "modules");
  add(properties.host_addressable, "host_addressable");
  add(properties.completes_inline, "completes_inline");
  return names;
}

/// Null if the device has none.
Json uuid_of(const DeviceProperties& properties) {
  const auto& uuid = properties.uuid;
  if (std::all_of(uuid.begin(), uuid.end(), [](std::uint8_t byte) { return byte == 0; })) return {};
  std::string text = fmt::format("{:02x}", fmt::join(uuid, ""));
  for (const std::size_t dash : {8u, 13u, 18u, 23u}) text.insert(dash, 1, '-');
  return text;
}

/// The names of the devices of other plugins that are the same card.
std::vector<std::string> same_hardware_as(const Device& device) {
  std::vector<std::string> names;
  for (const Device& other : device.runtime().devices()) {
    const bool is_same =
        other.name() != device.name() && is_same_hardware(other.properties(), device.properties());
    if (is_same) names.push_back(other.name());
  }
  return names;
}

Json describe(const Device& device, const std::string& plugin) {
  const DeviceProperties& properties = device.properties();
  return {
      {"name", device.name()},
      {"plugin", plugin},
      {"kind", to_string(properties.kind)},
      {"memory_total_bytes", properties.memory_total_bytes},
      {"description", properties.name},
      {"vendor", properties.vendor},
      {"driver_version", properties.driver_version},
      {"uuid", uuid_of(properties)},
      {"pci_address", properties.pci_address.empty() ? Json() : Json(properties.pci_address)},
      {"compute_units", properties.compute_units},
      {"preferred_vector_bytes", properties.preferred_vector_bytes},
      {"sub_group_width", properties.sub_group_width},
      {"max_group_size", properties.max_group_size},
      {"architecture", properties.architecture.empty() ? Json() : Json(properties.architecture)},
      {"l2_cache_bytes", properties.l2_cache_bytes},
      {"shared_memory_bytes", properties.shared_memory_bytes},
      {"clock_khz", properties.clock_khz},
      {"memory_clock_khz", properties.memory_clock_khz},
      {"numa_node", properties.numa_node},
      {"same_hardware", same_hardware_as(device)},
      {"capabilities", capabilities_of(properties)},
  };
}

/// "AMD EPYC (avx512, own products) [f64 ...]"
std::string show_description(const Device& device) {
  const DeviceProperties& properties = device.properties();
  const std::vector<std::string> others = same_hardware_as(device);
  const std::string same =
      others.empty() ? "" : fmt::format(", the same card as {}", fmt::join(others, ", "));
  const std::string version =
      properties.driver_version.empty() ? "" : " (" + properties.driver_version + ")";
  return fmt::format("{}{} [{}]{}", properties.name, version,
                     fmt::join(capabilities_of(properties), " "), same);
}

std::map<std::string, std::string> plugins_of_devices(const Runtime& runtime) {
  (void)runtime.devices();  // opens every plugin
  std::map<std::string, std::string> plugins;
  for (const PluginInfo& plugin : runtime.plugins()) {
    for (const std::string& device : plugin.devices) {
      if (plugin.status == PluginStatus::kLoaded) plugins[device] = plugin.name;
    }
  }
  return plugins;
}

/// Opens the devices; listing them does not.
void add_memory(Json& entry, const Device& device) {
  const DeviceMemory memory = device.memory();
  entry["memory_free_bytes"] = memory.free_bytes;
}

std::string show_outcome(const PluginInfo& plugin) {
  const std::string name = plugin.name.empty() ? plugin.path.filename().string() : plugin.name;
  const std::string reason = plugin.reason.empty() ? "" : ": " + plugin.reason;
  return fmt::format("{} {}{}\n", name, to_string(plugin.status), reason);
}

/// A missing driver is not a failure.
bool has_failed(const PluginInfo& plugin) {
  return plugin.status == PluginStatus::kFailed || plugin.status == PluginStatus::kRefused ||
         plugin.status == PluginStatus::kQuarantined;
}

std::string show_failures(const Runtime& runtime) {
  std::string text;
  for (const PluginInfo& plugin : runtime.plugins()) {
    if (has_failed(plugin)) text += show_outcome(plugin);
  }
  return text;
}

Json failures_of(const Runtime& runtime) {
  Json failures = Json::array();
  for (const PluginInfo& plugin : runtime.plugins()) {
    if (!has_failed(plugin)) continue;
    failures.push_back({{"name", plugin.name},
                        {"file", plugin.path.string()},
                        {"status", to_string(plugin.status)},
                        {"reason", plugin.reason}});
  }
  return failures;
}

/// The devices that the variable hides; the command itself hides none.
std::string show_hidden(const Runtime& runtime) {
  const std::vector<Device> visible = runtime.devices();
  std::vector<std::string> hidden;
  for (const auto& [device, plugin] : plugins_of_devices(runtime)) {
    const auto has_name = [&name = device](const Device& one) { return one.name() == name; };
    if (std::none_of(visible.begin(), visible.end(), has_name)) hidden.push_back(device);
  }
  const char* const wanted = std::getenv("PATCHBAY_VISIBLE_DEVICES");
  if (hidden.empty() || wanted == nullptr) return {};
  return fmt::format("Hidden by PATCHBAY_VISIBLE_DEVICES={}: {}.\n", wanted,
                     fmt::join(hidden, ", "));
}

}  // namespace

std::string show_absence(const Runtime& runtime) {
  std::string text = "No device.\n";
  for (const PluginInfo& plugin : runtime.plugins()) text += "  " + show_outcome(plugin);
  if (runtime.plugins().empty()) text += "  No plugin was found; `patchbay plugins` says where.\n";
  return text + show_hidden(runtime);
}

Report report_devices(const RuntimeOptions& options, bool with_memory) {
  const Runtime runtime(options);
  std::map<std::string, std::string> plugins = plugins_of_devices(runtime);
  Report report;
  Json devices = Json::array();
  Table table({"NAME", "KIND", "MEMORY", "UNITS", "PLUGIN", "DESCRIPTION"});
  for (const Device& device : runtime.devices()) {
    Json entry = describe(device, plugins[device.name()]);
    const DeviceProperties& properties = device.properties();
    std::string memory = show_bytes(properties.memory_total_bytes);
    if (with_memory) {
      report.attempt([&] {
        add_memory(entry, device);
        memory += fmt::format(" ({} free)", show_bytes(entry["memory_free_bytes"]));
      });
    }
    table.add({device.name(), std::string(to_string(properties.kind)), memory,
               std::to_string(properties.compute_units), plugins[device.name()],
               show_description(device)});
    devices.push_back(std::move(entry));
  }
  report.text = devices.empty() ? show_absence(runtime)
                                : table.to_string() + show_failures(runtime) + show_hidden(runtime);
  report.json["devices"] = std::move(devices);
  report.json["failed_plugins"] = failures_of(runtime);
  return report;
}

}  // namespace patchbay::tools
