// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/scalar.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "patchbay/plugin/kernels/dtypes.hpp"

#include "core/base/error.h"
#include "core/base/small_float.h"

namespace patchbay {

namespace {

template <class T>
std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

__extension__ using Wide = __int128;

/// What an integer dtype holds.
struct Range {
  Wide least, most;
};
constexpr Wide power_of_2(std::size_t exponent) { return Wide{1} << exponent; }

Range range_of(const kernels::Dtype& dtype) {
  const std::size_t bits = 8U * dtype.size_bytes;
  switch (dtype.kind) {
    case kernels::DtypeKind::kSigned: return {-power_of_2(bits - 1), power_of_2(bits - 1) - 1};
    case kernels::DtypeKind::kUnsigned: return {0, power_of_2(bits) - 1};
    default: return {0, 1};
  }
}

/// The value as an integer of -2^63 to 2^64 - 1, if it is one.
std::optional<Wide> to_exact_integer(double value) {
  // NaN fails both comparisons.
  if (!(value >= -0x1p63 && value < 0x1p64) || value != std::trunc(value)) return std::nullopt;
  return static_cast<Wide>(value);
}

std::optional<std::uint64_t> integer_bits(std::optional<Wide> value, const kernels::Dtype& dtype) {
  const Range range = range_of(dtype);
  if (!value || *value < range.least || *value > range.most) return std::nullopt;
  return static_cast<std::uint64_t>(*value) &
         static_cast<std::uint64_t>(power_of_2(8U * dtype.size_bytes) - 1);
}

/// Rounded to nearest. A conversion would give 0 for a subnormal number in a thread that flushes
/// these, although the double is a normal number.
std::uint64_t rounded_bits(double value) {
  if (!(std::fabs(value) < 0x1p-126)) return to_bits(static_cast<float>(value));
  const auto multiples = static_cast<std::uint32_t>(std::nearbyint(std::fabs(value) * 0x1p149));
  return multiples | (std::signbit(value) ? 0x8000'0000u : 0u);
}

std::optional<std::uint64_t> f32_bits(const Scalar& scalar, std::optional<Wide> whole) {
  if (!scalar.is_floating()) return to_bits(static_cast<float>(*whole));
  const double value = scalar.to_double();
  // A conversion that overflows is undefined; the limit is the last double that rounds to a float.
  if (std::isfinite(value) && std::fabs(value) >= 0x1.ffffffp127) return std::nullopt;
  return rounded_bits(value);
}

std::optional<std::uint64_t> small_bits(const Scalar& scalar, base::SmallFloat format) {
  const double value = scalar.to_double();
  const std::uint16_t bits = base::encode(format, value);
  const bool overflows = std::isfinite(value) && (bits & 0x7fff) == format.infinity();
  if (overflows) return std::nullopt;
  return to_bits(bits);
}

/// `whole`: the value, if it is an integer.
std::optional<std::uint64_t> try_bits(const Scalar& scalar, std::optional<Wide> whole,
                                      DType dtype) {
  switch (dtype) {
    case DType::f32: return f32_bits(scalar, whole);
    case DType::f64: return to_bits(scalar.to_double());
    case DType::f16: return small_bits(scalar, base::kHalf);
    case DType::bf16: return small_bits(scalar, base::kBrain);
    case DType::i8:
    case DType::i16:
    case DType::i32:
    case DType::i64:
    case DType::u8:
    case DType::u16:
    case DType::u32:
    case DType::u64:
    case DType::boolean: break;
    case DType::c64: {
      const Scalar imaginary = scalar.imag();
      const auto upper = f32_bits(imaginary, to_exact_integer(imaginary.to_double()));
      const auto lower = f32_bits(scalar.real(), whole);
      return lower && upper ? std::optional(*lower | *upper << 32) : std::nullopt;
    }
    case DType::c128: return std::nullopt;  // 16 bytes
  }
  // Null for a number that is no dtype.
  const kernels::Dtype* const integer = kernels::find_dtype(static_cast<std::uint8_t>(dtype));
  return integer != nullptr ? integer_bits(whole, *integer) : std::nullopt;
}

}  // namespace

void Scalar::raise_not_fixed(const char* operation) const {
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] a graph's slot can't be used here, because its value is not fixed: expected an "
              "operand of a binary operation, or the value of a fill, got a slot of value {}. Use "
              "a number, or a tensor.",
              operation, to_string());
}

std::int64_t Scalar::to_int64() const {
  check_fixed("scalar");
  if (!floating_ && !above_i64_) return i64_;
  const std::optional<Wide> whole =
      floating_ ? to_exact_integer(std::trunc(f64_)) : std::optional<Wide>();
  if (!whole || *whole >= power_of_2(63)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[scalar] no integer of 64 bits: expected -2^63 to 2^63 - 1, got {}. Use a "
                "smaller value.",
                to_string());
  }
  return static_cast<std::int64_t>(*whole);
}

std::uint64_t Scalar::bits(DType dtype, const char* operation) const {
  check_fixed(operation);
  const std::optional<Wide> whole = floating_    ? to_exact_integer(f64_)
                                    : above_i64_ ? Wide{static_cast<std::uint64_t>(i64_)}
                                                 : Wide{i64_};
  const bool fits = !is_complex_ || patchbay::is_complex(dtype);
  const std::optional<std::uint64_t> bits = fits ? try_bits(*this, whole, dtype) : std::nullopt;
  if (!bits) [[unlikely]] {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] a literal takes the tensor's dtype: expected a value that {} can hold, got "
                "{}. Use such a value, or cast the tensor.",
                operation, patchbay::to_string(dtype), to_string());
  }
  return *bits;
}

std::string Scalar::to_string() const {
  if (is_complex_) {
    return fmt::format("{}{}{}j", real().to_string(), std::signbit(imaginary_) ? "-" : "+",
                       base::printed(std::fabs(imaginary_)));
  }
  if (above_i64_) return fmt::format("{}", static_cast<std::uint64_t>(i64_));
  return floating_ ? fmt::format("{}", base::printed(f64_)) : fmt::format("{}", i64_);
}

}  // namespace patchbay
