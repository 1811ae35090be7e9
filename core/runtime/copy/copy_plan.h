// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_COPY_COPY_PLAN_H_
#define PATCHBAY_CORE_RUNTIME_COPY_COPY_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/copy.h"

namespace patchbay::runtime {

/// The properties that a route is chosen by. Host memory has no device.
struct EndpointTraits {
  DeviceState* device = nullptr;
  std::uint32_t kind = 0;
  bool host_addressable = true;
};

struct RouteChoice {
  Route route;
  std::string_view reason;
};

/// The route for a copy of at least one byte; never kNone. If the driver would block on pageable
/// host memory, a non-blocking copy is staged, and so is a large one whose chunks threads share.
RouteChoice choose_route(const EndpointTraits& from, const EndpointTraits& to,
                         std::size_t size_bytes, bool non_blocking);
/// The device's name, or "host".
std::string name_of(const EndpointTraits& traits);
void check_same_runtime(const EndpointTraits& from, const EndpointTraits& to,
                        std::string_view operation);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_COPY_PLAN_H_
