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

/// Compares integers as such: not every 64-bit integer fits in a double. Those above 2^63 - 1 fit no
/// dtype that can be clamped.
bool is_above(const Scalar& low, const Scalar& high) {
  const bool fit = low.to_double() < 0x1p63 && high.to_double() < 0x1p63;
  if (fit && !low.is_floating() && !high.is_floating()) return low.to_int64() > high.to_int64();
  return low.to_double() > high.to_double();
}

bool is_nan(const Bound& bound) { return bound && std::isnan(bound->to_double()); }

std::string in_brackets(const Named* a) {
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
