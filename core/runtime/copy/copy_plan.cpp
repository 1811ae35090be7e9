// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chooses the route of a copy by the properties of the memory at both ends.
#include "core/runtime/copy/copy_plan.h"

#include <tuple>

#include "core/base/error.h"
#include "core/runtime/copy/host_copier.h"
#include "core/runtime/copy/links.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"

namespace patchbay {

std::string Endpoint::name() const { return is_host() ? "host" : device_->info.name_text; }

namespace runtime {
namespace {

RouteChoice choose_between_devices(DeviceState& from, DeviceState& to) {
  if (&from.plugin != &to.plugin) {
    return {Route::kStaged, "the devices belong to two plugins"};
  }
  if (!from.info.properties.peer_access) {
    return {Route::kStaged, "the source's device reaches no other"};
  }
  if (!from.plugin.tables.has_peer_copies) {
    return {Route::kStaged, "the plugin has no copies between devices"};
  }
  if (from.plugin.tables.memory.can_access_peer(from.open(), to.open()) == 0) {
    return {Route::kStaged, "the source's device can't reach the destination's"};
  }
  return {Route::kPeer, "the source's device reaches the destination's"};
}

/// Two shared chunks: from there on both legs run at the same time, faster than drivers copy
/// pageable memory.
constexpr std::size_t kLeastStagedBytes = 2 * HostCopier::kLeastSharedBytes;

/// Pinned memory is the host's; the other kinds are memory of the device.
bool is_same_device(const EndpointTraits& from, const EndpointTraits& to) {
  if (from.device == nullptr || from.device != to.device) return false;
  return from.kind == to.kind ||
         (from.kind != PATCHBAY_MEMORY_PINNED && to.kind != PATCHBAY_MEMORY_PINNED);
}

/// Whether `mover` would block on a copy from or to that memory. The caller's own is not asked
/// about: copies of it wait anyway.
bool blocks_on(const EndpointTraits& host, const DeviceState& mover) {
  if (!mover.info.properties.pageable_copies_block || host.device == nullptr) return false;
  // A driver knows what is pinned by itself alone.
  return host.kind == PATCHBAY_MEMORY_DEVICE || &host.device->plugin != &mover.plugin;
}

}  // namespace

RouteChoice choose_route(const EndpointTraits& from, const EndpointTraits& to,
                         std::size_t size_bytes, bool non_blocking) {
  if (is_same_device(from, to)) {
    return {Route::kSameDevice, "both ends are memory of one device"};
  }
  if (from.host_addressable && to.host_addressable) {
    return {Route::kHostToHost, "the host can address both ends"};
  }
  if (!from.host_addressable && !to.host_addressable) {
    return choose_between_devices(*from.device, *to.device);
  }
  const auto& [host, mover] = from.host_addressable ? std::tie(from, to) : std::tie(to, from);
  if (blocks_on(host, *mover.device)) {
    if (non_blocking) return {Route::kStaged, "copies of pageable memory would block"};
    if (size_bytes >= kLeastStagedBytes && mover.device->runtime.host_copier.shares()) {
      return {Route::kStaged, "threads share the copies of pageable memory"};
    }
  }
  if (from.host_addressable) return {Route::kHostToDevice, "the host can address the source"};
  return {Route::kDeviceToHost, "the host can address the destination"};
}

std::string name_of(const EndpointTraits& traits) {
  return traits.device != nullptr ? traits.device->info.name_text : "host";
}

void check_same_runtime(const EndpointTraits& from, const EndpointTraits& to,
                        std::string_view operation) {
  if (from.device == nullptr || to.device == nullptr ||
      &from.device->runtime == &to.device->runtime) {
    return;
  }
  base::raise(
      ErrorCode::kInvalidArgument,
      "[{}] {} and {} belong to two runtimes: copies stay within one. Go through host memory.",
      operation, name_of(from), name_of(to));
}

}  // namespace runtime

CopyPlan plan_copy(const Endpoint& from, const Endpoint& to, std::size_t size_bytes,
                   bool non_blocking) {
  const auto traits_of = [](const Endpoint& endpoint) {
    runtime::DeviceState* device = endpoint.device_state();
    if (device != nullptr) device->check_home("plan_copy");
    return runtime::EndpointTraits{device, PATCHBAY_MEMORY_DEVICE,
                                   device == nullptr || device->info.properties.host_addressable};
  };
  const runtime::EndpointTraits source = traits_of(from);
  const runtime::EndpointTraits target = traits_of(to);
  runtime::check_same_runtime(source, target, "plan_copy");
  CopyPlan plan;
  plan.size_bytes = size_bytes;
  plan.reason = "there are no bytes to move";
  if (size_bytes == 0) return plan;
  const auto choose = [&] {
    return runtime::choose_route(source, target, size_bytes, non_blocking);
  };
  const auto choose_with_plugin = [&] {  // which is not unloaded meanwhile
    const auto call = source.device->enter("plan_copy");
    return choose();
  };
  const runtime::RouteChoice choice = source.device != nullptr ? choose_with_plugin() : choose();
  plan.route = choice.route;
  plan.reason = choice.reason;
  plan.chunks = 1;
  plan.chunk_bytes = size_bytes;
  if (plan.route == Route::kStaged) {
    plan.legs = {{from.name(), "host"}, {"host", to.name()}};
    const runtime::RuntimeState& runtime = source.device->runtime;
    plan.chunk_bytes = runtime.links.chunk_bytes(
        from.name(), to.name(), size_bytes,
        runtime.host_copier.chunk_bytes(source.host_addressable || target.host_addressable));
    plan.chunks = (size_bytes + plan.chunk_bytes - 1) / plan.chunk_bytes;
  } else {
    plan.legs = {{from.name(), to.name()}};
  }
  if (source.device == nullptr && target.device == nullptr) return plan;
  const runtime::DeviceState& device = source.device != nullptr ? *source.device : *target.device;
  const auto link = device.runtime.links.find(from.name(), to.name());
  if (link && link->bytes_per_second > 0) {
    plan.seconds = link->latency_seconds + static_cast<double>(size_bytes) / link->bytes_per_second;
  }
  return plan;
}

}  // namespace patchbay
