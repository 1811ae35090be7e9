// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Throws Error; builds the text only on failure.
#ifndef PATCHBAY_CORE_BASE_ERROR_H_
#define PATCHBAY_CORE_BASE_ERROR_H_

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "patchbay/error.h"
#include "patchbay/plugin/host.h"

namespace patchbay::base {

/// A value as texts have it: the sign of a NaN has no meaning.
template <class T>
decltype(auto) printed(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value != value ? std::numeric_limits<T>::quiet_NaN() : value;
  } else {
    return (value);
  }
}

template <class... Args>
[[noreturn, gnu::cold, gnu::noinline]] void raise(ErrorCode code,
                                                  fmt::format_string<Args...> format,
                                                  Args&&... args) {
  const auto text = [&](const auto&... values) {
    return fmt::vformat(format, fmt::make_format_args(values...));
  };
  throw Error(code, text(printed(args)...));
}

/// Errors: kInvalidArgument, always. For a value that the enum does not have.
template <class Enum>
[[noreturn, gnu::cold]] void raise_not_in_enum(std::string_view operation, const char* what,
                                               const char* type, Enum value) {
  raise(ErrorCode::kInvalidArgument,
        "[{}] no such {}: expected one of the enum {}, got {}. Choose one of these.", operation,
        what, type, static_cast<int>(value));
}

/// Throws kInvalidArgument if the value lies above the last one of the enum.
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

/// Throws the status of an entry that compiles: the message may have the lines of a compiler's log.
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

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_ERROR_H_
