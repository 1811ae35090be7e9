// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/scalar.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

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

/// The value as a 64-bit integer, if it is one.
std::optional<std::int64_t> to_exact_integer(const Scalar& scalar) {
  if (!scalar.is_floating()) return scalar.to_int64();
  const double value = scalar.to_double();
  // 2^63 itself is too large; NaN fails both comparisons.
  if (!(value >= -0x1p63 && value < 0x1p63) || value != std::trunc(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

template <class T>
std::optional<std::uint64_t> integer_bits(const Scalar& scalar, std::int64_t largest) {
  const std::optional<std::int64_t> value = to_exact_integer(scalar);
  if (!value || *value < std::int64_t{std::numeric_limits<T>::min()} || *value > largest) {
    return std::nullopt;
  }
  return to_bits(static_cast<T>(*value));
}

template <class T>
std::optional<std::uint64_t> integer_bits(const Scalar& scalar) {
  return integer_bits<T>(scalar, std::int64_t{std::numeric_limits<T>::max()});
}

std::optional<std::uint64_t> f32_bits(const Scalar& scalar) {
  if (!scalar.is_floating()) return to_bits(static_cast<float>(scalar.to_int64()));
  const double value = scalar.to_double();
  // A conversion that overflows is undefined; the limit is the last double that rounds to a float.
  if (std::isfinite(value) && std::fabs(value) >= 0x1.ffffffp127) return std::nullopt;
  return to_bits(static_cast<float>(value));
}

std::optional<std::uint64_t> small_bits(const Scalar& scalar, tensor::SmallFloat format) {
  const double value = scalar.to_double();
  const std::uint16_t bits = tensor::encode(format, value);
  const bool overflows = std::isfinite(value) && (bits & 0x7fff) == format.infinity();
  if (overflows) return std::nullopt;
  return to_bits(bits);
}

std::optional<std::uint64_t> try_bits(const Scalar& scalar, DType dtype) {
  switch (dtype) {
    case DType::f32: return f32_bits(scalar);
    case DType::f64: return to_bits(scalar.to_double());
    case DType::f16: return small_bits(scalar, tensor::kHalf);
    case DType::bf16: return small_bits(scalar, tensor::kBrain);
    case DType::i32: return integer_bits<std::int32_t>(scalar);
    case DType::i64: return integer_bits<std::int64_t>(scalar);
    case DType::u8: return integer_bits<std::uint8_t>(scalar);
    case DType::boolean: return integer_bits<std::uint8_t>(scalar, 1);
  }
  return std::nullopt;
}

}  // namespace

void Scalar::raise_not_fixed(const char* operation) const {
  runtime::raise(
      ErrorCode::kInvalidArgument,
      "[{}] a graph's slot can't be used here, because its value is not fixed: expected an "
      "operand of a binary operation, or the value of a fill, got a slot of value {}. Use "
      "a number, or a tensor.",
      operation, to_string());
}

std::int64_t Scalar::to_int64() const {
  check_fixed("scalar");
  if (!floating_) return i64_;
  const std::optional<std::int64_t> whole = to_exact_integer(Scalar(std::trunc(f64_)));
  if (!whole) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[scalar] no integer of 64 bits: expected -2^63 to 2^63 - 1, got {}. Use a "
                   "smaller value.",
                   to_string());
  }
  return *whole;
}

std::uint64_t Scalar::bits(DType dtype, const char* operation) const {
  check_fixed(operation);
  const std::optional<std::uint64_t> bits = try_bits(*this, dtype);
  if (!bits) [[unlikely]] {
    runtime::raise(
        ErrorCode::kInvalidArgument,
        "[{}] a literal takes the tensor's dtype: expected a value that {} can hold, got "
        "{}. Use such a value, or cast the tensor.",
        operation, patchbay::to_string(dtype), to_string());
  }
  return *bits;
}

std::string Scalar::to_string() const {
  return floating_ ? fmt::format("{}", f64_) : fmt::format("{}", i64_);
}

}  // namespace patchbay
