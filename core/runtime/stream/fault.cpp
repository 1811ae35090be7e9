// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/fault.h"

#include <fmt/format.h>

#include "core/base/status.h"

namespace patchbay::runtime {
namespace {

Error error_of(const Fault& fault, std::string_view operation, const char* way_out) {
  if (fault.way_out != nullptr) way_out = fault.way_out;
  if (fault.loses_device()) way_out = "All that is on this device is lost: use another one";
  return {fault.code, fmt::format("[{}] {}. {}.", operation, fault.text, way_out),
          fault.native_code, false};
}

}  // namespace

bool is_fault(const patchbay_status& status) {
  return status.code == PATCHBAY_LAUNCH_FAILED || (status.flags & PATCHBAY_STATUS_DEVICE_LOST) != 0;
}

Error stream_error(const Fault& fault, std::string_view operation) {
  return error_of(fault, operation, "The stream takes no more work until Stream::reset()");
}

Error memory_error(const Fault& fault, std::string_view operation) {
  return error_of(fault, operation,
                  "What it was to write is lost until all of that memory is written again");
}

}  // namespace patchbay::runtime
