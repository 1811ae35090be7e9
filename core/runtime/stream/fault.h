// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Failures that show after the call that caused them.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_FAULT_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_FAULT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "patchbay/error.h"
#include "patchbay/plugin/host.h"

namespace patchbay::runtime {

/// Why work failed. Every call that it concerns tells it in the same words.
struct Fault {
  ErrorCode code = ErrorCode::kLaunchFailed;
  std::int64_t native_code = 0;
  std::string text;               // "launch of add failed (launched by [add] on fake:0)"
  const char* way_out = nullptr;  // a sentence without its period; null: the usual one

  bool loses_device() const { return code == ErrorCode::kDeviceLost; }
};
using FaultPtr = std::shared_ptr<const Fault>;

/// Whether the status of a wait says that a submission failed, and not only the wait.
bool is_fault(const patchbay_status& status);

/// What a call says of a stream that the fault concerns, or of memory that the work was to write.
Error stream_error(const Fault& fault, std::string_view operation);
Error memory_error(const Fault& fault, std::string_view operation);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_FAULT_H_
