// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/print/printer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace patchbay::tensor {
namespace {

constexpr std::string_view kSeparator = ", ", kLeftOut = "...";

class Printer {
 public:
  Printer(const Shape& shape, const PrintOptions& options, std::vector<std::string> texts)
      : shape_(shape),
        printed_(printed_shape(shape, options)),
        line_width_(static_cast<std::size_t>(options.line_width)),
        texts_(std::move(texts)) {
    for (const std::string& text : texts_) cell_width_ = std::max(cell_width_, text.size());
  }

  std::string print() {
    append(0);
    return std::move(text_);
  }

 private:
  bool is_cut(int dim) const { return printed_[dim] != shape_[dim]; }

  void append(int dim) {
    const int rank = shape_.rank();
    if (rank == 0) {
      text_ += texts_[next_++];
    } else if (dim == rank - 1) {
      append_row(dim);
    } else {
      append_planes(dim);
    }
  }

  void append_planes(int dim) {
    const auto lines = static_cast<std::size_t>(shape_.rank() - 1 - dim);
    const std::string separator = "," + std::string(lines, '\n') + std::string(indent(dim), ' ');
    text_ += '[';
    for (std::int64_t i = 0; i < printed_[dim]; ++i) {
      if (i > 0) text_ += separator;
      if (is_cut(dim) && i == printed_[dim] / 2) (text_ += kLeftOut) += separator;
      append(dim + 1);
    }
    text_ += ']';
  }

  void append_row(int dim) {
    text_ += '[';
    column_ = indent(dim);
    for (std::int64_t i = 0; i < printed_[dim]; ++i) {
      if (is_cut(dim) && i == printed_[dim] / 2) append_cell(kLeftOut, kLeftOut.size());
      append_cell(texts_[next_++], cell_width_);
    }
    text_ += ']';
  }

  /// Starts a new line if the element and the comma or brackets after it do not fit.
  void append_cell(std::string_view text, std::size_t width) {
    const auto rank = static_cast<std::size_t>(shape_.rank());
    if (column_ > rank) {
      if (column_ + kSeparator.size() + width + rank > line_width_) {
        (text_ += ",\n").append(rank, ' ');
        column_ = rank;
      } else {
        text_ += kSeparator;
        column_ += kSeparator.size();
      }
    }
    text_.append(width - text.size(), ' ');
    text_ += text;
    column_ += width;
  }

  /// The columns of the brackets before the elements of a dimension.
  static std::size_t indent(int dim) { return static_cast<std::size_t>(dim) + 1; }

  const Shape shape_, printed_;
  const std::size_t line_width_;
  const std::vector<std::string> texts_;
  std::size_t cell_width_ = 0;
  std::size_t next_ = 0;    // in texts_
  std::size_t column_ = 0;  // in the row
  std::string text_;
};

}  // namespace

Shape printed_shape(const Shape& shape, const PrintOptions& options) {
  Shape printed = shape;
  if (num_elements(shape) <= options.max_elements) return printed;
  const std::int64_t edge = options.edge_elements;
  for (int dim = 0; dim < shape.rank(); ++dim) {
    if (edge < shape[dim] - edge) printed[dim] = 2 * edge;
  }
  return printed;
}

std::string print_rows(const Shape& shape, DType dtype, std::span<const char> printed,
                       const PrintOptions& options) {
  if (printed.empty()) return "[]";  // for any number of rows
  return Printer(shape, options, element_texts(dtype, printed, options.precision)).print();
}

}  // namespace patchbay::tensor

namespace patchbay {

// The print options of a thread's scopes.

namespace {

constinit thread_local PrintOptions current;

}  // namespace

namespace tensor {

void check_print_options(const char* operation, const PrintOptions& options) {
  constexpr int kMostDigits = 17;  // more digits distinguish no further doubles
  const auto refuse = [&](const char* what, const char* expected, std::int64_t got) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] bad {}: expected {}, got {}. Leave it out for the default.", operation, what,
                expected, got);
  };
  if (options.precision < 0 || options.precision > kMostDigits) {
    refuse("precision", "0 to 17 digits", options.precision);
  }
  if (options.line_width < 1) refuse("line_width", "at least 1", options.line_width);
  if (options.max_elements < 0) refuse("max_elements", "at least 0", options.max_elements);
  if (options.edge_elements < 1) refuse("edge_elements", "at least 1", options.edge_elements);
}

}  // namespace tensor

const PrintOptions& print_options() { return current; }

PrintScope::PrintScope(const PrintOptions& options) : previous_(current) {
  tensor::check_print_options("PrintScope", options);
  current = options;
}

PrintScope::~PrintScope() { current = previous_; }

}  // namespace patchbay
