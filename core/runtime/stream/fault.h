// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Failures that become known after the call that caused them.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_FAULT_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_FAULT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "patchbay/error.h"
#include "patchbay/plugin/host.h"

namespace patchbay::runtime {

struct DeviceState;

/// Why work failed. Every call that it affects reports it in the same words.
struct Fault {
  ErrorCode code = ErrorCode::kLaunchFailed;
  std::int64_t native_code = 0;
  std::string text;               // "launch of add failed (launched by [add] on fake:0)"
  const char* way_out = nullptr;  // advice without its period; null: the usual one

  bool loses_device() const { return code == ErrorCode::kDeviceLost; }
};
using FaultPtr = std::shared_ptr<const Fault>;

/// Whether the status of a wait says that a submission failed, not only the wait.
bool is_fault(const patchbay_status& status);
/// For a call that is not about a stream's earlier work, or is done when it returns: a status that
/// loses the device loses it for all. Errors: the status, unless it is null.
void check_call(DeviceState& device, patchbay_status* status, std::string_view operation);
/// Checks a call that builds a kernel as check_call does: the log of a compiler keeps its lines.
void check_build(DeviceState& device, patchbay_status* status, std::string_view operation);

/// The Error of a call that is affected by the failure of earlier work.
class FaultError final : public Error {
 public:
  FaultError(const Fault& fault, std::string_view operation, const char* way_out);
  /// The fault's text.
  const std::string& cause() const noexcept { return *cause_; }

 private:
  std::shared_ptr<const std::string> cause_;  // shared, because copies must not throw
};

/// Of a call on a stream that failed, or on memory that failed work was to write.
FaultError stream_error(const Fault& fault, std::string_view operation);
FaultError memory_error(const Fault& fault, std::string_view operation);

/// The failure of `work`, "the copy of ...", because of the error of one of its steps. The loss of
/// a device does not lose the others: `is_lost` says whether the device of the written memory is
/// lost.
Fault fault_of_step(const Error& error, std::string_view work, bool is_lost);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_FAULT_H_
