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
  kInvalidArgument,  // a value that can never be right: name, shape, axis, index, file content
  kUnknownDevice,    // a well-formed device name that nothing answers to
  kDeviceMismatch,   // operands on different devices
  kDtypeMismatch,    // operands of different dtypes
  kShapeMismatch,    // shapes that do not fit together
  kOverflow,         // a size that does not fit into 64 bits
  kOutOfMemory,
  kUnsupported,    // the device or plugin lacks the operation, the dtype or the feature
  kPluginFailed,   // a plugin named in code does not load, or a plugin broke its interface
  kInUse,          // what is to be unloaded still has holders
  kCopyForbidden,  // a copy inside a guard
  kTimedOut,       // a deadline passed
  kLaunchFailed,   // the device refused or failed a submission
  kDeviceLost,     // the device is gone, with all its streams
  kBuildFailed,    // kernel source was refused
  kIo,             // a file can't be read or written
  kValidation,     // misuse that validation mode has found
  kInternal
};

/// The lower-case name of a code, "device_mismatch".
PATCHBAY_API std::string_view to_string(ErrorCode code);

/// The one exception type of the library, beside std::bad_alloc when the host has no memory left
/// for the library's own bookkeeping. The message is one line (but for kBuildFailed, which ends
/// with the compiler's log):
/// `[operation] what is wrong: expected ..., got ... (device, shapes, dtypes). Way out.`
class PATCHBAY_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::int64_t native_code = 0,
        bool retryable = false);
  ~Error() override;

  ErrorCode code() const noexcept { return code_; }
  /// The driver's own number, 0 if there is none.
  std::int64_t native_code() const noexcept { return native_code_; }
  bool is_retryable() const noexcept { return retryable_; }

 private:
  ErrorCode code_;
  bool retryable_;
  std::int64_t native_code_;
};

}  // namespace patchbay

#endif  // PATCHBAY_ERROR_H_
