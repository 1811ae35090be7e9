// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/base/status.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace patchbay::base {

patchbay_status* out_of_memory_status() noexcept {
  // Never destroyed: plugins may hold it until the process ends. Its text fits into the string
  // object, so that making it needs no memory.
  alignas(patchbay_status) static std::byte place[sizeof(patchbay_status)];
  static auto* const status =
      new (place) patchbay_status{PATCHBAY_OUT_OF_MEMORY, 0, 0, "out of memory", {}};
  return status;
}

std::string without_line_breaks(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

patchbay_status* make_status(std::int32_t code, std::string_view message, std::int64_t native_code,
                             std::uint32_t flags, std::string_view origin) noexcept {
  try {
    // A build log keeps its lines; every other message is one line.
    std::string text(message);
    if (code != PATCHBAY_BUILD_FAILED) text = without_line_breaks(std::move(text));
    return new patchbay_status{code, flags, native_code, std::move(text), std::string(origin)};
  } catch (const std::bad_alloc&) {
    return out_of_memory_status();
  }
}

void release_status(patchbay_status* status) noexcept {
  if (status != out_of_memory_status()) delete status;
}

}  // namespace patchbay::base
