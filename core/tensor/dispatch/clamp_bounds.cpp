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
  if (low.is_floating() || high.is_floating()) return low.to_double() > high.to_double();
  const bool low_is_negative = low.to_double() < 0, high_is_negative = high.to_double() < 0;
  if (low_is_negative != high_is_negative) return high_is_negative;
  // Among integers of one sign, bits in two's complement are ordered as the values.
  const DType dtype = low_is_negative ? DType::i64 : DType::u64;
  return low.bits(dtype) > high.bits(dtype);
}

bool is_nan(const Bound& bound) { return bound && std::isnan(bound->to_double()); }

std::string in_brackets(const NamedOperand* a) {
  return a != nullptr ? " (" + describe(*a) + ")" : std::string();
}

}  // namespace

Scalar lowest_of(DType dtype) {
  const kernels::Dtype& record = *kernels::find_dtype(static_cast<std::uint8_t>(dtype));
  switch (record.kind) {
    case kernels::DtypeKind::kFloat:
    case kernels::DtypeKind::kHalf: return -std::numeric_limits<double>::infinity();
    case kernels::DtypeKind::kSigned: return INT64_MIN >> (64 - 8 * record.size_bytes);
    case kernels::DtypeKind::kUnsigned:
    case kernels::DtypeKind::kBool: break;
  }
  return 0;
}
Scalar highest_of(DType dtype) {
  const kernels::Dtype& record = *kernels::find_dtype(static_cast<std::uint8_t>(dtype));
  switch (record.kind) {
    case kernels::DtypeKind::kFloat:
    case kernels::DtypeKind::kHalf: return std::numeric_limits<double>::infinity();
    case kernels::DtypeKind::kSigned: return INT64_MAX >> (64 - 8 * record.size_bytes);
    case kernels::DtypeKind::kUnsigned: return UINT64_MAX >> (64 - 8 * record.size_bytes);
    case kernels::DtypeKind::kBool: break;
  }
  return 1;
}

void check_bounds(const NamedOperand* a, const Bound& low, const Bound& high) {
  if (!low && !high) {
    raise(ErrorCode::kInvalidArgument, "[clamp] there is no bound{}. Give low, high or both.",
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
