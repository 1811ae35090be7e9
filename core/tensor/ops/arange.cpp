// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "patchbay/tensor.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay {

namespace {

__extension__ using Wide = __int128;

struct Range {
  const Scalar& start;
  const Scalar& end;
  const Scalar& step;
};

[[noreturn, gnu::cold]] void raise_bad_range(const Range& range, ErrorCode code, const char* what,
                                             const char* expected) {
  base::raise(
      code, "[arange] {}: expected {}, got start {}, end {}, step {}. Choose another range.", what,
      expected, range.start.to_string(), range.end.to_string(), range.step.to_string());
}

void check_direction(const Range& range, bool is_zero, bool is_away) {
  if (is_zero) {
    raise_bad_range(range, ErrorCode::kInvalidArgument, "a step that leads nowhere",
                    "a step other than 0");
  }
  if (is_away) {
    raise_bad_range(range, ErrorCode::kInvalidArgument, "the step leads away from the end",
                    "the sign of end - start");
  }
}

/// An integer of -2^63 to 2^64 - 1.
Wide whole(const Scalar& value) {
  return value.to_double() < 0 ? Wide{value.to_int64()} : Wide{value.bits(DType::u64, "arange")};
}

std::int64_t count_integers(const Range& range) {
  const Wide step = whole(range.step), distance = whole(range.end) - whole(range.start);
  check_direction(range, step == 0, (distance > 0 && step < 0) || (distance < 0 && step > 0));
  const Wide count = (distance + step + (step > 0 ? -1 : 1)) / step;
  if (count > INT64_MAX) {
    raise_bad_range(range, ErrorCode::kOverflow, "too many elements", "at most 2^63 - 1");
  }
  return static_cast<std::int64_t>(count);
}

std::int64_t count_floats(const Range& range) {
  const double step = range.step.to_double();
  const double distance = range.end.to_double() - range.start.to_double();
  if (!std::isfinite(distance) || !std::isfinite(step)) {
    raise_bad_range(range, ErrorCode::kInvalidArgument, "a range without bounds",
                    "finite numbers at a finite distance");
  }
  check_direction(range, step == 0, (distance > 0 && step < 0) || (distance < 0 && step > 0));
  const double count = std::ceil(distance / step);
  if (!(count < 0x1p63)) {
    raise_bad_range(range, ErrorCode::kOverflow, "too many elements", "at most 2^63 - 1");
  }
  return static_cast<std::int64_t>(count);
}

/// In an unsigned dtype a negative step wraps, as the sums on the devices do.
std::uint64_t bits_of_step(const Scalar& step, DType dtype) {
  if (dtype != DType::u8 || step.is_floating()) return step.bits(dtype, "arange");
  return static_cast<std::uint8_t>(whole(step));
}

}  // namespace

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              const TensorOptions& options) {
  const bool in_floats = start.is_floating() || end.is_floating() || step.is_floating();
  const DType dtype = options.dtype.value_or(in_floats ? DType::f32 : DType::i64);
  if (!tensor::contains(tensor::op::arange.dtypes, dtype)) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[arange] is not defined for {0}: expected one of {1}, got {0}. Choose one of "
                "these.",
                to_string(dtype), tensor::to_string(tensor::op::arange.dtypes));
  }
  for (const Scalar* each : {&start, &end, &step}) {
    static_cast<void>(each->bits(DType::f64, "arange"));  // throws if it is a slot
  }
  const std::uint64_t start_bits = start.bits(dtype, "arange");
  const std::uint64_t step_bits = bits_of_step(step, dtype);
  const Range range{start, end, step};
  const std::int64_t count = in_floats ? count_floats(range) : count_integers(range);
  if (count > 0 && is_floating(dtype)) {  // the last value must fit too
    const double last = start.to_double() + static_cast<double>(count - 1) * step.to_double();
    static_cast<void>(Scalar(last).bits(dtype, "arange"));
  } else if (count > 0) {  // it lies between start and end
    const Wide last = whole(start) + Wide{count - 1} * whole(step);
    const Scalar value = last < 0 ? Scalar(static_cast<std::int64_t>(last))
                                  : Scalar(static_cast<std::uint64_t>(last));
    static_cast<void>(value.bits(dtype, "arange"));
  }
  const Device device = options.device ? *options.device : default_device();
  Tensor result = tensor::make_empty("arange", Shape{count}, dtype, device.shared_state());
  tensor::launch_arange(*result.impl(), start_bits, step_bits);
  return result;
}

Tensor linspace(double start, double end, Index count, const TensorOptions& options) {
  const DType dtype = options.dtype.value_or(DType::f32);
  if (!is_floating(dtype)) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[linspace] is not defined for {0}: expected one of {1}, got {0}. Choose one of "
                "these.",
                to_string(dtype), tensor::to_string(tensor::kFloats));
  }
  const std::uint64_t start_bits = Scalar(start).bits(dtype, "linspace");
  const std::uint64_t end_bits = Scalar(end).bits(dtype, "linspace");
  const double step = count > 1 ? (end - start) / static_cast<double>(count - 1) : 0;
  const double most =
      dtype == DType::f64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  if (count < 0 || !std::isfinite(end - start) || std::fabs(step) > most) {
    base::raise(ErrorCode::kInvalidArgument,
                "[linspace] no such range: expected finite numbers at distances that {} can hold "
                "and a count of 0 or more, got start {}, end {}, count {}. Choose another range.",
                to_string(dtype), start, end, static_cast<std::int64_t>(count));
  }
  const Device device = options.device ? *options.device : default_device();
  if (tensor::is_small(dtype)) {  // which would round the step
    if (count > std::numeric_limits<std::int64_t>::max() / 4) {
      base::raise(ErrorCode::kOverflow,
                  "[linspace] too many bytes: expected at most 2^63 - 1 in f32, in which {} is "
                  "computed, got {} elements. Use a smaller count.",
                  to_string(dtype), static_cast<std::int64_t>(count));
    }
    return linspace(start, end, count, {DType::f32, device}).cast(dtype);
  }
  const std::uint64_t step_bits = Scalar(step).bits(dtype, "linspace");
  Tensor result = tensor::make_empty("linspace", Shape{static_cast<std::int64_t>(count)}, dtype,
                                     device.shared_state());
  tensor::launch_arange(*result.impl(), start_bits, step_bits);
  // The rounded step may miss the end.
  if (count > 1) tensor::launch_fill(*result[-1].impl(), end_bits);
  return result;
}

}  // namespace patchbay
