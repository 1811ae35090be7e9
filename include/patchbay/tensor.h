// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TENSOR_H_
#define PATCHBAY_TENSOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
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

/// An n-dimensional array, rank 0 to 8, of one dtype on one device. A shared handle: copies and
/// views alias one storage. Undefined when default-constructed. Operations are queued on the
/// device's default stream and wait for what they depend on. Handles are as safe to share between
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
  /// What has no name is written to: `a[0] = b` sets elements of `a`. `source` broadcasts, and has
  /// the same dtype and device; a 0-d tensor on a CPU device may stand for its value. Queued.
  /// Errors: kDeviceMismatch, kDtypeMismatch, kShapeMismatch; kInvalidArgument as copy_from, and
  /// for a temporary that alone holds its storage (`a.clone() = b`), where the write would be lost.
  Tensor operator=(const Tensor& source) &&;
  /// The same with a number: `a[0] = 1` is a[0].fill_(1).
  Tensor operator=(const Scalar& value) &&;
  ~Tensor() {
    if (impl_ != nullptr) release();
  }

  bool defined() const { return impl_ != nullptr; }
  const Shape& shape() const;
  /// In elements; 0 where a dimension repeats.
  const Shape& strides() const;
  int rank() const { return shape().rank(); }
  /// The extent of a dimension; negative dims count from the end.
  std::int64_t size(Dim dim) const;
  std::int64_t num_elements() const;
  std::size_t size_bytes() const;
  DType dtype() const;
  Device device() const;
  bool is_contiguous() const;
  /// The storage, and where in it the first element lies.
  Buffer buffer() const;
  std::size_t offset_bytes() const;
  /// True for handles of one and the same tensor (same storage, shape, strides).
  bool is_same(const Tensor& other) const;

  /// The first element, where the host can address it, after waiting for pending work; the others
  /// lie at the strides. No copy.
  /// Errors: kDtypeMismatch; kUnsupported on a device that the host can't read, with the way out.
  template <class T>
  T* data() const {
    return static_cast<T*>(host_data(dtype_of<T>()));
  }

  // Views: no copy, the same storage.
  /// Elements start, start + step, ... below end of one dimension; negative values count from the
  /// end, end is clamped. Errors: kInvalidArgument for step < 1.
  [[nodiscard]] Tensor slice(Dim dim, Index start, Index end = INT64_MAX, Index step = 1) const;
  /// One index of one dimension, which goes. Errors: kInvalidArgument names index and extent.
  [[nodiscard]] Tensor select(Dim dim, Index index) const;
  [[nodiscard]] Tensor operator[](Index index) const { return select(0, index); }
  // The next six count negative dims from the end. Errors: kInvalidArgument names the dim and the
  // rank, kShapeMismatch the shapes.
  /// Dimension i of the result is dims[i] of this one; each occurs once.
  [[nodiscard]] Tensor permute(std::initializer_list<Dim> dims) const;
  [[nodiscard]] Tensor transpose(Dim dim0, Dim dim1) const;
  /// Rank 2 transposed.
  [[nodiscard]] Tensor t() const;
  /// The elements (i, i + offset) of the planes of two dimensions, which go; they are the last
  /// dimension of the result. Empty where the offset lies outside of the planes.
  [[nodiscard]] Tensor diagonal(Index offset = 0, Dim dim0 = -2, Dim dim1 = -1) const;
  /// Broadcast to `shape`: extents of 1 repeat (stride 0), new ones come in front, -1 keeps one.
  [[nodiscard]] Tensor expand(const Shape& shape) const;
  /// Without dimension `dim` if its extent is 1, else itself.
  [[nodiscard]] Tensor squeeze(Dim dim) const;
  /// With a new dimension `dim` of extent 1.
  [[nodiscard]] Tensor unsqueeze(Dim dim) const;
  /// A view of another shape; one extent may be -1. Errors: kShapeMismatch if the elements do not
  /// fit, or if the strides allow no view (then use reshape).
  [[nodiscard]] Tensor view(const Shape& shape) const;
  /// A view where one is possible, else a contiguous copy on the same device.
  [[nodiscard]] Tensor reshape(const Shape& shape) const;
  /// Itself if contiguous, else a copy on the same device.
  [[nodiscard]] Tensor contiguous() const;
  /// New storage on the same device.
  [[nodiscard]] Tensor clone() const;

  // Movement. Nothing else copies between devices.
  /// The same tensor if it is there already, else a contiguous copy. Blocks until it is there,
  /// unless `non_blocking`; the source is kept as long as it takes.
  /// Errors: kUnsupported if that device has no such dtype; kCopyForbidden inside a guard.
  [[nodiscard]] Tensor to(const Device& device, ToOptions options = {}) const;
  /// The device of that name in the tensor's own runtime: `t.to("cpu")`.
  template <class Name,
            std::enable_if_t<std::is_convertible_v<const Name&, std::string_view>, int> = 0>
  [[nodiscard]] Tensor to(const Name& name, ToOptions options = {}) const {
    return to_named(name, options);
  }
  /// Elements converted on the same device; the same tensor if the dtype is equal. Floats become
  /// integers by truncation and saturate, NaN becomes 0; anything but 0 becomes true.
  [[nodiscard]] Tensor cast(DType dtype) const;
  /// Writes `source`, of the same shape, into this storage: across devices and dtypes, which
  /// convert as in cast. Blocks if devices differ, unless `non_blocking`; into memory that the
  /// caller lent, a non-blocking copy is complete only after buffer().wait().
  /// Errors: kShapeMismatch; kInvalidArgument if both share some elements but not all.
  const Tensor& copy_from(const Tensor& source, bool non_blocking = false) const;
  /// The one element; a copy to the host that waits and is counted. T is the dtype's type, or one
  /// that holds all its values: double for f32, float or double for f16.
  /// Errors: kShapeMismatch; kDtypeMismatch for a type that may lose something.
  template <class T>
  [[nodiscard]] T item() const {
    T value;
    item_bytes(dtype_of<T>(), &value);
    return value;
  }
  /// All elements in row-major order; a copy to the host that waits and is counted. T as for item.
  /// Errors: kDtypeMismatch; kOutOfMemory if the host has no room for the values.
  template <class T>
  [[nodiscard]] std::vector<T> to_vector() const;

  // In place.
  /// Every element takes the value. Queued. Errors: kInvalidArgument if the value does not fit the
  /// dtype, or if an element is repeated (stride 0).
  const Tensor& fill_(const Scalar& value) const;
  const Tensor& zero_() const { return fill_(0); }

  // Gradients, autograd.h. What takes part in a recorded graph may not be written in place.
  /// Whether gradients flow to it: asked for on a leaf, or the result of a recorded operation.
  bool requires_grad() const;
  /// Asks for gradients of this tensor, or no longer. Errors: kDtypeMismatch unless f32, f64, f16,
  /// bf16; kInvalidArgument for the result of a recorded operation.
  const Tensor& requires_grad_(bool value = true) const;
  /// True for what no recorded operation made.
  bool is_leaf() const;
  /// A leaf's gradient, on its device; undefined before the first backward. The handle is shared.
  Tensor grad() const;
  /// Replaces it; undefined drops it. Errors: kDeviceMismatch, kShapeMismatch, kDtypeMismatch.
  const Tensor& set_grad(const Tensor& gradient) const;
  /// The same storage, cut off from the graph.
  [[nodiscard]] Tensor detach() const;
  /// Adds the gradient of this tensor, times `gradient` (one element: 1 if none), to grad() of each
  /// leaf that it came from. Queued, by the calling thread. Errors: kInvalidArgument if it
  /// requires no gradient, if the graph was freed, or if an operand was overwritten since.
  void backward() const;
  void backward(const Tensor& gradient, BackwardOptions options = {}) const;
  /// Called in backward with the gradient of this tensor; the number removes it.
  std::uint64_t add_gradient_hook(GradientHook hook) const;
  void remove_gradient_hook(std::uint64_t number) const;

  // Creation like this tensor: its device and, unless given, its dtype.
  [[nodiscard]] Tensor new_empty(const Shape& shape, std::optional<DType> dtype = {}) const;
  [[nodiscard]] Tensor new_zeros(const Shape& shape, std::optional<DType> dtype = {}) const;
  [[nodiscard]] Tensor new_ones(const Shape& shape, std::optional<DType> dtype = {}) const;
  [[nodiscard]] Tensor new_full(const Shape& shape, const Scalar& value,
                                std::optional<DType> dtype = {}) const;

  /// Adopts one reference.
  explicit Tensor(tensor::TensorImpl* impl) : impl_(impl) {}
  tensor::TensorImpl* impl() const { return impl_; }

 private:
  void release() noexcept;
  void* host_data(DType dtype) const;
  Tensor to_named(std::string_view device_name, ToOptions options) const;
  void item_bytes(DType dtype, void* value) const;
  /// Calls make(user, count) for the memory to write to, once all is checked.
  void copy_elements_to(DType dtype, void* (*make)(void* user, std::size_t count),
                        void* user) const;

  tensor::TensorImpl* impl_ = nullptr;
};

// Creation. Errors of all: kUnsupported if the device has no such dtype; kInvalidArgument and
// kOverflow for shapes; kOutOfMemory.
/// Uninitialised elements.
[[nodiscard]] PATCHBAY_API Tensor empty(const Shape& shape, const TensorOptions& options = {});
[[nodiscard]] PATCHBAY_API Tensor zeros(const Shape& shape, const TensorOptions& options = {});
[[nodiscard]] PATCHBAY_API Tensor ones(const Shape& shape, const TensorOptions& options = {});
[[nodiscard]] PATCHBAY_API Tensor full(const Shape& shape, const Scalar& value,
                                       const TensorOptions& options = {});
/// [start, end) by step; ceil((end - start) / step) elements of rank 1. Unless a dtype is given,
/// i64 if all three are integers, else f32.
[[nodiscard]] PATCHBAY_API Tensor arange(const Scalar& start, const Scalar& end,
                                         const Scalar& step = 1, const TensorOptions& options = {});
[[nodiscard]] PATCHBAY_API Tensor empty_like(const Tensor& like);
[[nodiscard]] PATCHBAY_API Tensor zeros_like(const Tensor& like);
[[nodiscard]] PATCHBAY_API Tensor ones_like(const Tensor& like);
[[nodiscard]] PATCHBAY_API Tensor full_like(const Tensor& like, const Scalar& value);

/// Copies num_elements(shape) values of `dtype` in row-major order (a bool is a byte, 0 or 1),
/// which the caller may reuse at once.
[[nodiscard]] PATCHBAY_API Tensor from_host_bytes(const void* data, DType dtype, const Shape& shape,
                                                  const Device& device = default_device());
/// The same from typed values: a span, std::vector, std::array or array, a list in braces, or a
/// pointer and how many there are. Errors: kShapeMismatch if their number is not the shape's.
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
/// Borrows `data` (contiguous, row-major, aligned to its elements) for a device that can address
/// host memory; it must stay valid until `released` is called. The caller keeps owning it.
/// Errors: kUnsupported if the device can't; kInvalidArgument for null or misaligned memory.
[[nodiscard]] PATCHBAY_API Tensor wrap_host(void* data, DType dtype, const Shape& shape,
                                            const Device& device = default_device(),
                                            std::function<void()> released = {});

/// The values in aligned rows, with dtype, shape and device; long dimensions are shortened. Fetches
/// what it prints, in one counted copy.
PATCHBAY_API std::string show(const Tensor& tensor, const PrintOptions& options = print_options());
/// A tensor on a host-addressable device prints like show; another prints shape, dtype and device,
/// and how to see the values: nothing is copied.
PATCHBAY_API std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace patchbay

#include "patchbay/tensor_inl.h"

#endif  // PATCHBAY_TENSOR_H_
