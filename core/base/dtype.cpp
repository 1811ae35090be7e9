// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/dtype.h"

#include <array>
#include <ostream>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace patchbay {

namespace {

constexpr std::array<std::pair<DType, std::string_view>, 8> kNames{{{DType::f32, "f32"},
                                                                    {DType::f64, "f64"},
                                                                    {DType::f16, "f16"},
                                                                    {DType::bf16, "bf16"},
                                                                    {DType::i32, "i32"},
                                                                    {DType::i64, "i64"},
                                                                    {DType::u8, "u8"},
                                                                    {DType::boolean, "bool"}}};

}  // namespace

std::string_view to_string(DType dtype) {
  for (const auto& [value, name] : kNames) {
    if (value == dtype) return name;
  }
  return "no dtype";
}

DType parse_dtype(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[parse_dtype] unknown dtype: expected one of f32, f64, f16, bf16, i32, i64, u8, "
                 "bool, got {}. Use one of these names.",
                 runtime::quote(name));
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << to_string(dtype); }

}  // namespace patchbay
