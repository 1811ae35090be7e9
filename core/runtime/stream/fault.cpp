// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/fault.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/status.h"

namespace patchbay::runtime {
namespace {

std::string text_of(const Fault& fault, std::string_view operation, const char* way_out) {
  if (fault.way_out != nullptr) way_out = fault.way_out;
  if (fault.loses_device()) way_out = "All that is on this device is lost: use another one";
  return fmt::format("[{}] {}. {}.", operation, fault.text, way_out);
}

}  // namespace

bool is_fault(const patchbay_status& status) {
  return status.code == PATCHBAY_LAUNCH_FAILED || (status.flags & PATCHBAY_STATUS_DEVICE_LOST) != 0;
}

FaultError::FaultError(const Fault& fault, std::string_view operation, const char* way_out)
    : Error(fault.code, text_of(fault, operation, way_out), fault.native_code),
      cause_(std::make_shared<const std::string>(fault.text)) {}

FaultError stream_error(const Fault& fault, std::string_view operation) {
  return {fault, operation, "The stream takes no more work until Stream::reset()"};
}

FaultError memory_error(const Fault& fault, std::string_view operation) {
  return {fault, operation,
          "What it was to write is lost until all of that memory is written again"};
}

Fault fault_of_step(const Error& error, std::string_view work, bool is_lost) {
  const auto* const earlier = dynamic_cast<const FaultError*>(&error);
  std::string_view cause = earlier != nullptr ? std::string_view(earlier->cause())
                                              : base::without_operation(error.what());
  if (cause.ends_with('.')) cause.remove_suffix(1);
  const bool is_elsewhere = error.code() == ErrorCode::kDeviceLost && !is_lost;
  return {is_elsewhere ? ErrorCode::kLaunchFailed : error.code(), error.native_code(),
          fmt::format("{} failed: {}", work, cause)};
}

}  // namespace patchbay::runtime
