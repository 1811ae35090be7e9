// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/device_state.h"

#include <utility>

#include "core/base/error.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"

namespace patchbay::runtime {

DeviceState::DeviceState(RuntimeState& owner, PluginState& maker, const DeviceInfo& described)
    : home(owner.home), runtime(owner), plugin(maker), info(described) {}

struct DeviceState::Holder {
  const std::shared_ptr<RuntimeState> runtime;
};

std::shared_ptr<DeviceState> DeviceState::shared() {
  const std::scoped_lock lock(holder_mutex_);
  std::shared_ptr<Holder> holder = holder_.lock();
  if (holder == nullptr) {
    holder = std::make_shared<Holder>(Holder{runtime.shared_from_this()});
    holder_ = holder;
  }
  return {std::move(holder), this};
}

bool DeviceState::has_handles() const {
  const std::scoped_lock lock(holder_mutex_);
  return !holder_.expired();
}

CallGate::Call DeviceState::enter(std::string_view operation) const {
  check_home(operation);
  return CallGate::Call(plugin.calls, [this] { raise_gone(); });
}

/// Streams made during a trace or a profile measure times.
std::uint32_t DeviceState::stream_flags(std::uint32_t wanted) const {
  if (!info.properties.stream_priorities)
    wanted &= ~std::uint32_t{PATCHBAY_STREAM_LOW | PATCHBAY_STREAM_HIGH};
  return runtime.tracing.is_on() ? wanted | PATCHBAY_STREAM_TIMES : wanted;
}

bool DeviceState::caches_memory() const {
  // Blocks are cut from larger ones at multiples of 256 bytes.
  constexpr std::size_t kMostAlignmentBytes = 256;
  return !runtime.validates && info.alignment_bytes <= kMostAlignmentBytes &&
         runtime.environment.get("memory_cache") != "off";
}

void DeviceState::raise_gone() const {
  raise(ErrorCode::kUnknownDevice, "[Device] device '{}' is gone: its plugin '{}' was unloaded.",
        info.name_text, plugin.name);
}

}  // namespace patchbay::runtime
