// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/device_state.h"

#include <ostream>
#include <utility>

#include "patchbay/device.h"
#include "patchbay/interop.h"
#include "patchbay/runtime.h"

#include "core/base/error.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/loader.h"
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

bool DeviceState::is_callable() const noexcept { return !process_is_ending() && home.is_here(); }

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
  base::raise(ErrorCode::kUnknownDevice,
              "[Device] device '{}' is gone: its plugin '{}' was unloaded.", info.name_text,
              plugin.name);
}

}  // namespace patchbay::runtime

namespace patchbay {

std::string_view to_string(DeviceKind kind) {
  return kind == DeviceKind::kCpu ? "cpu" : "accelerator";
}

void Device::raise_undefined() {
  base::raise(ErrorCode::kInvalidArgument,
              "[Device] the device is undefined: the handle was default-constructed or moved "
              "from. Name one, for example Device(\"cpu:0\").");
}

const std::string& Device::name() const { return state().info.name_text; }
const std::string& Device::backend() const { return state().info.name.backend; }
int Device::index() const { return state().info.name.index; }
DeviceKind Device::kind() const { return state().info.properties.kind; }
const DeviceProperties& Device::properties() const { return state().info.properties; }

Runtime Device::runtime() const { return Runtime(state().runtime.shared_from_this()); }

PluginExtension plugin_extension(const Device& device, std::string_view name,
                                 std::uint32_t version) {
  runtime::DeviceState& state = device.state();
  if (name.find('.') == std::string_view::npos) {
    base::raise(ErrorCode::kInvalidArgument,
                "[plugin_extension] {}: expected a name of the plugin's own, which has a '.' in "
                "it, as 'mine.counters' ({}).",
                base::quote(name), state.info.name_text);
  }
  const auto call = state.enter("plugin_extension");
  patchbay_device* const opened = state.open("plugin_extension");
  const void* const table = state.plugin.extension(name, 0, state.info.plugin_index, version);
  const auto& layer = state.plugin.layer;
  if (table != nullptr) return {table, layer != nullptr ? layer->own_device(opened) : opened};
  base::raise(ErrorCode::kUnsupported,
              "[plugin_extension] the plugin '{}' has no extension {} of version {} ({}). Its "
              "documentation says which it has.",
              state.plugin.name, base::quote(name), version, state.info.name_text);
}

std::ostream& operator<<(std::ostream& out, const Device& device) {
  return out << (device.defined() ? std::string_view(device.name()) : "undefined");
}

}  // namespace patchbay
