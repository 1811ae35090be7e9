// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Launches a checked operation: the operator's kernel and its arguments.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_DISPATCH_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_DISPATCH_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/kernel.h"
#include "patchbay/scalar.h"

#include "core/runtime/kernel/launch.h"
#include "core/runtime/stream/recorder.h"
#include "core/tensor/base/iteration.h"
#include "core/tensor/base/tensor_impl.h"
#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// An input of an elementwise operation: a tensor, or (null) the value of one element.
struct Operand {
  const TensorImpl* tensor = nullptr;
  base::ElementBits bits = {};
  std::uint32_t slot = 0;  // for a number that replays may change
};

/// A number as an operand. It may be a recording's slot. Errors: those of Scalar::bits.
Operand literal(const char* operation, DType dtype, const Scalar& value);

/// The real (0) or imaginary (1) part of the value of a complex element.
constexpr base::ElementBits part_of(const base::ElementBits& bits, DType dtype, int part) {
  if (dtype == DType::c128) return part == 0 ? bits.low : bits.high;
  return part == 0 ? bits.low & 0xffff'ffffu : bits.low >> 32;
}

/// The arguments of one launch. `Room` has their storage. The tensors must outlive the launch.
template <class Room>
class LaunchIn {
 public:
  LaunchIn() = default;
  explicit LaunchIn(Room room) : room_(std::move(room)) {}

  /// Adds a tensor with these extents and strides.
  void tensor(const TensorImpl& tensor, const Shape& shape, const Shape& strides,
              std::uint8_t access) {
    patchbay_argument& argument = add(tensor, shape.rank(), access);
    std::copy(shape.begin(), shape.end(), argument.shape);
    std::copy(strides.begin(), strides.end(), argument.strides);
  }
  /// Adds a contiguous tensor as one dimension.
  void flat(const TensorImpl& tensor, std::uint8_t access) {
    patchbay_argument& argument = add(tensor, 1, access);
    argument.shape[0] = tensor.num_elements;
    argument.strides[0] = 1;
  }
  /// Adds a number of `dtype` (u8 for bool), and the recording's slot for it, if any.
  void scalar(const base::ElementBits& bits, DType dtype, std::uint32_t slot = runtime::kNoSlot) {
    if (slot != runtime::kNoSlot) [[unlikely]] {
      if (!has_slots_) std::fill(room_.slots.begin(), room_.slots.end(), runtime::kNoSlot);
      has_slots_ = true;
      room_.slots[num_arguments_] = slot;
    }
    runtime::set_scalar(next(), bits, scalar_dtype(dtype));
  }

  /// Launches. Errors and traces name the operation `name`.
  void run(std::string_view name, runtime::KernelState& kernel) const {
    runtime::launch(kernel, std::span(room_.arguments.data(), num_arguments_),
                    std::span(room_.uses.data(), num_uses_), name,
                    std::span(room_.slots.data(), has_slots_ ? num_arguments_ : 0));
  }

 private:
  patchbay_argument& next() {
    patchbay_argument& argument = room_.arguments[num_arguments_++];
    std::memset(argument.reserved0, 0, sizeof(argument.reserved0));
    argument.contents = argument.reserved1 = 0;
    return argument;
  }
  patchbay_argument& add(const TensorImpl& tensor, int rank, std::uint8_t access) {
    patchbay_argument& argument = next();
    runtime::set_tensor(argument, tensor.buffer(), tensor.offset_bytes, tensor.dtype, rank, access);
    room_.uses[num_uses_++] = {&tensor.buffer(), (access & PATCHBAY_WRITE) != 0,
                               (access & PATCHBAY_READ) != 0};
    return argument;
  }

  Room room_;
  std::size_t num_arguments_ = 0, num_uses_ = 0;
  bool has_slots_ = false;
};

/// On the stack. The launch fills what it uses.
template <std::size_t kMostTensors, std::size_t kMostArguments>
struct LaunchRoom {
  std::array<patchbay_argument, kMostArguments> arguments;
  std::array<runtime::BufferAccess, kMostTensors> uses;
  std::array<std::uint32_t, kMostArguments> slots;
};
template <std::size_t kMostTensors, std::size_t kMostArguments>
using LaunchOf = LaunchIn<LaunchRoom<kMostTensors, kMostArguments>>;
using Launch = LaunchOf<8, 8>;

/// Of any number of tensors and arguments, on the heap.
struct LargeRoom {
  LargeRoom(std::size_t num_tensors, std::size_t num_arguments)
      : arguments(num_arguments), uses(num_tensors), slots(num_arguments) {}

  std::vector<patchbay_argument> arguments;
  std::vector<runtime::BufferAccess> uses;
  std::vector<std::uint32_t> slots;
};
using LargeLaunch = LaunchIn<LargeRoom>;

/// out = op(inputs), element by element. Inputs have `dtype` and broadcast to out. Does nothing if
/// out is empty.
void launch_elementwise(const Operator& op, DType dtype, const TensorImpl& out,
                        std::span<const Operand> inputs);
void launch_fill(const TensorImpl& out, const base::ElementBits& bits);
void launch_fill(const TensorImpl& out, const Operand& value);
/// Copies or, if the dtypes differ, casts.
void launch_copy(const TensorImpl& out, const TensorImpl& in);
void launch_arange(const TensorImpl& out, const base::ElementBits& start,
                   const base::ElementBits& step);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_DISPATCH_H_
