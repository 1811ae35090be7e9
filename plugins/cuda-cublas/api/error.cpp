// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/api/error.hpp"

namespace patchbay::cuda {

std::string describe(const DriverTable& driver, std::string_view entry, Result code) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.error_name(code, &name);
  driver.error_text(code, &text);
  std::string words(entry);
  words += ": ";
  words += name != nullptr ? name : "error " + std::to_string(code);
  if (text != nullptr) words.append(" (").append(text).append(")");
  return words;
}

bool loses_device(Result code) {
  switch (code) {
    case kErrorEccUncorrectable:
    case kErrorNvlinkUncorrectable:
    case kErrorIllegalAddress:
    case kErrorLaunchTimeout:
    case kErrorContextIsDestroyed:
    case kErrorAssert:
    case kErrorHardwareStackError:
    case kErrorIllegalInstruction:
    case kErrorMisalignedAddress:
    case kErrorInvalidAddressSpace:
    case kErrorInvalidPc:
    case kErrorLaunchFailed:
    case kErrorContained:
    case kErrorTensorMemoryLeak:
    case kErrorMpsClientTerminated:
    case kErrorExternalDevice: return true;
    default: return false;
  }
}

void check(const DriverTable& driver, std::string_view entry, Result code, std::string_view log) {
  if (code == kSuccess) return;
  const std::string noted = log.empty() ? "" : ": " + std::string(log);
  const bool no_memory = code == kErrorOutOfMemory;
  throw plugin::StatusError(no_memory ? PATCHBAY_OUT_OF_MEMORY : PATCHBAY_DRIVER_ERROR,
                            describe(driver, entry, code) + noted, code,
                            no_memory ? std::uint32_t{PATCHBAY_STATUS_RETRYABLE} : 0);
}

}  // namespace patchbay::cuda
