// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Numbers in settings.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_SETTING_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_SETTING_HPP_

#include <charconv>
#include <string>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::cpu {

/// Throws PATCHBAY_INVALID_ARGUMENT, with the setting's name, if `text` is no such integer.
inline int parse_setting(const char* name, const std::string& text, int lowest, int highest) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < lowest || value > highest) {
    plugin::refuse_setting(
        name, "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest),
        text);
  }
  return value;
}

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_SETTING_HPP_
