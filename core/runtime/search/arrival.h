// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Checks a plugin's values where they arrive: texts, sizes, numbers and objects. An error becomes
// the reason why the plugin does not load.
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_ARRIVAL_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_ARRIVAL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "patchbay/plugin/types.h"

namespace patchbay::runtime {

/// The longest texts accepted: names and versions, and other texts (a compiler's log).
inline constexpr std::uint64_t kMostNameBytes = 4096, kMostTextBytes = std::uint64_t{16} << 20;
/// More than any device or machine has.
inline constexpr std::uint64_t kMostMemoryBytes = std::uint64_t{1} << 56;

/// Why the text can't be read; empty if it can.
std::string find_text_fault(patchbay_string text, std::uint64_t most_bytes);
/// The text, or the reason why it can't be read, in brackets.
std::string readable(patchbay_string text, std::uint64_t most_bytes = kMostTextBytes);
/// The text as one line of UTF-8. Control characters and invalid bytes are escaped.
std::string printable(std::string_view text);
/// A compiler's log as UTF-8, with its line breaks; other control characters are escaped.
std::string printable_lines(std::string_view text);

/// Checks the values of one struct and keeps the first error.
class Arrival {
 public:
  /// The printable text; empty if unreadable. `what` names it: "its version".
  std::string text(std::string_view what, patchbay_string given);
  template <class... Args>
  void expect(bool is_right, fmt::format_string<Args...> fault, Args&&... args) {
    if (!is_right && fault_.empty()) fault_ = fmt::format(fault, std::forward<Args>(args)...);
  }
  /// Empty if all values are valid.
  const std::string& fault() const { return fault_; }

 private:
  std::string fault_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_ARRIVAL_H_
