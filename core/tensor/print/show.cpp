// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors as text. Brings only the printed elements to the host, or reads them in place.
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/tensor.h"

#include "core/runtime/copy/copy.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/print/fetch.h"
#include "core/tensor/print/printer.h"

namespace patchbay {

using tensor::TensorImpl;

namespace {

/// The `extent` elements of one dimension that begin at `start`.
Tensor part_of(const TensorImpl& impl, int dim, std::int64_t start, std::int64_t extent) {
  Shape shape = impl.shape;
  shape[dim] = extent;
  const auto offset = static_cast<std::size_t>(start * impl.strides[dim]) * size_bytes(impl.dtype);
  return tensor::make_view(impl, impl.offset_bytes + offset, shape, impl.strides);
}

/// A view of the first and last edges[dim] elements of each dimension, as two dimensions: which
/// end, and which element there. A dimension with edge 0 stays as it is.
Tensor view_of_ends(const TensorImpl& impl, const Shape& edges) {
  Shape shape, strides;
  for (int dim = 0; dim < edges.rank(); ++dim) {
    const std::int64_t extent = impl.shape[dim], stride = impl.strides[dim];
    if (edges[dim] != 0) {
      shape.push_back(2);
      strides.push_back((extent - edges[dim]) * stride);
    }
    shape.push_back(edges[dim] != 0 ? edges[dim] : extent);
    strides.push_back(stride);
  }
  return tensor::make_view(impl, impl.offset_bytes, shape, strides);
}

/// Copies those elements. Takes one kernel unless the views have too many dimensions.
void copy_ends(const TensorImpl& to, const TensorImpl& from, Shape edges) {
  int num_cut = 0, dim = 0;
  for (int i = 0; i < edges.rank(); ++i) {
    if (edges[i] == 0) continue;
    ++num_cut;
    dim = i;
  }
  if (edges.rank() + num_cut <= kMaxRank) {
    tensor::launch_copy(*view_of_ends(to, edges).impl(), *view_of_ends(from, edges).impl());
    return;
  }
  const std::int64_t edge = std::exchange(edges[dim], 0);
  for (const bool is_last : {false, true}) {
    const auto end_of = [&](const TensorImpl& impl) {
      return part_of(impl, dim, is_last ? impl.shape[dim] - edge : 0, edge);
    };
    copy_ends(*end_of(to).impl(), *end_of(from).impl(), edges);
  }
}

/// The printed elements, packed on the device.
Tensor gather_printed(const TensorImpl& impl, const Shape& printed) {
  Tensor packed = tensor::make_empty("show", printed, impl.dtype, impl);
  Shape edges = printed;
  for (int dim = 0; dim < edges.rank(); ++dim) {
    edges[dim] = printed[dim] == impl.shape[dim] ? 0 : printed[dim] / 2;
  }
  copy_ends(*packed.impl(), impl, edges);
  return packed;
}

/// Reads the printed elements on a host that can read the memory in place.
void read_printed(std::vector<char>& elements, const TensorImpl& impl, const Shape& printed,
                  int dim, const char* at) {
  const std::size_t element_bytes = size_bytes(impl.dtype);
  if (dim == printed.rank()) {
    elements.insert(elements.end(), at, at + element_bytes);
    return;
  }
  const std::int64_t left_out = impl.shape[dim] - printed[dim];
  for (std::int64_t i = 0; i < printed[dim]; ++i) {
    const std::int64_t index = i < printed[dim] / 2 ? i : i + left_out;
    const auto offset = static_cast<std::size_t>(index * impl.strides[dim]) * element_bytes;
    read_printed(elements, impl, printed, dim + 1, at + offset);
  }
}

/// The rows and the tensor's description, on a new line if it does not fit beside them.
std::string labelled(const TensorImpl& impl, const std::vector<char>& printed,
                     const PrintOptions& options) {
  const std::string rows = tensor::print_rows(impl.shape, impl.dtype, printed, options);
  const std::string label = tensor::describe(impl);
  constexpr std::string_view kGap = "  ";
  const bool fits =
      rows.size() + kGap.size() + label.size() <= static_cast<std::size_t>(options.line_width);
  const bool is_one_line = impl.shape.rank() < 2 && (fits || impl.shape.rank() == 0);
  return rows + (is_one_line ? std::string(kGap) : "\n") + label;
}

}  // namespace

std::string show(const Tensor& tensor, const PrintOptions& options) {
  const TensorImpl& impl = tensor::impl_of("show", tensor, "tensor");
  tensor::check_print_options("show", options);
  Tensor source = tensor;
  const Shape printed = tensor::printed_shape(impl.shape, options);
  if (printed != impl.shape) {
    runtime::check_not_recording("show");
    runtime::check_fetch_allowed(impl.buffer(), checked_size_bytes(printed, impl.dtype), "show");
    source = gather_printed(impl, printed);
  }
  std::vector<char> elements;
  tensor::fetch("show", source, [&] {
    elements.resize(source.impl()->packed_bytes());
    return elements.data();
  });
  return labelled(impl, elements, options);
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
  const PrintOptions& options = print_options();
  std::vector<char> elements;
  if (!impl.is_empty()) {  // else it would count empty rows
    const Shape printed = tensor::printed_shape(impl.shape, options);
    read_printed(elements, impl, printed, 0, first + impl.offset_bytes);
  }
  return out << labelled(impl, elements, options);
}

}  // namespace patchbay
