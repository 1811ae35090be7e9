// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_SHAPE_H_
#define PATCHBAY_SHAPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "patchbay/dtype.h"
#include "patchbay/export.h"

namespace patchbay {

inline constexpr int kMaxRank = 8;

namespace tensor {
[[noreturn]] PATCHBAY_API void throw_large_extent(std::uint64_t extent);
}

/// An extent of a Shape, from an integer of any type: `zeros({values.size(), 3})`.
class Extent {
 public:
  /// Errors: kOverflow above 2^63 - 1.
  template <class T, class = std::enable_if_t<std::is_convertible_v<T, std::int64_t> &&
                                              !std::is_floating_point_v<T> && sizeof(T) <= 8>>
  constexpr Extent(T value) : value_(static_cast<std::int64_t>(value)) {  // NOLINT
    if constexpr (std::is_unsigned_v<T>) {
      if (value_ < 0) tensor::throw_large_extent(static_cast<std::uint64_t>(value));
    }
  }
  constexpr std::int64_t value() const { return value_; }

 private:
  std::int64_t value_;
};

/// Up to eight extents (or strides, in elements), stored inline. Cheap to copy.
class PATCHBAY_API Shape {
 public:
  Shape() = default;
  /// Errors: kInvalidArgument for more than kMaxRank entries; kOverflow as Extent.
  Shape(std::initializer_list<Extent> dims);
  explicit Shape(std::span<const std::int64_t> dims);
  Shape(const std::vector<std::int64_t>& dims) : Shape(std::span<const std::int64_t>(dims)) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
  Shape(const std::vector<T>& dims) {
    check_rank(dims.size());
    for (const T dim : dims) push_back(Extent(dim).value());
  }

  int rank() const { return rank_; }
  /// 0 <= i < rank(), unchecked.
  std::int64_t operator[](int i) const { return dims_[static_cast<std::size_t>(i)]; }
  std::int64_t& operator[](int i) { return dims_[static_cast<std::size_t>(i)]; }
  const std::int64_t* begin() const { return dims_.data(); }
  const std::int64_t* end() const { return dims_.data() + rank_; }
  // Errors: kInvalidArgument for an i that is out of range, or more than kMaxRank entries.
  void push_back(std::int64_t dim);
  void erase(int i);
  void insert(int i, std::int64_t dim);

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

 private:
  static void check_rank(std::size_t rank);

  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

/// "[2, 3]"; "[]" for rank 0.
PATCHBAY_API std::string to_string(const Shape& shape);
PATCHBAY_API std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// The product of the extents; 1 for rank 0. Errors, which name the shape: kInvalidArgument for
/// negative extents, kOverflow for products above 2^63 - 1.
PATCHBAY_API std::int64_t num_elements(const Shape& shape);
/// num_elements times the size of an element, with the same checks.
PATCHBAY_API std::size_t checked_size_bytes(const Shape& shape, DType dtype);
/// Row-major strides in elements.
PATCHBAY_API Shape contiguous_strides(const Shape& shape);

}  // namespace patchbay

#endif  // PATCHBAY_SHAPE_H_
