// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Devices by name: those of the open plugins, and of plugins that are opened to find one.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/registry/plugin_registry.h"

namespace patchbay::runtime {
namespace {

/// Whether two plugins show the same physical card.
bool is_same_card(const DeviceState& a, const DeviceState& b) {
  return &a.plugin != &b.plugin && is_same_hardware(a.info.properties, b.info.properties);
}

}  // namespace

std::vector<DeviceAssembly*> PluginRegistry::devices() {
  runtime_.home.check("devices", "every device");
  open_all();
  std::vector<DeviceAssembly*> result;
  for (const Backend* const backend : loaded()) {
    for (const auto& device : backend->assemblies) {
      if (device->visible) result.push_back(device.get());
    }
  }
  if (result.empty() && !visible_devices_.variable().empty()) check_any_visible();
  return result;
}

/// A variable of the machine that hides every device is no wish of the program.
void PluginRegistry::check_any_visible() const {
  std::vector<std::string> hidden;
  for (const Backend* const backend : loaded()) {
    for (const auto& device : backend->devices) hidden.push_back(device->name_text);
  }
  if (hidden.empty()) return;
  base::raise(
      ErrorCode::kUnknownDevice,
      "[Device] no visible device is there: expected some of [{}], got {}. Correct or unset it.",
      fmt::join(hidden, ", "), visible_devices_.variable());
}

std::vector<DeviceAssembly*> PluginRegistry::gpus() {
  std::vector<DeviceAssembly*> result;
  for (DeviceAssembly* const device : devices()) {
    if (device->info.properties.kind != DeviceKind::kAccelerator) continue;
    const auto same = [device](const DeviceState* other) { return is_same_card(*device, *other); };
    if (std::none_of(result.begin(), result.end(), same)) result.push_back(device);
  }
  return result;
}

DeviceAssembly& PluginRegistry::find(std::string_view text) {
  const DeviceName name = DeviceName::parse(text);
  runtime_.home.check("Device", name.to_string());
  if (name.backend == "gpu") return find_gpu(name, text);
  Backend* const backend = open_backend(name);
  if (backend == nullptr) raise_unknown_backend(name);
  return find_in(*backend, name);
}

Backend* PluginRegistry::open_backend(const DeviceName& name) {
  Backend* backend = find_loaded(name.backend);
  while (backend == nullptr) {
    open_all_of(name.backend);
    backend = find_loaded(name.backend);
    // Another thread may have unloaded the plugin already: then the next of the backend is opened.
    if (!has_found(name.backend)) break;
  }
  return backend;
}

DeviceAssembly& PluginRegistry::find_in(const Backend& backend, const DeviceName& name) const {
  DeviceAssembly* const device = backend.find(static_cast<std::uint32_t>(name.index));
  if (device == nullptr) {
    base::raise(ErrorCode::kUnknownDevice,
                "[Device] no device '{}': backend '{}' has {} device{} ({}). Use one of these.",
                name.to_string(), name.backend, backend.devices.size(),
                backend.devices.size() == 1 ? "" : "s", backend.device_list());
  }
  if (!device->visible) {
    base::raise(ErrorCode::kUnknownDevice,
                "[Device] device '{}' is hidden: {}. Add it to PATCHBAY_VISIBLE_DEVICES "
                "or RuntimeOptions::visible_devices.",
                name.to_string(), visible_devices_.describe());
  }
  return *device;
}

/// Looks at other backends only if the backend `cpu` has no such device, because listing all
/// devices opens their drivers.
DeviceAssembly& PluginRegistry::first_cpu() {
  const auto is_fit = [](const DeviceAssembly& device) {
    return device.visible && device.info.properties.kind == DeviceKind::kCpu &&
           device.info.properties.host_addressable;
  };
  constexpr const char* kFirst = "cpu:0";
  runtime_.home.check("Device", kFirst);
  if (visible_devices_.shows(kFirst)) return find(kFirst);
  if (const Backend* const backend = open_backend(DeviceName::parse(kFirst))) {
    for (const auto& device : backend->assemblies) {
      if (is_fit(*device)) return *device;
    }
  }
  for (DeviceAssembly* const device : devices()) {
    if (is_fit(*device)) return *device;
  }
  base::raise(
      ErrorCode::kUnknownDevice,
      "[Device] no CPU device is visible: expected one for what names no device, {}. Name a "
      "device, or add a CPU device to PATCHBAY_VISIBLE_DEVICES or "
      "RuntimeOptions::visible_devices.",
      visible_devices_.describe());
}

DeviceAssembly& PluginRegistry::default_device() {
  if (default_device_name_.empty()) return first_cpu();
  try {
    return find(default_device_name_);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} It is asked for as the default device, by the setting 'device' "
                            "(PATCHBAY_DEVICE).",
                            error.what()));
  }
}

DeviceAssembly& PluginRegistry::find_gpu(const DeviceName& name, std::string_view text) {
  const std::vector<DeviceAssembly*> accelerators = gpus();
  if (static_cast<std::size_t>(name.index) < accelerators.size()) {
    return *accelerators[static_cast<std::size_t>(name.index)];
  }
  std::vector<std::string> names;
  for (const DeviceState* device : accelerators) names.push_back(device->info.name_text);
  base::raise(
      ErrorCode::kUnknownDevice,
      "[Device] no device {}: {} accelerator{} found{}{}.{} Runtime::explain() says what was "
      "tried; try_gpu({}) falls back to a CPU device.",
      base::quote(text), names.size(), names.size() == 1 ? "" : "s",
      names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", ")),
      visible_devices_.variable().empty() ? "" : ", " + visible_devices_.describe(),
      describe_failed({}), name.index);
}

bool PluginRegistry::has_found(std::string_view backend) const {
  const std::scoped_lock lock(mutex_);
  return std::any_of(backends_.begin(), backends_.end(), [backend](const auto& one) {
    return one->status == PluginStatus::kFound && (backend.empty() || one->backend == backend);
  });
}

/// A sentence for each plugin of the backend that is not open, and of each file that was refused
/// before its backend was known. An empty name means all backends: those that failed or were
/// refused.
std::string PluginRegistry::describe_failed(std::string_view backend) const {
  const auto is_why = [&](const Backend& one) {
    const bool has_failed = one.status == PluginStatus::kRefused ||
                            one.status == PluginStatus::kFailed ||
                            one.status == PluginStatus::kQuarantined;
    const bool is_closed = !one.is_loaded() && one.status != PluginStatus::kFound;
    if (backend.empty() || one.backend.empty()) return has_failed;
    return is_closed && one.backend == backend;
  };
  std::string text;
  std::size_t num_filtered = 0;
  const std::scoped_lock lock(mutex_);
  for (const Backend* const one : listed()) {
    num_filtered += one->status == PluginStatus::kFiltered ? 1 : 0;
    if (!is_why(*one)) continue;
    text += fmt::format(" Plugin {} is {}: {}.", base::quote(one->candidate.path.string()),
                        to_string(one->status), one->reason);
  }
  if (num_filtered > 0 && !wanted_variable_.empty()) {
    text += fmt::format(" {} leaves out {} plugin{}.", wanted_variable_, num_filtered,
                        num_filtered == 1 ? "" : "s");
  }
  return text;
}

void PluginRegistry::raise_unknown_backend(const DeviceName& name) const {
  std::set<std::string> loaded, closed;
  {
    const std::scoped_lock lock(mutex_);
    for (const Backend* const one : listed()) {
      if (one->is_loaded()) {
        loaded.insert(one->backend);
      } else if (one->status == PluginStatus::kFound) {
        closed.insert(one->backend);
      }
    }
  }
  std::vector<std::string> searched;
  for (const auto& directory : directories_) searched.push_back(base::quote(directory.string()));
  base::raise(
      ErrorCode::kUnknownDevice,
      "[Device] no backend '{}' for device '{}': loaded backends are [{}]{}, plugins were looked "
      "for in [{}].{} Runtime::explain() says what was tried.",
      name.backend, name.to_string(), fmt::join(loaded, ", "),
      closed.empty() ? "" : fmt::format(", not opened yet [{}]", fmt::join(closed, ", ")),
      fmt::join(searched, ", "), describe_failed(name.backend));
}

}  // namespace patchbay::runtime
