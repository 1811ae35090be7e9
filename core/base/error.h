// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Throwing Error, with text that is built only on failure.
#ifndef PATCHBAY_CORE_BASE_ERROR_H_
#define PATCHBAY_CORE_BASE_ERROR_H_

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "patchbay/error.h"
#include "patchbay/plugin/host.h"

namespace patchbay::runtime {

template <class... Args>
[[noreturn, gnu::cold, gnu::noinline]] void raise(ErrorCode code,
                                                  fmt::format_string<Args...> format,
                                                  Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

ErrorCode code_of(const patchbay_status& status);

/// Throws the Error that a plugin's status says, and drops the status: `[operation] message
/// (where)`.
[[noreturn, gnu::cold]] void raise_status(patchbay_status* status, std::string_view operation,
                                          std::string_view where);

inline void check(patchbay_status* status, std::string_view operation, std::string_view where) {
  if (status != nullptr) [[unlikely]]
    raise_status(status, operation, where);
}

/// Text of the user's with its control characters escaped.
std::string one_line(std::string_view text);
/// The same for an error message, in quotes: control characters escaped, so that the message stays
/// one line, and cut if long.
std::string quote(std::string_view text);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_BASE_ERROR_H_
