// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/registry/backend.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/runtime/device/runtime_state.h"
#include "core/runtime/search/arrival.h"
#include "core/runtime/validation/layer.h"

namespace patchbay::runtime {
namespace {

/// Stands before the plugin's `open_device` where the runtime validates. The driver can't tell
/// which runtime that is: the drivers of two plugins or runtimes may have one address. The device
/// that this thread opens can.
patchbay_status* open_validated(patchbay_driver* /*driver*/, std::uint32_t index,
                                patchbay_device** device) {
  return DeviceAssembly::opening()->plugin.layer->open_device(index, device);
}

}  // namespace

Backend::~Backend() { close_all(); }

void Backend::open(const Inspection& inspection, RuntimeState& runtime,
                   const VisibleDevices& visible_devices) {
  load(inspection);
  if (!is_loaded()) return;
  if (runtime.validates) {
    layer = std::make_unique<validation::Layer>(*this);
    tables.plugin.open_device = open_validated;
  }
  for (const auto& info : devices) {
    assemblies.push_back(std::make_unique<DeviceAssembly>(runtime, *this, *info,
                                                          visible_devices.shows(info->name_text)));
  }
  is_assembled_.store(true, std::memory_order_release);
}

DeviceAssembly* Backend::find(std::uint32_t plugin_index) const {
  if (!is_assembled_.load(std::memory_order_acquire)) return nullptr;
  for (const auto& device : assemblies) {
    if (device->info.plugin_index == plugin_index) return device.get();
  }
  return nullptr;
}

patchbay_memory Backend::allocate_scratch(std::uint32_t device_index, std::uint64_t size_bytes) {
  DeviceAssembly* const device = find(device_index);
  if (device == nullptr) return PluginFile::allocate_scratch(device_index, size_bytes);
  return device->allocator->allocate_scratch(size_bytes);
}

void Backend::free_scratch(std::uint32_t device_index, patchbay_memory memory) noexcept {
  if (DeviceAssembly* const device = find(device_index)) device->free_scratch(memory);
}

std::string Backend::holders() const {
  std::string all;
  for (const auto& device : assemblies) {
    const std::string held = device->holders();
    if (!held.empty()) all += (all.empty() ? "" : "; ") + device->info.name_text + ": " + held;
  }
  return all;
}

std::string Backend::device_list() const {
  std::vector<std::string> names;
  for (const auto& device : assemblies) {
    names.push_back(device->info.name_text + (device->visible ? "" : " (hidden)"));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string Backend::explain() const {
  std::string text =
      fmt::format("  {} {}: {}\n", printable(candidate.path.string()), to_string(status), reason);
  if (probe == ProbeOrigin::kKept) text += "    judged by an earlier probe of the same files\n";
  if (!changes.empty()) {
    text += fmt::format("    opening it changes of the process: {}\n",
                        printable(fmt::format("{}", fmt::join(changes, ", "))));
  }
  if (!is_loaded()) return text;
  for (const auto& device : assemblies) {
    text += fmt::format("    {} {}: {}{}\n", device->info.name_text,
                        to_string(device->info.properties.kind), device->info.properties.name,
                        device->visible ? "" : " (hidden by the list of visible devices)");
  }
  return text;
}

bool Backend::is_wanted() const {
  if (layer != nullptr && layer->has_report()) return true;
  return std::any_of(assemblies.begin(), assemblies.end(),
                     [](const auto& device) { return device->has_handles(); });
}

void Backend::close_all() noexcept {
  if (process_is_ending()) return;  // no plugin is called any more
  calls.end();
  const CallGate::Call inside(calls);
  for (const auto& device : assemblies) device->end_use();
  for (const auto& device : assemblies) device->close();
  close();
  for (const auto& device : assemblies) device->free_lists();
}

}  // namespace patchbay::runtime
