// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Helpers that build kernel texts.
#ifndef PATCHBAY_KIT_PORTABLE_BASE_TEXT_HPP_
#define PATCHBAY_KIT_PORTABLE_BASE_TEXT_HPP_

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::portable {

/// "#define NAME value" as a line.
inline std::string define(std::string_view name, std::string_view value) {
  return "#define " + std::string(name) + " " + std::string(value) + "\n";
}
inline std::string define(std::string_view name, std::int64_t value) {
  return define(name, std::to_string(value));
}
/// "typedef type NAME;" as a line.
inline std::string alias(std::string_view name, std::string_view type) {
  return "typedef " + std::string(type) + " " + std::string(name) + ";\n";
}

/// The number of pieces of that size, rounded up.
constexpr std::int64_t pieces(std::int64_t size, std::int64_t piece) {
  return (size + piece - 1) / piece;
}

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_BASE_TEXT_HPP_
