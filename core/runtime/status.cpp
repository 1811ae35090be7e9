// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/status.h"

#include <algorithm>
#include <new>

namespace patchbay::runtime {

patchbay_status* out_of_memory_status() noexcept {
  // Made when the first runtime is, and never destroyed: plugins may hold it until the process
  // ends.
  static auto* const status =
      new patchbay_status{PATCHBAY_OUT_OF_MEMORY, 0, 0, "out of memory", {}};
  return status;
}

patchbay_status* make_status(std::int32_t code, std::string_view message, std::int64_t native_code,
                             std::uint32_t flags, std::string_view origin) noexcept {
  try {
    auto* status =
        new patchbay_status{code, flags, native_code, std::string(message), std::string(origin)};
    // A build log keeps its lines; every other message is one line.
    if (code != PATCHBAY_BUILD_FAILED) {
      std::replace(status->message.begin(), status->message.end(), '\n', ' ');
    }
    return status;
  } catch (const std::bad_alloc&) {
    return out_of_memory_status();
  }
}

void release_status(patchbay_status* status) noexcept {
  if (status != out_of_memory_status()) delete status;
}

}  // namespace patchbay::runtime
