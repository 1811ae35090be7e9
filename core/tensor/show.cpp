// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors as text.
#include <cstdint>
#include <cstring>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "patchbay/tensor.h"

#include "core/runtime/stream_scope.h"
#include "core/tensor/fetch.h"
#include "core/tensor/operands.h"
#include "core/tensor/small_float.h"

namespace patchbay {

using tensor::TensorImpl;

namespace {

constexpr std::int64_t kMaxWhole = 1000;  // elements up to which nothing is left out
constexpr std::int64_t kEdge = 3;         // else the first and last of each dimension are shown

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

void append_value(std::string& text, DType dtype, const char* at) {
  const auto to = std::back_inserter(text);
  switch (dtype) {
    case DType::f32: fmt::format_to(to, "{}", load<float>(at)); break;
    case DType::f64: fmt::format_to(to, "{}", load<double>(at)); break;
    case DType::f16:
      fmt::format_to(to, "{:.4g}", tensor::decode(tensor::kHalf, load<std::uint16_t>(at)));
      break;
    case DType::bf16:
      fmt::format_to(to, "{:.3g}", tensor::decode(tensor::kBrain, load<std::uint16_t>(at)));
      break;
    case DType::i32: fmt::format_to(to, "{}", load<std::int32_t>(at)); break;
    case DType::i64: fmt::format_to(to, "{}", load<std::int64_t>(at)); break;
    case DType::u8: fmt::format_to(to, "{}", load<std::uint8_t>(at)); break;
    case DType::boolean: text += load<std::uint8_t>(at) != 0 ? "true" : "false"; break;
  }
}

/// Nested brackets, one row a line.
class Printer {
 public:
  Printer(const TensorImpl& impl, const Shape& strides)
      : shape_(impl.shape),
        strides_(strides),
        dtype_(impl.dtype),
        is_empty_(impl.is_empty()),
        shortens_(impl.num_elements > kMaxWhole) {}

  std::string print(const char* first) {
    if (is_empty_) return "[]";  // however many rows there are
    append(0, first);
    return std::move(text_);
  }

 private:
  void append(int dim, const char* at) {
    if (dim == shape_.rank()) {
      append_value(text_, dtype_, at);
      return;
    }
    text_ += '[';
    const std::int64_t extent = shape_[dim];
    for (std::int64_t i = 0; i < extent; ++i) {
      if (i > 0) append_separator(dim);
      if (shortens_ && i == kEdge && extent > 2 * kEdge) {
        text_ += "...";
        append_separator(dim);
        i = extent - kEdge;
      }
      append(dim + 1, at + static_cast<std::size_t>(i * strides_[dim]) * size_bytes(dtype_));
    }
    text_ += ']';
  }

  void append_separator(int dim) {
    const bool is_row = dim == shape_.rank() - 1;
    text_ += is_row ? ", " : ",\n";
    if (!is_row) text_.append(static_cast<std::size_t>(dim) + 1, ' ');
  }

  const Shape shape_, strides_;
  const DType dtype_;
  const bool is_empty_, shortens_;
  std::string text_;
};

std::string with_label(const std::string& values, const TensorImpl& impl) {
  return values + (impl.shape.rank() > 1 ? "\n" : "  ") + tensor::describe(impl);
}

}  // namespace

std::string show(const Tensor& tensor) {
  const TensorImpl& impl = tensor::impl_of("show", tensor, "tensor");
  std::vector<char> bytes;
  tensor::fetch("show", tensor, [&]() -> void* {
    bytes.resize(impl.packed_bytes());
    return bytes.data();
  });
  return with_label(Printer(impl, contiguous_strides(impl.shape)).print(bytes.data()), impl);
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined()) return out << "undefined tensor";
  const TensorImpl& impl = *tensor.impl();
  runtime::BufferState& buffer = impl.buffer();
  if (!buffer.host_addressable) {
    return out << tensor::describe(impl) << "; show(tensor) fetches the values";
  }
  runtime::check_not_recording("<<");
  buffer.wait_on_host(false, "<<");
  buffer.check_readable("<<");
  const char* first = static_cast<const char*>(buffer.memory.base) + buffer.memory.offset_bytes;
  return out << with_label(Printer(impl, impl.strides).print(first + impl.offset_bytes), impl);
}

}  // namespace patchbay
