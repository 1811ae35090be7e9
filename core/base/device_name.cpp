// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <string_view>

#include "patchbay/device.h"

#include "core/base/error.h"

namespace patchbay {
namespace {

[[noreturn]] void raise_bad_name(std::string_view text, std::string_view why) {
  base::raise(ErrorCode::kInvalidArgument,
              "[Device] bad device name {}: {}. A valid one is 'cpu:0'.", base::quote(text), why);
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int parse_index(std::string_view text, std::string_view digits) {
  if (digits.empty()) raise_bad_name(text, "there is no index after ':'");
  int index = 0;
  for (const char c : digits) {
    if (!is_digit(c)) {
      raise_bad_name(text, "expected a decimal index after ':', got " + base::quote(digits));
    }
    index = index * 10 + (c - '0');
    if (index > DeviceName::kMaxIndex) raise_bad_name(text, "expected an index from 0 to 255");
  }
  if (digits.size() > 1 && digits.front() == '0') {
    raise_bad_name(text, "expected an index without leading zeros");
  }
  return index;
}

}  // namespace

DeviceName DeviceName::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view backend = text.substr(0, colon);
  if (text.empty()) raise_bad_name(text, "it is empty");
  if (backend.empty()) raise_bad_name(text, "expected a backend before ':'");
  if (!is_lower(backend.front())) {
    raise_bad_name(text, "expected a backend that begins with a lower-case letter");
  }
  for (const char c : backend) {
    if (!is_lower(c) && !is_digit(c) && c != '_') {
      raise_bad_name(text, "expected a backend of lower-case letters, digits and '_'");
    }
  }
  if (colon == std::string_view::npos) return {std::string(backend), 0};
  return {std::string(backend), parse_index(text, text.substr(colon + 1))};
}

std::string DeviceName::to_string() const { return fmt::format("{}:{}", backend, index); }

}  // namespace patchbay
