// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/api/entries.hpp"

namespace patchbay::card {

std::string describe(const Api& api, std::string_view entry, Result code) {
  return std::string(entry) + ": " + api.describe(code);
}

void check(const Api& api, std::string_view entry, Result code, std::string_view log) {
  if (code == kSuccess) return;
  const std::string noted = log.empty() ? "" : ": " + std::string(log);
  const bool no_memory = code == kErrorOutOfMemory;
  throw plugin::StatusError(no_memory ? PATCHBAY_OUT_OF_MEMORY : PATCHBAY_DRIVER_ERROR,
                            describe(api, entry, code) + noted, code,
                            no_memory ? std::uint32_t{PATCHBAY_STATUS_RETRYABLE} : 0);
}

}  // namespace patchbay::card
