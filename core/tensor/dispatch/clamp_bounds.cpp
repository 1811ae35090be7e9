// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/clamp_bounds.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace patchbay::tensor {
namespace {

using Bound = std::optional<Scalar>;

/// Compares integers as such: not every 64-bit integer fits in a double.
bool is_above(const Scalar& low, const Scalar& high) {
  if (!low.is_floating() && !high.is_floating()) return low.to_int64() > high.to_int64();
  return low.to_double() > high.to_double();
}

bool is_nan(const Bound& bound) { return bound && std::isnan(bound->to_double()); }

std::string in_brackets(const Named* a) {
  return a != nullptr ? " (" + describe(*a) + ")" : std::string();
}

}  // namespace

Scalar lowest_of(DType dtype) {
  switch (dtype) {
    case DType::i32: return std::numeric_limits<std::int32_t>::min();
    case DType::i64: return std::numeric_limits<std::int64_t>::min();
    case DType::u8: return std::numeric_limits<std::uint8_t>::min();
    default: return -std::numeric_limits<double>::infinity();
  }
}
Scalar highest_of(DType dtype) {
  switch (dtype) {
    case DType::i32: return std::numeric_limits<std::int32_t>::max();
    case DType::i64: return std::numeric_limits<std::int64_t>::max();
    case DType::u8: return std::numeric_limits<std::uint8_t>::max();
    default: return std::numeric_limits<double>::infinity();
  }
}

void check_bounds(const Named* a, const Bound& low, const Bound& high) {
  if (!low && !high) {
    raise(ErrorCode::kInvalidArgument,
          "[clamp] there is no bound: expected low, high or both, got neither{}. Give one.",
          in_brackets(a));
  }
  if (is_nan(low) || is_nan(high)) {
    raise(ErrorCode::kInvalidArgument,
          "[clamp] {0} is not a number: expected a number or an infinity, got nan{1}. Leave "
          "{0} out if nothing bounds that side.",
          is_nan(low) ? "low" : "high", in_brackets(a));
  }
  if (low && high && is_above(*low, *high)) {
    raise(ErrorCode::kInvalidArgument,
          "[clamp] low is greater than high: expected low <= high, got {} and {}{}. Swap them.",
          low->to_string(), high->to_string(), in_brackets(a));
  }
}

}  // namespace patchbay::tensor
