// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Looks up elements by index, and adds to them. For whole slices the index is repeated along the
// other dimensions, so that kernels have only one case. A tensor of rank 0 counts as one of rank 1.
#include "patchbay/indexing.h"

#include <string_view>
#include <utility>
#include <vector>

#include "core/base/size.h"
#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/index_check.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/ops/indexing.h"

namespace patchbay {

namespace tensor {
namespace {

constexpr DTypes kIndexDtypes = dtypes_of(DType::i32, DType::i64);

/// A checked call, without the elements.
struct Lookup {
  const char* operation;
  int dim;
  Tensor index;  // an element for each one to look up or add; of rank 1 or more
  Shape shape;   // of these elements: that of the index, or of rank 0 as the caller's tensor
  bool is_of_slices = false;
};

// ------------------------------------------------------------------------------- checks ---

const TensorImpl& index_of(const char* operation, const NamedOperand& a, const Tensor& index) {
  const NamedOperand named{"index", impl_of(operation, index, "index")};
  check_same_device(operation, a, named);
  if (contains(kIndexDtypes, named.tensor.dtype)) return named.tensor;
  raise(ErrorCode::kDtypeMismatch,
        "[{}] index has the wrong dtype: expected i64 or i32, got {} ({}). Convert it first: "
        "index.cast(DType::i64).",
        operation, patchbay::to_string(named.tensor.dtype), describe(named));
}

void check_not_empty(const char* operation, const NamedOperand& a, int dim,
                     const TensorImpl& index) {
  if (with_axis(a.tensor.shape)[dim] != 0 || index.is_empty()) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] dimension {} has no elements to index ({}; {}). Use an index of extent 0, or another "
        "tensor.",
        operation, dim, describe(a), describe({"index", index}));
}

/// Checks a call with one index for each element.
Lookup each_element(const char* operation, const NamedOperand& a, int dim, const Tensor& index) {
  const TensorImpl& impl = index_of(operation, a, index);
  dim = resolve_axis(operation, a, dim);
  const Shape shape = with_axis(a.tensor.shape), extents = with_axis(impl.shape);
  bool fits = extents.rank() == shape.rank();
  for (int i = 0; fits && i < shape.rank(); ++i) fits = i == dim || extents[i] <= shape[i];
  if (!fits) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] index has the wrong shape: expected the rank of {} and, but in dimension {}, no "
          "larger extents, got {} ({}; {}). Use index_select or index_add for an index of whole "
          "slices.",
          operation, a.name, dim, to_string(impl.shape), describe(a), describe({"index", impl}));
  }
  check_not_empty(operation, a, dim, impl);
  if (impl.shape.rank() != 0) [[likely]]
    return {operation, dim, index, impl.shape};
  return {operation, dim, make_view(impl, impl.offset_bytes, extents, Shape{1}), impl.shape};
}

/// Checks a call with one index for each slice.
Lookup each_slice(const char* operation, const NamedOperand& a, int dim, const Tensor& index) {
  const TensorImpl& impl = index_of(operation, a, index);
  dim = resolve_axis(operation, a, dim);
  if (impl.shape.rank() > 1) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] index has the wrong shape: expected rank 1, got {} ({}; {}). Flatten it with "
          "reshape({{-1}}), or use gather for an index of each element.",
          operation, to_string(impl.shape), describe(a), describe({"index", impl}));
  }
  const bool is_of_one = a.tensor.shape.rank() == 0;
  if (is_of_one && impl.num_elements != 1) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] index has the wrong shape: expected one element for a tensor of rank 0, got {} "
          "({}; {}). Reshape the tensor to [1].",
          operation, to_string(impl.shape), describe(a), describe({"index", impl}));
  }
  Shape shape = with_axis(a.tensor.shape), strides = shape;
  for (int i = 0; i < strides.rank(); ++i) strides[i] = 0;
  shape[dim] = with_axis(impl.shape)[0];
  strides[dim] = with_axis(impl.strides)[0];
  base::checked_size_bytes(operation, shape, a.tensor.dtype);
  check_not_empty(operation, a, dim, impl);
  return {operation, dim, make_view(impl, impl.offset_bytes, shape, strides),
          is_of_one ? Shape() : shape, /*is_of_slices=*/true};
}

/// Checks that `source` can be added to `a`.
void check_source(const Lookup& lookup, const NamedOperand& a, const Tensor& source) {
  const NamedOperand named{"source", impl_of(lookup.operation, source, "source")};
  check_same_device(lookup.operation, a, named);
  check_same_dtype(lookup.operation, a, named);
  check_dtype_allowed(lookup.operation, op::scatter_add.dtypes | kSmallFloats | kComplex, a);
  if (with_axis(named.tensor.shape) == lookup.index.shape()) return;
  raise(ErrorCode::kShapeMismatch,
        "[{}] source has the wrong shape: expected {}, an element for each index, got {} ({}; {}). "
        "Slice or expand it.",
        lookup.operation, to_string(lookup.shape), to_string(named.tensor.shape), describe(a),
        describe(named));
}

// ----------------------------------------------------------------------------- launches ---

runtime::KernelState& kernel_of(const Operator& op, const TensorImpl& table, DType index, int dim) {
  const unsigned is_narrow = index == DType::i32 ? 1 : 0;
  const auto place = static_cast<unsigned>(std::string_view(op.arguments.data()).find('x'));
  const auto along = static_cast<std::uint64_t>(dim);
  return prepared(*table.device().kernels, op, table.dtype, table.dtype, is_narrow << (place - 1),
                  {&along, 1});
}

/// Adds the part of the table that indices may reach.
void add_table(Launch& launch, const Lookup& lookup, const TensorImpl& table, std::uint8_t access) {
  Shape shape = lookup.index.shape();
  shape[lookup.dim] = with_axis(table.shape)[lookup.dim];
  launch.tensor(table, shape, with_axis(table.strides), access);
}

void add(Launch& launch, const TensorImpl& tensor, std::uint8_t access) {
  launch.tensor(tensor, with_axis(tensor.shape), with_axis(tensor.strides), access);
}

void launch_gather(const Lookup& lookup, const TensorImpl& out, const TensorImpl& a) {
  const TensorImpl& index = *lookup.index.impl();
  if (index.is_empty()) return;
  if (is_complex(a.dtype)) {
    for (const int part : {0, 1}) {
      launch_gather(lookup, *make_part(out, part).impl(), *make_part(a, part).impl());
    }
    return;
  }
  runtime::KernelState& kernel = kernel_of(op::gather, a, index.dtype, lookup.dim);
  Launch launch;
  add(launch, out, PATCHBAY_WRITE);
  add_table(launch, lookup, a, PATCHBAY_READ);
  add(launch, index, PATCHBAY_READ);
  launch.run(lookup.operation, kernel);
}

void launch_scatter_add(const Lookup& lookup, const TensorImpl& out, const TensorImpl& source) {
  const TensorImpl& index = *lookup.index.impl();
  if (index.is_empty()) return;
  if (is_complex(out.dtype)) {
    for (const int part : {0, 1}) {
      launch_scatter_add(lookup, *make_part(out, part).impl(), *make_part(source, part).impl());
    }
    return;
  }
  runtime::KernelState& kernel = kernel_of(op::scatter_add, out, index.dtype, lookup.dim);
  Launch launch;
  add_table(launch, lookup, out, PATCHBAY_READ | PATCHBAY_WRITE);
  add(launch, index, PATCHBAY_READ);
  add(launch, source, PATCHBAY_READ);
  launch.run(lookup.operation, kernel);
}

/// Launches a lookup of a number for each slice, because the slices have no elements: kernels of
/// devices that complete inline report an index that is out of range. The table is one number.
void launch_check(const Lookup& lookup, const TensorImpl& table) {
  const TensorImpl& index = *lookup.index.impl();
  Shape shape = index.shape, strides = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    shape[i] = 1;
    strides[i] = 0;
  }
  Shape extents = shape;
  extents[lookup.dim] = with_axis(table.shape)[lookup.dim];
  const Tensor number = make_empty(lookup.operation, {1}, DType::u8, table);
  launch_fill(*number.impl(), 0);
  const Tensor numbers = make_view(*number.impl(), number.impl()->offset_bytes, extents, strides);
  if (index.strides[lookup.dim] != 0) shape[lookup.dim] = index.shape[lookup.dim];
  strides[lookup.dim] = index.strides[lookup.dim];
  const Tensor found = make_empty(lookup.operation, shape, DType::u8, table);
  launch_gather(
      {lookup.operation, lookup.dim, make_view(index, index.offset_bytes, shape, strides), shape},
      *found.impl(), *numbers.impl());
}

/// Checks the elements of the index where the launch that follows does not.
void validate(const Lookup& lookup, const TensorImpl& table) {
  const TensorImpl& index = *lookup.index.impl();
  check_index(lookup.operation, index, lookup.dim, with_axis(table.shape)[lookup.dim]);
  const bool has_no_launch = lookup.is_of_slices && index.is_empty();
  if (!has_no_launch || index.shape[lookup.dim] == 0) return;
  if (table.device().info.properties.completes_inline) launch_check(lookup, table);
}

// ---------------------------------------------------------------------------- operations ---

/// A lookup for a backward step: the index may not be overwritten until then.
struct SavedLookup {
  explicit SavedLookup(const Lookup& lookup, const Shape& of)
      : operation(lookup.operation), dim(lookup.dim), index("index", lookup.index), shape(of) {}
  Lookup get(const Node& node) const { return {operation, dim, index.get(node), shape}; }

  const char* operation;
  int dim;
  Saved index;
  Shape shape;
};

Tensor add_to_zeros(const Lookup& lookup, const Shape& shape, const Tensor& source);

Tensor look_up(const Lookup& lookup, const Tensor& a) {
  const TensorImpl& table = *a.impl();
  validate(lookup, table);
  Tensor result = make_empty(lookup.operation, lookup.shape, table.dtype, table);
  launch_gather(lookup, *result.impl(), table);
  if (needs_grad(table)) {
    record(lookup.operation, result, a,
           [saved = SavedLookup(lookup, lookup.shape), shape = table.shape](const Tensor& grad,
                                                                            const Node& node) {
             return add_to_zeros(saved.get(node), shape, grad);
           });
  }
  return result;
}

Tensor add_to_zeros(const Lookup& lookup, const Shape& shape, const Tensor& source) {
  if (is_small(source.dtype())) {
    return add_to_zeros(lookup, shape, source.cast(DType::f32)).cast(source.dtype());
  }
  Tensor result;
  {
    const Recording recording(false);
    result = source.new_zeros(shape);
  }
  launch_scatter_add(lookup, *result.impl(), *source.impl());
  if (needs_grad(source)) {
    record(lookup.operation, result, source,
           [saved = SavedLookup(lookup, source.shape())](const Tensor& grad, const Node& node) {
             return look_up(saved.get(node), grad);
           });
  }
  return result;
}

/// Adds 16-bit floats in f32 and rounds once at the end.
Tensor add_at(const Lookup& lookup, const Tensor& a, const Tensor& source) {
  if (is_small(a.dtype())) {
    return add_at(lookup, a.cast(DType::f32), source.cast(DType::f32)).cast(a.dtype());
  }
  const TensorImpl& table = *a.impl();
  validate(lookup, table);
  Tensor result = make_empty(lookup.operation, table.shape, table.dtype, table);
  if (!table.is_empty()) launch_copy(*result.impl(), table);
  launch_scatter_add(lookup, *result.impl(), *source.impl());
  if (needs_grad(table) || needs_grad(source)) {
    record(lookup.operation, result, {&a, &source},
           [saved = SavedLookup(lookup, source.shape()), wants = needs_grad(source)](
               const Tensor& grad, const Node& node) {
             return std::vector<Tensor>{grad, wants ? look_up(saved.get(node), grad) : Tensor()};
           });
  }
  return result;
}

void check_target(const Lookup& lookup, const TensorImpl& out, const NamedOperand& a,
                  const Shape& shape) {
  check_same_device(lookup.operation, {"out", out}, a);
  refuse_gradient(lookup.operation, a);
  check_out(lookup.operation, out, shape, a.tensor.dtype);
  check_no_overlap(lookup.operation, out, {"index", *lookup.index.impl()});
}

const Tensor& look_up_out(const Lookup& lookup, const Tensor& out, const Tensor& a) {
  const TensorImpl& target = *out.impl();
  check_target(lookup, target, {"a", *a.impl()}, lookup.shape);
  check_no_overlap(lookup.operation, target, {"a", *a.impl()});
  validate(lookup, *a.impl());
  target.buffer().count_version();
  launch_gather(lookup, target, *a.impl());
  return out;
}

const Tensor& add_at_out(const Lookup& lookup, const Tensor& out, const Tensor& a,
                         const Tensor& source) {
  const TensorImpl& target = *out.impl();
  refuse_gradient(lookup.operation, {"source", *source.impl()});
  check_target(lookup, target, {"a", *a.impl()}, a.shape());
  check_no_partial_overlap(lookup.operation, target, {"a", *a.impl()});
  check_no_overlap(lookup.operation, target, {"source", *source.impl()});
  if (is_small(target.dtype)) {
    const Recording recording(false);
    const Tensor sums = add_at(lookup, a.cast(DType::f32), source.cast(DType::f32));
    target.buffer().count_version();
    if (!target.is_empty()) launch_copy(target, *sums.impl());
    return out;
  }
  validate(lookup, target);
  target.buffer().count_version();
  const bool is_in_place = overlap(target, *a.impl()) == Overlap::kExact;
  if (!is_in_place && !target.is_empty()) launch_copy(target, *a.impl());
  launch_scatter_add(lookup, target, *source.impl());
  return out;
}

/// Checks the source of an adding call and returns its lookup.
Lookup adding(Lookup lookup, const NamedOperand& a, const Tensor& source) {
  check_source(lookup, a, source);
  return lookup;
}

NamedOperand a_of(const char* operation, const Tensor& a) { return {"a", impl_of(operation, a)}; }

/// The index with another dimension of extent 1. Its stride of 0 keeps it out of the positions that
/// errors give.
Tensor with_dim(const Tensor& index, int dim) {
  const TensorImpl& impl = *index.impl();
  Shape shape = impl.shape, strides = impl.strides;
  shape.insert(dim, 1);
  strides.insert(dim, 0);
  return make_view(impl, impl.offset_bytes, shape, strides);
}

}  // namespace

Tensor pick(const char* operation, const Tensor& a, int dim, const Tensor& index) {
  const NamedOperand named = a_of(operation, a);
  return look_up(each_element(operation, named, dim, with_dim(index, dim)), a).squeeze(dim);
}

}  // namespace tensor

using tensor::a_of;
using tensor::Lookup;

Tensor gather(const Tensor& a, Dim dim, const Tensor& index) {
  return tensor::look_up(tensor::each_element("gather", a_of("gather", a), dim, index), a);
}

const Tensor& gather_out(const Tensor& out, const Tensor& a, Dim dim, const Tensor& index) {
  static_cast<void>(tensor::impl_of("gather", out, "out"));
  return tensor::look_up_out(tensor::each_element("gather", a_of("gather", a), dim, index), out, a);
}

Tensor index_select(const Tensor& a, Dim dim, const Tensor& index) {
  constexpr const char* kName = "index_select";
  return tensor::look_up(tensor::each_slice(kName, a_of(kName, a), dim, index), a);
}

const Tensor& index_select_out(const Tensor& out, const Tensor& a, Dim dim, const Tensor& index) {
  constexpr const char* kName = "index_select";
  static_cast<void>(tensor::impl_of(kName, out, "out"));
  return tensor::look_up_out(tensor::each_slice(kName, a_of(kName, a), dim, index), out, a);
}

Tensor scatter_add(const Tensor& a, Dim dim, const Tensor& index, const Tensor& source) {
  const tensor::NamedOperand named = a_of("scatter_add", a);
  const Lookup lookup = tensor::each_element("scatter_add", named, dim, index);
  return tensor::add_at(tensor::adding(lookup, named, source), a, source);
}

const Tensor& scatter_add_out(const Tensor& out, const Tensor& a, Dim dim, const Tensor& index,
                              const Tensor& source) {
  static_cast<void>(tensor::impl_of("scatter_add", out, "out"));
  const tensor::NamedOperand named = a_of("scatter_add", a);
  const Lookup lookup = tensor::each_element("scatter_add", named, dim, index);
  return tensor::add_at_out(tensor::adding(lookup, named, source), out, a, source);
}

Tensor index_add(const Tensor& a, Dim dim, const Tensor& index, const Tensor& source) {
  const tensor::NamedOperand named = a_of("index_add", a);
  const Lookup lookup = tensor::each_slice("index_add", named, dim, index);
  return tensor::add_at(tensor::adding(lookup, named, source), a, source);
}

const Tensor& index_add_out(const Tensor& out, const Tensor& a, Dim dim, const Tensor& index,
                            const Tensor& source) {
  static_cast<void>(tensor::impl_of("index_add", out, "out"));
  const tensor::NamedOperand named = a_of("index_add", a);
  const Lookup lookup = tensor::each_slice("index_add", named, dim, index);
  return tensor::add_at_out(tensor::adding(lookup, named, source), out, a, source);
}

Tensor embedding(const Tensor& weight, const Tensor& index) {
  const tensor::NamedOperand named{"weight", tensor::impl_of("embedding", weight, "weight")};
  const tensor::TensorImpl& indices = tensor::index_of("embedding", named, index);
  if (named.tensor.shape.rank() != 2 || indices.shape.rank() == kMaxRank) {
    base::raise(ErrorCode::kShapeMismatch,
                "[embedding] no table of rows: expected a weight of rank 2 and an index of rank {} "
                "at most, got {} and {} ({}; {}). Reshape them.",
                kMaxRank - 1, named.tensor.shape.rank(), indices.shape.rank(),
                tensor::describe(named), tensor::describe({"index", indices}));
  }
  Shape shape = indices.shape;
  shape.push_back(named.tensor.shape[1]);
  const Tensor flat = index.reshape({indices.num_elements});
  return tensor::look_up(tensor::each_slice("embedding", named, 0, flat), weight).view(shape);
}

Tensor one_hot(const Tensor& index, Index num_classes) {
  const tensor::TensorImpl& indices = tensor::impl_of("one_hot", index, "index");
  static_cast<void>(tensor::index_of("one_hot", {"index", indices}, index));
  if (num_classes < 1) {
    base::raise(ErrorCode::kInvalidArgument,
                "[one_hot] no classes: expected 1 or more, got {} ({}). Pass their number.",
                static_cast<std::int64_t>(num_classes), tensor::describe({"index", indices}));
  }
  if (indices.shape.rank() == kMaxRank) {
    base::raise(ErrorCode::kShapeMismatch,
                "[one_hot] too many dimensions: expected an index of rank {} at most, got {} "
                "({}). Reshape it.",
                kMaxRank - 1, indices.shape.rank(), tensor::describe({"index", indices}));
  }
  Shape shape = indices.shape;
  shape.push_back(num_classes);
  base::checked_size_bytes("one_hot", shape, DType::i64);
  Tensor result = index.new_zeros(shape, DType::i64);
  const Tensor places = tensor::with_dim(index, indices.shape.rank());
  const tensor::NamedOperand named{"result", *result.impl()};
  const Lookup lookup = tensor::each_element("one_hot", named, -1, places);
  const Tensor source = index.new_ones(places.shape(), DType::i64);
  tensor::add_at_out(tensor::adding(lookup, named, source), result, result, source);
  return result;
}

}  // namespace patchbay
