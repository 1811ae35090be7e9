// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What all operations check of their operands, and the messages: made here only, on failure only.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_OPERANDS_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_OPERANDS_H_

#include <cstdint>
#include <string>

#include "patchbay/tensor.h"

#include "core/base/error.h"
#include "core/tensor/base/tensor_impl.h"
#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

using runtime::raise;

/// An operand with the name that the header gives it.
struct Named {
  const char* name;
  const TensorImpl& tensor;
};

/// "f32 [2, 3] on cpu:0"
std::string describe(const TensorImpl& tensor);
/// "a: f32 [2, 3] on cpu:0"
std::string describe(const Named& operand);

[[noreturn, gnu::cold]] void raise_undefined(const char* operation, const char* operand);
/// The way out moves `got`.
[[noreturn, gnu::cold]] void raise_device_mismatch(const char* operation, const Named& expected,
                                                   const Named& got);
/// For operations that take 0-d tensors on CPU devices as numbers.
[[noreturn, gnu::cold]] void raise_place_mismatch(const char* operation, const Named& place,
                                                  const Named& got);
[[noreturn, gnu::cold]] void raise_dtype_mismatch(const char* operation, const Named& expected,
                                                  const Named& got);
[[noreturn, gnu::cold]] void raise_no_such_dtype(const char* operation, DTypes dtypes,
                                                 const Named& operand);

/// The tensor behind a handle. Errors: kInvalidArgument if it is undefined.
inline TensorImpl& impl_of(const char* operation, const Tensor& tensor, const char* name = "a") {
  if (!tensor.defined()) [[unlikely]]
    raise_undefined(operation, name);
  return *tensor.impl();
}

inline void check_same_device(const char* operation, const Named& expected, const Named& got) {
  if (&expected.tensor.device() != &got.tensor.device()) [[unlikely]]
    raise_device_mismatch(operation, expected, got);
}
inline void check_same_dtype(const char* operation, const Named& expected, const Named& got) {
  if (expected.tensor.dtype != got.tensor.dtype) [[unlikely]]
    raise_dtype_mismatch(operation, expected, got);
}
inline void check_dtype_allowed(const char* operation, DTypes dtypes, const Named& operand) {
  if (!contains(dtypes, operand.tensor.dtype)) [[unlikely]]
    raise_no_such_dtype(operation, dtypes, operand);
}
inline void check_dtype_allowed(const Operator& op, const Named& operand) {
  check_dtype_allowed(op.name, op.dtypes, operand);
}

/// Errors: kUnsupported if elements of `dtype` can't be on the device.
void check_device_has(const char* operation, const runtime::DeviceState& device, DType dtype);
bool has_dtype(const runtime::DeviceState& device, DType dtype);

/// Whether the tensor may stand for its value in an elementwise operation on another device: 0-d,
/// on a CPU device whose memory the host reads.
bool is_host_scalar(const TensorImpl& tensor, const TensorImpl& place);
/// The element of such a tensor, after waiting for it: no copy.
std::uint64_t read_host_scalar(const TensorImpl& tensor);

/// The shape that both broadcast to. Errors: kShapeMismatch.
Shape broadcast_shapes(const char* operation, const Named& a, const Named& b);
/// The same for shapes that are known to broadcast.
Shape joined(const Shape& a, const Shape& b);

/// Checks that `out` can take a result, by shape and dtype, and claims it.
void claim_out(const char* operation, const TensorImpl& out, const Shape& shape, DType dtype);
/// For operations whose result is an `out`: no gradient flows through them.
void refuse_gradient(const char* operation, const Named& operand);
/// Writing in place is fine; sharing only some elements with an input is not.
void check_no_partial_overlap(const char* operation, const Named& out, const Named& input);
inline void check_no_partial_overlap(const char* operation, const TensorImpl& out,
                                     const Named& input) {
  check_no_partial_overlap(operation, {"out", out}, input);
}
/// For operations that read an input after they have begun to write.
void check_no_overlap(const char* operation, const TensorImpl& out, const Named& input);
/// For operations with several outputs.
void check_outputs_apart(const char* operation, const TensorImpl& out, const TensorImpl& other);
/// Checks that `out` may be written: it is not read-only, each element has a place of its own, and
/// no recorded graph needs it. Its storage counts one more version.
void claim_destination(const char* operation, const TensorImpl& out, const char* name = "out");

/// A dimension from 0 on; `dim` may count from the end. Errors: kInvalidArgument.
int resolve_dim(const char* operation, const TensorImpl& tensor, int dim);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_OPERANDS_H_
