// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <cstdlib>

namespace patchbay::sim {

std::string text_setting(const char* name, const char* otherwise) {
  const std::string prefix = "PATCHBAY_SIM_";
  for (const std::string& variable : {prefix + kVendor + "_" + name, prefix + name}) {
    const char* const text = std::getenv(variable.c_str());
    if (text != nullptr && *text != '\0') return text;
  }
  return otherwise;
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const std::string text = text_setting(name, "");
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

}  // namespace patchbay::sim
