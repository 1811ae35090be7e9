// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/shape.h"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>

#include "core/base/error.h"
#include "core/base/size.h"

namespace patchbay {

using base::raise;

namespace {

void check_place(const Shape& shape, int i, int last) {
  if (i >= 0 && i <= last) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[Shape] no such dimension: expected an index from 0 to {}, got {} (shape {}).", last,
              i, to_string(shape));
}

}  // namespace

void Shape::check_rank(std::size_t rank) {
  if (rank > static_cast<std::size_t>(kMaxRank)) {
    raise(ErrorCode::kInvalidArgument,
          "[shape] too many dimensions: expected at most {}, got {}. Merge some of them.", kMaxRank,
          rank);
  }
}

Shape::Shape(std::initializer_list<Extent> dims) {
  check_rank(dims.size());
  for (const Extent dim : dims) dims_[static_cast<std::size_t>(rank_++)] = dim.value();
}

Shape::Shape(std::span<const std::int64_t> dims) {
  check_rank(dims.size());
  std::copy(dims.begin(), dims.end(), dims_.begin());
  rank_ = static_cast<int>(dims.size());
}

void Shape::push_back(std::int64_t dim) { insert(rank_, dim); }

void Shape::erase(int i) {
  check_place(*this, i, rank_ - 1);
  std::copy(dims_.begin() + i + 1, dims_.begin() + rank_, dims_.begin() + i);
  --rank_;
}

void Shape::insert(int i, std::int64_t dim) {
  check_rank(static_cast<std::size_t>(rank_) + 1);
  check_place(*this, i, rank_);
  std::copy_backward(dims_.begin() + i, dims_.begin() + rank_, dims_.begin() + rank_ + 1);
  (*this)[i] = dim;
  ++rank_;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

std::int64_t num_elements(const Shape& shape) {
  return base::checked_num_elements("num_elements", shape);
}

std::size_t checked_size_bytes(const Shape& shape, DType dtype) {
  return base::checked_size_bytes("size_bytes", shape, dtype);
}

Shape contiguous_strides(const Shape& shape) {
  num_elements(shape);  // also bounds every stride
  Shape strides = shape;
  std::int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

void tensor::throw_large_extent(std::uint64_t extent) {
  base::raise(
      ErrorCode::kOverflow,
      "[shape] extent too large: expected at most 2^63 - 1, got {}. A difference of unsigned "
      "numbers can't be negative: subtract signed ones.",
      extent);
}

namespace base {

std::int64_t checked_num_elements(const char* operation, const Shape& shape) {
  std::int64_t product = 1;
  bool is_empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] negative extent: expected 0 or more, got {} (shape {}). Give every dimension its "
            "number of elements.",
            operation, extent, to_string(shape));
    }
    // An extent of 0 does not excuse the others: strides are products of them.
    if (extent == 0) {
      is_empty = true;
    } else if (__builtin_mul_overflow(product, extent, &product)) {
      raise(ErrorCode::kOverflow,
            "[{}] too many elements: expected at most 2^63 - 1, got more (shape {}). Use a smaller "
            "shape.",
            operation, to_string(shape));
    }
  }
  return is_empty ? 0 : product;
}

std::size_t checked_size_bytes(const char* operation, const Shape& shape, DType dtype) {
  const std::int64_t elements = checked_num_elements(operation, shape);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, static_cast<std::int64_t>(size_bytes(dtype)), &bytes)) {
    raise(ErrorCode::kOverflow,
          "[{}] too many bytes: expected at most 2^63 - 1, got {} elements of {} (shape {}). Use a "
          "smaller shape.",
          operation, elements, to_string(dtype), to_string(shape));
  }
  return static_cast<std::size_t>(bytes);
}

}  // namespace base
}  // namespace patchbay
