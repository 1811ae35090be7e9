// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Throws Error; builds the text only on failure.
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

/// Errors: kInvalidArgument, always. For a value that the enum does not have.
template <class Enum>
[[noreturn, gnu::cold]] void raise_not_in_enum(std::string_view operation, const char* what,
                                               const char* type, Enum value) {
  raise(ErrorCode::kInvalidArgument,
        "[{}] no such {}: expected one of the enum {}, got {}. Choose one of these.", operation,
        what, type, static_cast<int>(value));
}

/// The same if the value lies above the last one of the enum.
template <class Enum>
void check_in_enum(std::string_view operation, const char* what, const char* type, Enum value,
                   Enum last) {
  if (value > last) [[unlikely]]
    raise_not_in_enum(operation, what, type, value);
}

ErrorCode code_of(const patchbay_status& status);

/// Throws a plugin's status as an Error, `[operation] message (where)`, and releases the status.
[[noreturn, gnu::cold]] void raise_status(patchbay_status* status, std::string_view operation,
                                          std::string_view where);

/// The same for an entry that compiles: the message may have the lines of a compiler's log.
[[noreturn, gnu::cold]] void raise_build_status(patchbay_status* status, std::string_view operation,
                                                std::string_view where);

inline void check(patchbay_status* status, std::string_view operation, std::string_view where) {
  if (status != nullptr) [[unlikely]]
    raise_status(status, operation, where);
}

/// The text of an Error without its `[operation] `.
std::string_view without_operation(std::string_view text);
/// The user's text with control characters escaped.
std::string one_line(std::string_view text);
/// Quotes text for an error message: escapes control characters and cuts long text.
std::string quote(std::string_view text);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_BASE_ERROR_H_
