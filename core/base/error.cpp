// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"

#include "patchbay/handle.h"

#include "core/base/status.h"

namespace patchbay {

void runtime::raise_moved_from(const char* type) {
  base::raise(ErrorCode::kInvalidArgument,
              "[{0}] this {0} was moved from, and holds nothing. Use the one that it was moved to.",
              type);
}

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid_argument";
    case ErrorCode::kUnknownDevice: return "unknown_device";
    case ErrorCode::kDeviceMismatch: return "device_mismatch";
    case ErrorCode::kDtypeMismatch: return "dtype_mismatch";
    case ErrorCode::kShapeMismatch: return "shape_mismatch";
    case ErrorCode::kOverflow: return "overflow";
    case ErrorCode::kOutOfMemory: return "out_of_memory";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kPluginFailed: return "plugin_failed";
    case ErrorCode::kInUse: return "in_use";
    case ErrorCode::kCopyForbidden: return "copy_forbidden";
    case ErrorCode::kTimedOut: return "timed_out";
    case ErrorCode::kLaunchFailed: return "launch_failed";
    case ErrorCode::kDeviceLost: return "device_lost";
    case ErrorCode::kBuildFailed: return "build_failed";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kValidation: return "validation";
    case ErrorCode::kInternal: return "internal";
  }
  return "unknown";
}

Error::Error(ErrorCode code, const std::string& message, std::int64_t native_code, bool retryable)
    : std::runtime_error(message), code_(code), retryable_(retryable), native_code_(native_code) {}

Error::~Error() = default;

namespace base {
std::string_view without_operation(std::string_view text) {
  const std::size_t end = text.find("] ");
  return text.starts_with('[') && end != std::string_view::npos ? text.substr(end + 2) : text;
}

ErrorCode code_of(const patchbay_status& status) {
  if ((status.flags & PATCHBAY_STATUS_DEVICE_LOST) != 0) return ErrorCode::kDeviceLost;
  switch (status.code) {
    case PATCHBAY_INVALID_ARGUMENT: return ErrorCode::kInvalidArgument;
    case PATCHBAY_OUT_OF_MEMORY: return ErrorCode::kOutOfMemory;
    case PATCHBAY_UNSUPPORTED: return ErrorCode::kUnsupported;
    case PATCHBAY_TIMED_OUT: return ErrorCode::kTimedOut;
    case PATCHBAY_LAUNCH_FAILED:
    case PATCHBAY_DRIVER_ERROR: return ErrorCode::kLaunchFailed;
    case PATCHBAY_BUILD_FAILED: return ErrorCode::kBuildFailed;
    case PATCHBAY_IO_FAILED: return ErrorCode::kIo;
    default: return ErrorCode::kInternal;
  }
}

void raise_status(patchbay_status* status, std::string_view operation, std::string_view where) {
  if (status->code == PATCHBAY_BUILD_FAILED) {
    status->message = without_line_breaks(std::move(status->message));
  }
  raise_build_status(status, operation, where);
}

void raise_build_status(patchbay_status* status, std::string_view operation,
                        std::string_view where) {
  const StatusHolder holder(status);
  if (status->code == kValidationCode) throw Error(ErrorCode::kValidation, status->message);
  std::string text = fmt::format("[{}] {} ({}", operation, status->message, where);
  if (status->native_code != 0) text += fmt::format(", driver code {}", status->native_code);
  throw Error(code_of(*status), text + ")", status->native_code,
              (status->flags & PATCHBAY_STATUS_RETRYABLE) != 0);
}

}  // namespace base
}  // namespace patchbay
