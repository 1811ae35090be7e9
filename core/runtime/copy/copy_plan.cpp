// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which way a copy takes: decided by what memory can do, in one place.
#include "core/runtime/copy/copy_plan.h"

#include <tuple>

#include "core/base/error.h"
#include "core/runtime/copy/links.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"

namespace patchbay {

std::string_view to_string(Route route) {
  switch (route) {
    case Route::kNone: return "none";
    case Route::kSameDevice: return "same device";
    case Route::kHostToDevice: return "host to device";
    case Route::kDeviceToHost: return "device to host";
    case Route::kHostToHost: return "host to host";
    case Route::kPeer: return "peer";
    case Route::kStaged: return "staged";
  }
  return "unknown";
}

std::string Endpoint::name() const { return is_host() ? "host" : device_->info.name_text; }

namespace runtime {
namespace {

bool can_reach_peer(DeviceState& from, DeviceState& to) {
  return &from.plugin == &to.plugin && from.info.properties.peer_access &&
         from.plugin.tables.memory.can_access_peer(from.open(), to.open()) != 0;
}

/// Pinned memory is the host's; the other kinds are memory of the device.
bool is_same_device(const Terminal& from, const Terminal& to) {
  if (from.device == nullptr || from.device != to.device) return false;
  return from.kind == to.kind ||
         (from.kind != PATCHBAY_MEMORY_PINNED && to.kind != PATCHBAY_MEMORY_PINNED);
}

/// Whether `mover` would block on a copy from or to that memory. The caller's own is not asked
/// about: copies of it wait anyway.
bool blocks_on(const Terminal& host, const DeviceState& mover) {
  if (!mover.info.properties.pageable_copies_block || host.device == nullptr) return false;
  // A driver knows what is pinned by itself alone.
  return host.kind == PATCHBAY_MEMORY_DEVICE || &host.device->plugin != &mover.plugin;
}

std::string reason_of(Route route, const Terminal& from, const Terminal& to) {
  switch (route) {
    case Route::kNone: return "no bytes are to move";
    case Route::kSameDevice: return fmt::format("both ends are memory of {}", name_of(from));
    case Route::kHostToHost: return "the host can address both ends";
    case Route::kHostToDevice: return fmt::format("the host can't address {}", name_of(to));
    case Route::kDeviceToHost: return fmt::format("the host can't address {}", name_of(from));
    case Route::kPeer: return fmt::format("{} reaches {}", name_of(from), name_of(to));
    case Route::kStaged: break;
  }
  if (!from.host_addressable && !to.host_addressable) {
    return fmt::format("the host can address neither, and {} can't reach {}", name_of(from),
                       name_of(to));
  }
  return fmt::format("copies of pageable memory by {} block",
                     name_of(from.host_addressable ? to : from));
}

}  // namespace

Route choose_route(const Terminal& from, const Terminal& to, bool non_blocking) {
  if (is_same_device(from, to)) return Route::kSameDevice;
  if (from.host_addressable && to.host_addressable) return Route::kHostToHost;
  if (from.host_addressable || to.host_addressable) {
    const auto& [host, mover] = from.host_addressable ? std::tie(from, to) : std::tie(to, from);
    if (non_blocking && blocks_on(host, *mover.device)) return Route::kStaged;
    return from.host_addressable ? Route::kHostToDevice : Route::kDeviceToHost;
  }
  return can_reach_peer(*from.device, *to.device) ? Route::kPeer : Route::kStaged;
}

std::string name_of(const Terminal& terminal) {
  return terminal.device != nullptr ? terminal.device->info.name_text : "host";
}

void check_same_runtime(const Terminal& from, const Terminal& to, std::string_view operation) {
  if (from.device == nullptr || to.device == nullptr ||
      &from.device->runtime == &to.device->runtime) {
    return;
  }
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} and {} belong to two runtimes: copies stay within one. Go through host memory.",
        operation, name_of(from), name_of(to));
}

}  // namespace runtime

CopyPlan plan_copy(const Endpoint& from, const Endpoint& to, std::size_t size_bytes,
                   bool non_blocking) {
  const auto terminal = [](const Endpoint& place) {
    runtime::DeviceState* device = place.device_state();
    return runtime::Terminal{device, PATCHBAY_MEMORY_DEVICE,
                             device == nullptr || device->info.properties.host_addressable};
  };
  const runtime::Terminal source = terminal(from);
  const runtime::Terminal target = terminal(to);
  runtime::check_same_runtime(source, target, "plan_copy");
  CopyPlan plan;
  plan.size_bytes = size_bytes;
  if (size_bytes != 0) plan.route = runtime::choose_route(source, target, non_blocking);
  plan.reason = runtime::reason_of(plan.route, source, target);
  if (size_bytes == 0) return plan;
  plan.chunks = 1;
  plan.chunk_bytes = size_bytes;
  if (plan.route == Route::kStaged) {
    plan.legs = {{from.name(), "host"}, {"host", to.name()}};
    plan.chunk_bytes = source.device->runtime.links.chunk_bytes(from.name(), to.name(), size_bytes);
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
