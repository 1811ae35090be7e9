// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Cache keys for things made from a text, such as compiled kernels.
#ifndef PATCHBAY_KIT_TEXT_HASH_HPP_
#define PATCHBAY_KIT_TEXT_HASH_HPP_

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace patchbay {

/// 32 hexadecimal digits, the same for the same text.
inline std::string text_hash(std::string_view text) {
  // Two 64-bit FNV-1a hashes from different starts, with a final mix.
  std::string digits;
  for (std::uint64_t hash : {UINT64_C(0xcbf29ce484222325), UINT64_C(0x9e3779b97f4a7c15)}) {
    for (const char c : text) {
      hash = (hash ^ static_cast<unsigned char>(c)) * UINT64_C(0x100000001b3);
      hash ^= hash >> 29;
    }
    char buffer[20];
    std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(hash));
    digits += buffer;
  }
  return digits;
}

}  // namespace patchbay

#endif  // PATCHBAY_KIT_TEXT_HASH_HPP_
