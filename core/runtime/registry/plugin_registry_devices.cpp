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
  return result;
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
    open_found(name.backend);
    backend = find_loaded(name.backend);
    // Another thread may have unloaded the plugin already: then the next of the backend is opened.
    if (!has_found(name.backend) || !opened_by_this_thread(&runtime_).empty()) break;
  }
  if (backend == nullptr) check_can_open(name);
  return backend;
}

DeviceAssembly& PluginRegistry::find_in(const Backend& backend, const DeviceName& name) const {
  DeviceAssembly* const device = backend.find(static_cast<std::uint32_t>(name.index));
  if (device == nullptr) {
    raise(ErrorCode::kUnknownDevice,
          "[Device] no device '{}': backend '{}' has {} device{} ({}). Use one of these.",
          name.to_string(), name.backend, backend.devices.size(),
          backend.devices.size() == 1 ? "" : "s", backend.device_list());
  }
  if (!device->visible) {
    raise(ErrorCode::kUnknownDevice,
          "[Device] device '{}' is hidden: visible are [{}]. Add it to PATCHBAY_VISIBLE_DEVICES "
          "or RuntimeOptions::visible_devices.",
          name.to_string(), fmt::join(visible_devices_.names(), ", "));
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
  raise(ErrorCode::kUnknownDevice,
        "[Device] no CPU device is visible: expected one for what names no device, visible are "
        "[{}]. Name a device, or add a CPU device to PATCHBAY_VISIBLE_DEVICES or "
        "RuntimeOptions::visible_devices.",
        fmt::join(visible_devices_.names(), ", "));
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
  check_can_open(name);
  std::vector<std::string> names;
  for (const DeviceState* device : accelerators) names.push_back(device->info.name_text);
  raise(ErrorCode::kUnknownDevice,
        "[Device] no device {}: {} accelerator{} found{}. Runtime::explain() says what was "
        "tried; try_gpu({}) falls back to a CPU device.",
        quote(text), names.size(), names.size() == 1 ? "" : "s",
        names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", ")), name.index);
}

bool PluginRegistry::has_found(std::string_view backend) const {
  const std::scoped_lock lock(mutex_);
  return std::any_of(backends_.begin(), backends_.end(), [backend](const auto& one) {
    return one->status == PluginStatus::kFound && (backend.empty() || one->backend == backend);
  });
}

void PluginRegistry::check_can_open(const DeviceName& name) const {
  const std::string opened = opened_by_this_thread(&runtime_);
  if (opened.empty() || !has_found(name.backend == "gpu" ? "" : name.backend)) return;
  raise(ErrorCode::kInUse,
        "[Device] this thread is opening or closing {}, which logged a line: expected inside the "
        "log sink a device whose plugin is open, got '{}'. Use it afterwards.",
        opened, name.to_string());
}

void PluginRegistry::raise_unknown_backend(const DeviceName& name) const {
  std::set<std::string> loaded, closed;
  std::string why;
  {
    const std::scoped_lock lock(mutex_);
    for (const Backend* const one : listed()) {
      if (one->is_loaded()) {
        loaded.insert(one->backend);
      } else if (one->status == PluginStatus::kFound) {
        closed.insert(one->backend);
      } else if (one->backend == name.backend) {
        why += fmt::format(" Plugin {} is {}: {}.", quote(one->candidate.path.string()),
                           to_string(one->status), one->reason);
      }
    }
  }
  std::vector<std::string> searched;
  for (const auto& directory : directories_) searched.push_back(quote(directory.string()));
  raise(ErrorCode::kUnknownDevice,
        "[Device] no backend '{}' for device '{}': loaded backends are [{}]{}, plugins were looked "
        "for in [{}].{} Runtime::explain() says what was tried.",
        name.backend, name.to_string(), fmt::join(loaded, ", "),
        closed.empty() ? "" : fmt::format(", not opened yet [{}]", fmt::join(closed, ", ")),
        fmt::join(searched, ", "), why);
}

}  // namespace patchbay::runtime
