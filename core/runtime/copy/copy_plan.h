// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_COPY_COPY_PLAN_H_
#define PATCHBAY_CORE_RUNTIME_COPY_COPY_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/copy.h"

namespace patchbay::runtime {

/// What a route is chosen by. Host memory has no device.
struct Terminal {
  DeviceState* device = nullptr;
  std::uint32_t kind = 0;
  bool host_addressable = true;
};

/// For bytes that are to move; never kNone. A copy that is to return at once goes through pinned
/// memory where the driver would block on host memory that is pageable.
Route choose_route(const Terminal& from, const Terminal& to, bool non_blocking);
/// The device's name, or "host".
std::string name_of(const Terminal& terminal);
void check_same_runtime(const Terminal& from, const Terminal& to, std::string_view operation);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_COPY_PLAN_H_
