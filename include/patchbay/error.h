// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_ERROR_H_
#define PATCHBAY_ERROR_H_

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "patchbay/export.h"

namespace patchbay {

enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  // a wrong value: name, shape, axis, index, file content
  kUnknownDevice,    // a well-formed name of no device
  kDeviceMismatch,   // operands on different devices
  kDtypeMismatch,    // operands of different dtypes
  kShapeMismatch,    // shapes that do not fit together
  kOverflow,         // a size that does not fit into 64 bits
  kOutOfMemory,
  kUnsupported,    // the device or plugin lacks the operation, the dtype or the feature
  kPluginFailed,   // a plugin named in code does not load, or a plugin broke its interface
  kInUse,          // the object still has users
  kCopyForbidden,  // a copy inside a guard
  kTimedOut,       // a deadline passed
  kLaunchFailed,   // a submission to the device, or another call of its driver, failed
  kDeviceLost,     // the device and its streams can't be used any more
  kBuildFailed,    // the compiler refused a kernel text, or failed itself
  kIo,             // a file can't be read or written
  kValidation,     // misuse that validation mode found
  kInternal
};

/// The lower-case name of a code, "device_mismatch".
PATCHBAY_API std::string_view to_string(ErrorCode code);

/// The exception type of the library. Only std::bad_alloc is thrown besides, when the host has no
/// memory for the library's own data. The message is one line; that of kBuildFailed ends with the
/// compiler's log, if there is one:
/// `[operation] what is wrong: expected ..., got ... (device, shapes, dtypes). Way out.`
class PATCHBAY_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::int64_t native_code = 0,
        bool retryable = false);
  ~Error() override;

  ErrorCode code() const noexcept { return code_; }
  /// The driver's error number; 0 if there is none.
  std::int64_t native_code() const noexcept { return native_code_; }
  /// Whether the same call may succeed later.
  bool is_retryable() const noexcept { return retryable_; }

 private:
  ErrorCode code_;
  bool retryable_;
  std::int64_t native_code_;
};

}  // namespace patchbay

#endif  // PATCHBAY_ERROR_H_
