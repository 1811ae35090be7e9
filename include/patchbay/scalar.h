// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_SCALAR_H_
#define PATCHBAY_SCALAR_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "patchbay/dtype.h"
#include "patchbay/export.h"

namespace patchbay {

/// A literal: a number that takes the dtype of the tensor it meets.
class PATCHBAY_API Scalar {
 public:
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T value) {  // NOLINT(google-explicit-constructor): add(t, 1)
    if constexpr (std::is_floating_point_v<T>) {
      floating_ = true;
      f64_ = static_cast<double>(value);
    } else {
      i64_ = static_cast<std::int64_t>(value);
      if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
        if (i64_ < 0) {  // over 2^63: no integer dtype holds it, and bits() will say so
          floating_ = true;
          f64_ = static_cast<double>(value);
        }
      }
    }
  }

  bool is_floating() const { return floating_; }
  double to_double() const { return floating_ ? f64_ : static_cast<double>(i64_); }
  /// Truncates. Errors: kInvalidArgument if the value is NaN or needs more than 64 bits.
  std::int64_t to_int64() const;
  /// The value as an element of `dtype`, in the low-address bytes; rounded to nearest for floats.
  /// Errors: kInvalidArgument if the dtype can't hold it (1.5 as i32, 300 as u8, 1e39 as f32),
  /// which names `operation`.
  std::uint64_t bits(DType dtype, const char* operation = "scalar") const;
  std::string to_string() const;

 private:
  bool floating_ = false;
  double f64_ = 0;
  std::int64_t i64_ = 0;
};

}  // namespace patchbay

#endif  // PATCHBAY_SCALAR_H_
