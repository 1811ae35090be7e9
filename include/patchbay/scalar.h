// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_SCALAR_H_
#define PATCHBAY_SCALAR_H_

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "patchbay/dtype.h"
#include "patchbay/export.h"

namespace patchbay {

/// A number that takes the dtype of the tensor that it meets.
class PATCHBAY_API Scalar {
 public:
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T value) {  // NOLINT(google-explicit-constructor): add(t, 1)
    if constexpr (std::is_floating_point_v<T>) {
      floating_ = true;
      f64_ = static_cast<double>(value);
    } else {
      i64_ = static_cast<std::int64_t>(value);
      above_i64_ = std::is_unsigned_v<T> && i64_ < 0;
    }
  }

  template <class T>
  Scalar(const std::complex<T>& value)  // NOLINT(google-explicit-constructor): as above
      : Scalar(value.real()) {
    is_complex_ = true;
    imaginary_ = static_cast<double>(value.imag());
  }

  bool is_floating() const { return floating_; }
  /// Whether it was made from a complex number, even a real one.
  bool is_complex() const { return is_complex_; }
  /// The parts as numbers of their own; the imaginary part of a real number is 0.
  Scalar real() const {
    Scalar part = *this;
    part.is_complex_ = false;
    part.imaginary_ = 0;
    return part;
  }
  Scalar imag() const { return is_complex_ ? Scalar(imaginary_) : Scalar(0); }
  /// Errors: kInvalidArgument for the slot of a graph, whose value is not fixed.
  double to_double() const {
    check_fixed("scalar");
    if (above_i64_) return static_cast<double>(static_cast<std::uint64_t>(i64_));
    return floating_ ? f64_ : static_cast<double>(i64_);
  }
  /// The value, truncated. Errors: as to_double; kInvalidArgument if it is NaN, below -2^63 or
  /// above 2^63 - 1.
  std::int64_t to_int64() const;
  /// The value as an element of `dtype`, in the bytes of the lowest addresses; rounded to nearest
  /// for floats. Errors: kInvalidArgument if the dtype can't hold it (1.5 as i32, 300 as u8, 1e39
  /// as f32, a complex number as anything but a complex dtype), with `operation` in the message; as
  /// to_double. A c128 has 16 bytes: take the bits of its parts.
  std::uint64_t bits(DType dtype, const char* operation = "scalar") const;
  std::string to_string() const;

  /// The number of a slot that a GraphRecording made: its value may be set before each replay. 0:
  /// none.
  std::uint32_t slot() const { return slot_; }
  static Scalar with_slot(Scalar value, std::uint32_t slot) {
    value.slot_ = slot;
    return value;
  }
  Scalar without_slot() const { return with_slot(*this, 0); }

 private:
  void check_fixed(const char* operation) const {
    if (slot_ != 0) [[unlikely]]
      raise_not_fixed(operation);
  }
  [[noreturn]] void raise_not_fixed(const char* operation) const;

  bool floating_ = false, is_complex_ = false;
  bool above_i64_ = false;  // i64_ has the bits of an unsigned integer
  std::uint32_t slot_ = 0;
  double f64_ = 0;
  std::int64_t i64_ = 0;
  double imaginary_ = 0;
};

}  // namespace patchbay

#endif  // PATCHBAY_SCALAR_H_
