// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/plugin_state.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include "core/runtime/plugin/arrival.h"
#include "core/base/error.h"
#include "core/runtime/plugin/guarded_call.h"
#include "core/runtime/plugin/process_end.h"
#include "core/runtime/device/runtime_state.h"
#include "core/base/status.h"
#include "core/runtime/validation/layer.h"
#include "core/runtime/plugin/vocabulary.h"

namespace patchbay {

std::string_view to_string(PluginStatus status) {
  switch (status) {
    case PluginStatus::kLoaded: return "loaded";
    case PluginStatus::kShadowed: return "shadowed";
    case PluginStatus::kFiltered: return "filtered";
    case PluginStatus::kRefused: return "refused";
    case PluginStatus::kFailed: return "failed";
    case PluginStatus::kNoDriver: return "no-driver";
    case PluginStatus::kNoDevice: return "no-device";
    case PluginStatus::kUnloaded: return "unloaded";
  }
  return "unknown";
}

namespace runtime {
namespace {

constexpr std::uint64_t kMostAlignmentBytes = std::uint64_t{1} << 21, kMostUnits = 1 << 24;

PluginStatus status_of(std::int32_t code) {
  switch (code) {
    case PATCHBAY_NO_DRIVER: return PluginStatus::kNoDriver;
    case PATCHBAY_NO_DEVICE: return PluginStatus::kNoDevice;
    default: return PluginStatus::kFailed;
  }
}

/// Errors go to `arrival`.
DeviceProperties to_properties(const patchbay_device_properties& raw, Arrival& arrival) {
  const auto can = [&raw](std::uint64_t bit) { return (raw.capabilities & bit) != 0; };
  DeviceProperties result;
  result.name = arrival.text("its name", raw.name);
  result.vendor = arrival.text("its vendor", raw.vendor);
  result.driver_version = arrival.text("its driver_version", raw.driver_version);
  result.pci_address = arrival.text("its pci_address", raw.pci_address);
  std::copy(std::begin(raw.uuid), std::end(raw.uuid), result.uuid.begin());
  result.kind = raw.kind == PATCHBAY_DEVICE_CPU ? DeviceKind::kCpu : DeviceKind::kAccelerator;
  result.f64 = can(PATCHBAY_CAN_F64);
  result.f16 = can(PATCHBAY_CAN_F16);
  result.bf16 = can(PATCHBAY_CAN_BF16);
  result.peer_access = can(PATCHBAY_CAN_PEER_ACCESS);
  result.unified_memory = can(PATCHBAY_CAN_UNIFIED_MEMORY);
  result.modules = can(PATCHBAY_CAN_MODULES);
  result.completes_inline = can(PATCHBAY_CAN_INLINE_STREAM);
  result.host_addressable = ((raw.host_addressable_kinds >> PATCHBAY_MEMORY_DEVICE) & 1) != 0;
  result.memory_total_bytes = raw.memory_total_bytes;
  result.compute_units = raw.compute_units;
  result.preferred_vector_bytes = raw.preferred_vector_bytes;
  result.sub_group_width = raw.sub_group_width;
  result.max_group_size = raw.max_group_size;
  return result;
}

void check_numbers(const patchbay_device_properties& raw, Arrival& arrival) {
  arrival.expect(raw.kind == PATCHBAY_DEVICE_CPU || raw.kind == PATCHBAY_DEVICE_ACCELERATOR,
                 "its kind is {}, expected {} or {}", raw.kind, int{PATCHBAY_DEVICE_CPU},
                 int{PATCHBAY_DEVICE_ACCELERATOR});
  const auto expect_at_most = [&](const char* what, std::uint64_t value, std::uint64_t most) {
    arrival.expect(value <= most, "its {} is {}, expected at most {}", what, value, most);
  };
  expect_at_most("memory_total_bytes", raw.memory_total_bytes, kMostMemoryBytes);
  expect_at_most("memory_free_bytes", raw.memory_free_bytes, kMostMemoryBytes);
  expect_at_most("memory_alignment_bytes", raw.memory_alignment_bytes, kMostAlignmentBytes);
  expect_at_most("compute_units", raw.compute_units, kMostUnits);
  expect_at_most("preferred_vector_bytes", raw.preferred_vector_bytes, kMostUnits);
  expect_at_most("sub_group_width", raw.sub_group_width, kMostUnits);
  expect_at_most("max_group_size", raw.max_group_size, kMostUnits);
  const std::uint64_t alignment = raw.memory_alignment_bytes;
  arrival.expect((alignment & (alignment - 1)) == 0 || alignment == 0,
                 "its memory_alignment_bytes is {}, expected a power of two", alignment);
  arrival.expect(raw.dlpack_device_type >= 0 && raw.dlpack_device_id >= 0,
                 "its DLPack device is ({}, {}), expected no negative number",
                 raw.dlpack_device_type, raw.dlpack_device_id);
}

}  // namespace

PluginState::PluginState(RuntimeState& owner, Candidate found,
                         const std::map<std::string, std::string>& own_settings)
    : runtime(owner),
      candidate(std::move(found)),
      environment(owner.environment.with(own_settings)),
      name(candidate.name),
      host(*this, environment, owner.logger, owner.thread_pool) {}

PluginState::~PluginState() { close(); }

void PluginState::finish(PluginStatus outcome, std::string why) {
  status = outcome;
  reason = std::move(why);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  reason = printable(reason);
  const LogLevel level = outcome == PluginStatus::kRefused || outcome == PluginStatus::kFailed
                             ? LogLevel::kWarning
                             : LogLevel::kInfo;
  runtime.logger.log(level, "[Runtime] plugin {} {}: {}", printable(candidate.path.string()),
                     to_string(outcome), reason);
}

void PluginState::warn_undeclared(std::string_view setting) const {
  if (!settings || is_own_setting(setting) ||
      std::find(settings->begin(), settings->end(), setting) != settings->end()) {
    return;
  }
  runtime.logger.log(LogLevel::kWarning,
                     "[{}] asks for the setting {}, which PATCHBAY_PLUGIN_SETTINGS does not have",
                     name, quote(setting));
}

void PluginState::load(const Inspection& inspection) {
  file = inspection.id;
  settings = inspection.note.settings;
  if (std::string failure = open_tables(inspection); !failure.empty()) {
    finish(PluginStatus::kFailed, std::move(failure));
    close();
    return;
  }
  if (!open_driver() || !enumerate()) {
    close();
    return;
  }
  if (runtime.validates) validation = std::make_unique<validation::Layer>(*this);
  finish(PluginStatus::kLoaded,
         fmt::format("{} device{}", devices.size(), devices.size() == 1 ? "" : "s"));
}

std::string PluginState::open_tables(const Inspection& inspection) {
  LibraryResult opened = open_library(inspection);
  if (!opened.library) return opened.failure;
  library = std::move(opened.library);
  std::string failure;
  const auto adopt = [&] { failure = adopt_tables(*library->table(), tables); };
  const std::string thrown = call_guarded("feature_name", adopt);
  if (!thrown.empty() || !failure.empty()) return thrown.empty() ? failure : thrown;
  Arrival arrival;
  const std::string own_name = arrival.text("its table's name", tables.plugin.name);
  const std::string own_backend = arrival.text("its table's backend", tables.plugin.backend);
  version = arrival.text("its table's version", tables.plugin.version);
  if (!arrival.fault().empty()) return arrival.fault();
  if (own_name != name || own_backend != backend) {
    return fmt::format("its table says plugin {}, backend {}; its note says {}, {}",
                       quote(own_name), quote(own_backend), quote(name), quote(backend));
  }
  host.agree(tables.plugin.abi_minor,
             tables.plugin.required_features | tables.plugin.optional_features);
  return {};
}

bool PluginState::open_driver() {
  const bool can_fork = ((host.table()->features >> PATCHBAY_FEATURE_FORK) & 1) != 0;
  if (!can_fork && was_open_before_fork(file)) {
    finish(PluginStatus::kFailed,
           "this process was forked after the plugin had opened its driver, which stays with the "
           "parent: fork before the first Runtime, or start another program");
    return false;
  }
  note_opening(file);
  patchbay_status* answer = nullptr;
  const std::string thrown =
      call_guarded("open", [&] { answer = tables.plugin.open(host.table(), &driver); });
  const StatusHolder failure(answer);
  if (!thrown.empty()) {
    finish(PluginStatus::kFailed, thrown);
  } else if (failure) {
    finish(status_of(failure->code), failure->message);
  } else if (driver == nullptr) {
    finish(PluginStatus::kFailed, "open gave neither a driver nor a status");
  } else {
    return true;
  }
  driver = nullptr;
  return false;
}

bool PluginState::enumerate() {
  Found found;
  patchbay_status* answer = nullptr;
  begin_enumeration(&found);
  const std::string thrown = call_guarded(
      "enumerate", [&] { answer = tables.plugin.enumerate(driver, note_device, this); });
  begin_enumeration(nullptr);
  const StatusHolder failure(answer);
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

/// Called by the plugin. After `enumerate` has returned, which the interface does not allow, it is
/// nobody's business.
void PluginState::note_device(void* user, const patchbay_device_properties* properties) {
  auto* const self = static_cast<PluginState*>(user);
  if (self == nullptr) return;
  const std::scoped_lock lock(self->enumeration_mutex_);
  Found* const found = self->enumeration_;
  if (found == nullptr || !found->bad.empty() || found->error) return;
  try {
    found->bad = properties != nullptr ? self->add_device(*properties)
                                       : "it enumerates a device without properties";
  } catch (...) {  // must not unwind through the plugin
    found->error = std::current_exception();
  }
}

std::string PluginState::add_device(const patchbay_device_properties& raw) {
  constexpr std::size_t kLeastBytes = offsetof(patchbay_device_properties, name);
  if (raw.size < kLeastBytes) {
    return fmt::format("it enumerates a device with {} bytes of properties: expected at least {}",
                       raw.size, kLeastBytes);
  }
  patchbay_device_properties known{};
  std::memcpy(&known, &raw, std::min<std::size_t>(raw.size, sizeof(known)));
  if (known.index > static_cast<std::uint32_t>(DeviceName::kMaxIndex)) {
    return fmt::format("it enumerates a device of index {}: expected 0 to {}", known.index,
                       DeviceName::kMaxIndex);
  }
  if (find_device(known.index) != nullptr) {
    return fmt::format("it enumerates two devices of index {}", known.index);
  }
  auto device = std::make_unique<DeviceState>(runtime, *this, known.index);
  device->name = {backend, static_cast<int>(known.index)};
  device->name_text = device->name.to_string();
  Arrival arrival;
  device->properties = to_properties(known, arrival);
  check_numbers(known, arrival);
  if (!arrival.fault().empty()) {
    return fmt::format("it enumerates {}: {}", device->name_text, arrival.fault());
  }
  device->host_addressable_kinds = known.host_addressable_kinds;
  device->has_addresses = (known.capabilities & PATCHBAY_CAN_ADDRESS) != 0;
  device->dlpack_device_type = known.dlpack_device_type;
  device->dlpack_device_id = known.dlpack_device_id;
  if (known.memory_alignment_bytes != 0) device->alignment_bytes = known.memory_alignment_bytes;
  device->visible = runtime.is_visible(device->name_text);
  devices.push_back(std::move(device));
  return {};
}

std::string PluginState::holders() const {
  std::string all;
  for (const auto& device : devices) {
    const std::string held = device->holders();
    if (!held.empty()) all += (all.empty() ? "" : "; ") + device->name_text + ": " + held;
  }
  return all;
}

void PluginState::heed_process_end() const {
  constexpr std::string_view kExit = PATCHBAY_EXTENSION_EXIT;
  const auto* table = static_cast<const patchbay_exit_table*>(
      tables.plugin.get_extension(driver, {kExit.data(), kExit.size()}, 1));
  if (table == nullptr || table->size < sizeof(*table) || table->stop == nullptr) return;
  stop_at_process_end(driver, *table);
}

void PluginState::close() noexcept {
  if (process_is_ending()) return;  // the library stays: see Library
  for (const auto& device : devices) device->close();
  if (driver != nullptr) {
    forget_at_process_end(driver);
    tables.plugin.close(driver);
  }
  driver = nullptr;
  library.reset();
}

DeviceState* PluginState::find_device(std::uint32_t plugin_index) const {
  for (const auto& device : devices) {
    if (device->plugin_index == plugin_index) return device.get();
  }
  return nullptr;
}

PluginInfo PluginState::info() const {
  PluginInfo result{candidate.path, name, backend, version, status, reason, {}};
  if (is_loaded()) {
    for (const auto& device : devices) result.devices.push_back(device->name_text);
  }
  return result;
}

}  // namespace runtime
}  // namespace patchbay
