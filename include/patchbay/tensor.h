// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TENSOR_H_
#define PATCHBAY_TENSOR_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "patchbay/buffer.h"
#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/print.h"
#include "patchbay/scalar.h"
#include "patchbay/shape.h"
#include "patchbay/tensor_options.h"

namespace patchbay {

namespace tensor {
struct TensorImpl;
}

/// An array of 0 to 8 dimensions, of one dtype, on one device. A shared handle: copies and views
/// share one storage. Undefined when default-constructed. Operations are queued on the device's
/// current stream and wait for the work that they depend on. Handles are as safe to share between
/// threads as std::shared_ptr; writing elements that another thread uses is a race.
class PATCHBAY_API Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& other) noexcept;
  Tensor(Tensor&& other) noexcept : impl_(other.impl_) { other.impl_ = nullptr; }
  /// Makes this handle refer to another tensor; no element is written.
  Tensor& operator=(Tensor other) & noexcept {
    tensor::TensorImpl* mine = impl_;
    impl_ = other.impl_;
    other.impl_ = mine;
    return *this;
  }
  /// Assigning to a temporary writes its elements: `a[0] = b` sets elements of `a`. `source`
  /// broadcasts, and has the same dtype and device; a 0-d tensor on a CPU device counts as a
  /// number. Queued. Errors: kDeviceMismatch, kDtypeMismatch, kShapeMismatch; kInvalidArgument as
  /// copy_from, and for a temporary that alone holds its storage (`a.clone() = b`).
  Tensor operator=(const Tensor& source) &&;
  /// Writes a number to all elements: `a[0] = 1` is a[0].fill_(1).
  Tensor operator=(const Scalar& value) &&;
  ~Tensor() {
    if (impl_ != nullptr) release();
  }

  /// False for a default-constructed handle, and for one that was moved from.
  bool defined() const { return impl_ != nullptr; }
  /// The extents of the dimensions.
  const Shape& shape() const;
  /// In elements; 0 where a dimension repeats.
  const Shape& strides() const;
  /// The number of dimensions.
  int rank() const { return shape().rank(); }
  /// The extent of a dimension. Negative dims count from the end.
  std::int64_t size(Dim dim) const;
  /// The product of the extents.
  std::int64_t num_elements() const;
  /// The size of all elements.
  std::size_t size_bytes() const;
  /// The type of the elements.
  DType dtype() const;
  /// The device whose memory has the elements.
  Device device() const;
  /// Whether the elements follow each other in row-major order.
  bool is_contiguous() const;
  /// The storage.
  Buffer buffer() const;
  /// The position of the first element in the storage.
  std::size_t offset_bytes() const;
  /// Whether both are the same tensor (same storage, shape and strides).
  bool is_same(const Tensor& other) const;

  /// A pointer to the first element for the host; the others lie at the strides. Blocks until
  /// pending work on the tensor is done. No copy. T may be const, as in data<const float>();
  /// read-only memory may not be written through it. Errors: kDtypeMismatch; kUnsupported if the
  /// host can't address the memory.
  template <class T>
  T* data() const {
    return static_cast<T*>(data(dtype_of<std::remove_const_t<T>>()));
  }

  // Views: the same storage, no copy.
  /// Elements start, start + step, ... below end of one dimension. Negative values count from the
  /// end, and end is limited to the extent. Errors: kInvalidArgument for step < 1.
  [[nodiscard]] Tensor slice(Dim dim, Index start, Index end = INT64_MAX, Index step = 1) const;
  /// One index of a dimension, which is removed. Errors: kInvalidArgument names index and extent.
  [[nodiscard]] Tensor select(Dim dim, Index index) const;
  [[nodiscard]] Tensor operator[](Index index) const { return select(0, index); }
  // In the calls below negative dims count from the end. For transpose and squeeze a tensor of rank
  // 0 has a dimension 0. Errors: kInvalidArgument names the dim and the rank, kShapeMismatch the
  // shapes.
  /// Dimension i of the result is dimension dims[i] of this tensor; each occurs once.
  [[nodiscard]] Tensor permute(std::initializer_list<Dim> dims) const;
  /// Dimension i of the result is dimension dims[i]; `dims` is a vector, span, array or Shape.
  template <class Range>
  requires requires(const Range& range) {
    { *std::begin(range) } -> std::convertible_to<Dim>;
    std::end(range);
  }
  [[nodiscard]] Tensor permute(const Range& dims) const {
    const std::vector<Dim> order(std::begin(dims), std::end(dims));
    return permute(order.data(), order.size());
  }
  /// With two dimensions exchanged.
  [[nodiscard]] Tensor transpose(Dim dim0, Dim dim1) const;
  /// The transpose of a tensor of rank 2.
  [[nodiscard]] Tensor t() const;
  /// The elements (i, i + offset) of two dimensions, which are removed. They become the last
  /// dimension of the result, which is empty if the offset lies outside.
  [[nodiscard]] Tensor diagonal(Index offset = 0, Dim dim0 = -2, Dim dim1 = -1) const;
  /// Broadcast to `shape`. Extents of 1 repeat (stride 0), new dimensions come first, -1 keeps an
  /// extent.
  [[nodiscard]] Tensor expand(const Shape& shape) const;
  /// Without dimension `dim` if its extent is 1, else the tensor itself.
  [[nodiscard]] Tensor squeeze(Dim dim) const;
  /// With a new dimension `dim` of extent 1.
  [[nodiscard]] Tensor unsqueeze(Dim dim) const;
  /// A view of another shape. One extent may be -1. Errors: kShapeMismatch if the number of
  /// elements differs, or if the strides allow no view (then use reshape).
  [[nodiscard]] Tensor view(const Shape& shape) const;
  /// A view if one is possible, else a contiguous copy on the same device.
  [[nodiscard]] Tensor reshape(const Shape& shape) const;
  /// The tensor itself if contiguous, else a copy on the same device.
  [[nodiscard]] Tensor contiguous() const;
  /// A contiguous copy on the same device.
  [[nodiscard]] Tensor clone() const;

  // Movement. Nothing else copies between devices.
  /// The tensor itself if it is on that device, else a contiguous copy. Blocks until the copy is
  /// done, unless `non_blocking`; the source is kept until then. Errors: kUnsupported if that
  /// device has no such dtype; kCopyForbidden inside a guard.
  [[nodiscard]] Tensor to(const Device& device, ToOptions options = {}) const;
  /// The device of that name in the tensor's own runtime: `t.to("cpu")`.
  template <class Name,
            std::enable_if_t<std::is_convertible_v<const Name&, std::string_view>, int> = 0>
  [[nodiscard]] Tensor to(const Name& name, ToOptions options = {}) const {
    if constexpr (std::is_convertible_v<const Name&, const char*>) {
      const char* const text = name;
      return to(options, text != nullptr ? text : "");
    } else {
      return to(options, name);
    }
  }
  /// The elements converted, on the same device; the same tensor if the dtype is equal. Floats
  /// become integers by truncation and saturate; NaN becomes 0. Everything but 0 becomes true.
  [[nodiscard]] Tensor cast(DType dtype) const;
  /// Writes the elements of `source`, of the same shape, on any device and of any dtype (converted
  /// as by cast). Blocks if the devices differ, unless `non_blocking`. In memory that the caller
  /// lent (wrap_host), a non-blocking copy is complete only after buffer().wait(). Errors:
  /// kShapeMismatch; kInvalidArgument if the two overlap in part.
  const Tensor& copy_from(const Tensor& source, bool non_blocking = false) const;
  /// The value of a tensor with one element. A counted copy to the host; blocks. T is the dtype's
  /// type, or one that holds all its values: double for f32, float or double for f16. Errors:
  /// kShapeMismatch; kDtypeMismatch for a type that does not hold all values.
  template <class T>
  [[nodiscard]] T item() const {
    T value;
    item(dtype_of<T>(), &value);
    return value;
  }
  /// All elements in row-major order. A counted copy to the host; blocks. T as for item.
  /// Errors: kDtypeMismatch; kOutOfMemory if the host lacks memory for the values.
  template <class T>
  [[nodiscard]] std::vector<T> to_vector() const;

  // In place.
  /// Writes the value to every element. Queued. Errors: kInvalidArgument if the dtype can't hold
  /// the value, or if elements repeat (stride 0).
  const Tensor& fill_(const Scalar& value) const;
  /// Writes 0 to every element. Queued.
  const Tensor& zero_() const { return fill_(0); }

  // Gradients: autograd.h. Tensors that require gradients can't be written in place.
  /// Whether gradients flow to this tensor: a leaf that asks for them, or a recorded result.
  bool requires_grad() const;
  /// Turns gradients of this leaf on or off. Errors: kDtypeMismatch unless floats or complex ones;
  /// kInvalidArgument for the result of a recorded operation.
  const Tensor& requires_grad_(bool value = true) const;
  /// Whether no recorded operation made this tensor.
  bool is_leaf() const;
  /// The gradient of a leaf, on its device; undefined before the first backward.
  Tensor grad() const;
  /// Replaces grad(); an undefined tensor removes it. Errors: kDeviceMismatch, kShapeMismatch,
  /// kDtypeMismatch.
  const Tensor& set_grad(const Tensor& gradient) const;
  /// A tensor with the same storage that is not part of the record.
  [[nodiscard]] Tensor detach() const;
  /// Adds the gradients of this tensor, times `gradient` (1 if the tensor has one element and none
  /// is given), to grad() of each leaf that it depends on. Queued. Errors: kInvalidArgument if the
  /// tensor requires no gradient, if the record was freed, or if a needed operand was overwritten.
  void backward() const;
  void backward(const Tensor& gradient, BackwardOptions options = {}) const;
  /// Adds a function that backward calls with the gradient of this tensor. The number removes it.
  std::uint64_t add_gradient_hook(GradientHook hook) const;
  /// Removes the hook of that number.
  void remove_gradient_hook(std::uint64_t number) const;

  // New tensors on this tensor's device, with its dtype unless one is given.
  /// Uninitialised elements.
  [[nodiscard]] Tensor new_empty(const Shape& shape, std::optional<DType> dtype = {}) const;
  /// Zeros.
  [[nodiscard]] Tensor new_zeros(const Shape& shape, std::optional<DType> dtype = {}) const;
  /// Ones.
  [[nodiscard]] Tensor new_ones(const Shape& shape, std::optional<DType> dtype = {}) const;
  /// Elements that are all `value`.
  [[nodiscard]] Tensor new_full(const Shape& shape, const Scalar& value,
                                std::optional<DType> dtype = {}) const;

  /// Adopts one reference.
  explicit Tensor(tensor::TensorImpl* impl) : impl_(impl) {}
  tensor::TensorImpl* impl() const { return impl_; }

 private:
  void release() noexcept;
  // What the templates call has their names, which validation reports.
  void* data(DType dtype) const;
  Tensor permute(const Dim* dims, std::size_t num_dims) const;
  Tensor to(ToOptions options, std::string_view device_name) const;
  void item(DType dtype, void* value) const;
  /// Calls make(user, count) for the memory to write to, after all checks.
  void to_vector(DType dtype, void* (*make)(void* user, std::size_t count), void* user) const;

  tensor::TensorImpl* impl_ = nullptr;
};

// Creation. Errors of all: kUnsupported if the device has no such dtype; kInvalidArgument and
// kOverflow for shapes; kOutOfMemory.
/// A tensor with uninitialised elements.
[[nodiscard]] PATCHBAY_API Tensor empty(const Shape& shape, const TensorOptions& options = {});
/// A tensor of zeros.
[[nodiscard]] PATCHBAY_API Tensor zeros(const Shape& shape, const TensorOptions& options = {});
/// A tensor of ones.
[[nodiscard]] PATCHBAY_API Tensor ones(const Shape& shape, const TensorOptions& options = {});
/// A tensor whose elements are all `value`.
[[nodiscard]] PATCHBAY_API Tensor full(const Shape& shape, const Scalar& value,
                                       const TensorOptions& options = {});
/// start, start + step, ... below end: ceil((end - start) / step) elements, rank 1. Unless a dtype
/// is given, i64 if all three are integers, else f32.
[[nodiscard]] PATCHBAY_API Tensor arange(const Scalar& start, const Scalar& end,
                                         const Scalar& step = 1, const TensorOptions& options = {});
/// `count` elements from start to end, both included, at equal distances; rank 1, f32 unless a
/// dtype is given. Dtypes: floats. Errors: kInvalidArgument for a negative count or infinite
/// bounds.
[[nodiscard]] PATCHBAY_API Tensor linspace(double start, double end, Index count,
                                           const TensorOptions& options = {});
/// A matrix of 0 with 1 on its diagonal, [rows, columns]; square unless columns are given.
[[nodiscard]] PATCHBAY_API Tensor eye(Index rows, const TensorOptions& options = {});
[[nodiscard]] PATCHBAY_API Tensor eye(Index rows, Index columns, const TensorOptions& options);
template <AnyInteger Columns>  // 0 is no option
[[nodiscard]] inline Tensor eye(Index rows, Columns columns) {
  return eye(rows, columns, TensorOptions());
}
/// A tensor with uninitialised elements with the shape, dtype and device of `like`.
[[nodiscard]] PATCHBAY_API Tensor empty_like(const Tensor& like);
/// A tensor of zeros with the shape, dtype and device of `like`.
[[nodiscard]] PATCHBAY_API Tensor zeros_like(const Tensor& like);
/// A tensor of ones with the shape, dtype and device of `like`.
[[nodiscard]] PATCHBAY_API Tensor ones_like(const Tensor& like);
/// A tensor of `value` with the shape, dtype and device of `like`.
[[nodiscard]] PATCHBAY_API Tensor full_like(const Tensor& like, const Scalar& value);

/// Copies num_elements(shape) values of `dtype` in row-major order (a bool is a byte, 0 or 1).
/// Blocks; the caller may reuse the memory when the call returns.
[[nodiscard]] PATCHBAY_API Tensor from_host_bytes(const void* data, DType dtype, const Shape& shape,
                                                  const Device& device = default_device());
/// Copies typed values: a span, std::vector, std::array, array, list in braces, or pointer and
/// count. Blocks. Errors: kShapeMismatch if the number of values is not that of the shape.
template <class T>
[[nodiscard]] Tensor from_host(std::span<const T> values, const Shape& shape,
                               const Device& device = default_device());
template <class T, std::size_t N>
[[nodiscard]] Tensor from_host(std::span<T, N> values, const Shape& shape,
                               const Device& device = default_device());
template <class T>
[[nodiscard]] Tensor from_host(const std::vector<T>& values, const Shape& shape,
                               const Device& device = default_device());
template <class T, std::size_t N>
[[nodiscard]] Tensor from_host(const std::array<T, N>& values, const Shape& shape,
                               const Device& device = default_device());
template <class T, std::size_t N>
[[nodiscard]] Tensor from_host(const T (&values)[N], const Shape& shape,
                               const Device& device = default_device());
template <class T>
[[nodiscard]] Tensor from_host(std::initializer_list<T> values, const Shape& shape,
                               const Device& device = default_device());
template <class T>
[[nodiscard]] Tensor from_host(const T* values, std::size_t num_values, const Shape& shape,
                               const Device& device = default_device());
/// A tensor in the caller's memory (contiguous, row-major, aligned to its elements), without a
/// copy, on a device that can address host memory. The caller owns the memory and keeps it valid
/// until `released` is called. Errors: kUnsupported if the device can't address it;
/// kInvalidArgument for null or misaligned memory.
[[nodiscard]] PATCHBAY_API Tensor wrap_host(void* data, DType dtype, const Shape& shape,
                                            const Device& device = default_device(),
                                            std::function<void()> released = {});
namespace tensor {
PATCHBAY_API Tensor wrap_read_only(const void* data, DType dtype, const Shape& shape,
                                   const Device& device, std::function<void()> released);
}  // namespace tensor
/// A read-only tensor in host memory that the caller keeps, without a copy. Operations refuse to
/// write to it and to its views: kInvalidArgument.
template <class T>
requires std::is_const_v<T>
[[nodiscard]] Tensor wrap_host(T* data, DType dtype, const Shape& shape,
                               const Device& device = default_device(),
                               std::function<void()> released = {}) {
  return tensor::wrap_read_only(data, dtype, shape, device, std::move(released));
}

/// The values as text in aligned rows, with dtype, shape and device; large tensors are shortened.
/// Fetches the elements that it prints, in one counted copy. Blocks.
PATCHBAY_API std::string show(const Tensor& tensor, const PrintOptions& options = print_options());
/// Prints like show if the host can address the memory, else only shape, dtype and device, and how
/// to see the values. Copies nothing.
PATCHBAY_API std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace patchbay

#include "patchbay/tensor_inl.h"

#endif  // PATCHBAY_TENSOR_H_
