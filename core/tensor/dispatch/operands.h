// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The checks of operands that all operations share, and their messages.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_OPERANDS_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_OPERANDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/tensor.h"

#include "core/base/element_bits.h"
#include "core/tensor/base/named.h"
#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// The message suggests moving `got`.
[[noreturn, gnu::cold]] void raise_device_mismatch(const char* operation,
                                                   const NamedOperand& expected,
                                                   const NamedOperand& got);
/// For operations that accept 0-d tensors on CPU devices as numbers.
[[noreturn, gnu::cold]] void raise_place_mismatch(const char* operation, const NamedOperand& place,
                                                  const NamedOperand& got);
[[noreturn, gnu::cold]] void raise_dtype_mismatch(const char* operation,
                                                  const NamedOperand& expected,
                                                  const NamedOperand& got);
[[noreturn, gnu::cold]] void raise_no_such_dtype(const char* operation, DTypes dtypes,
                                                 const NamedOperand& operand);

inline void check_same_device(const char* operation, const NamedOperand& expected,
                              const NamedOperand& got) {
  if (&expected.tensor.device() != &got.tensor.device()) [[unlikely]]
    raise_device_mismatch(operation, expected, got);
}
inline void check_same_dtype(const char* operation, const NamedOperand& expected,
                             const NamedOperand& got) {
  if (expected.tensor.dtype != got.tensor.dtype) [[unlikely]]
    raise_dtype_mismatch(operation, expected, got);
}
inline void check_dtype_allowed(const char* operation, DTypes dtypes, const NamedOperand& operand) {
  if (!contains(dtypes, operand.tensor.dtype)) [[unlikely]]
    raise_no_such_dtype(operation, dtypes, operand);
}
inline void check_dtype_allowed(const Operator& op, const NamedOperand& operand) {
  check_dtype_allowed(op.name, op.dtypes, operand);
}

/// Errors: kUnsupported if the device does not support `dtype`.
void check_device_has(const char* operation, const runtime::DeviceState& device, DType dtype);
bool has_dtype(const runtime::DeviceState& device, DType dtype);

/// Whether an elementwise operation on another device may use the tensor as a number: it is 0-d, on
/// a CPU device whose memory the host can read.
bool is_host_scalar(const TensorImpl& tensor, const TensorImpl& place);
/// Whether the two are such numbers on different devices, so that neither device is the
/// operation's.
bool are_rival_scalars(const TensorImpl& a, const TensorImpl& b);
/// Errors: kCopyForbidden if the guard refuses that number. For calls that read it later.
void check_host_scalar(const char* operation, const TensorImpl& tensor, const TensorImpl& place);
/// Reads that number for an operation on the device of `place`, after waiting for it, and counts it
/// in the ledger. Called after the checks of all operands. Errors: kCopyForbidden.
base::ElementBits read_host_scalar(const char* operation, const TensorImpl& tensor,
                                   const TensorImpl& place);

/// The shape that both broadcast to. Errors: kShapeMismatch.
Shape broadcast_shapes(const char* operation, const NamedOperand& a, const NamedOperand& b);
/// The shape to which two shapes broadcast that are known to do so.
Shape joined(const Shape& a, const Shape& b);

/// Checks that `out` has the result's shape and dtype, and that it can be written. `name` is that
/// of the operand if the operation is in place.
void check_out(const char* operation, const TensorImpl& out, const Shape& shape, DType dtype,
               std::string_view name = "out");
/// For operations that write to an `out`, through which no gradient flows.
void refuse_gradient(const char* operation, const NamedOperand& operand);
/// Allows writing in place, but no other sharing of elements with an input.
void check_no_partial_overlap(const char* operation, const NamedOperand& out,
                              const NamedOperand& input);
inline void check_no_partial_overlap(const char* operation, const TensorImpl& out,
                                     const NamedOperand& input) {
  check_no_partial_overlap(operation, {"out", out}, input);
}
/// For operations that still read an input after they start to write.
void check_no_overlap(const char* operation, const TensorImpl& out, const NamedOperand& input);
/// For operations with several outputs.
void check_outputs_apart(const char* operation, const TensorImpl& out, const TensorImpl& other);
/// Checks that `out` can be written: it is not read-only, repeats no elements, and no recorded
/// graph needs it. After the last check, a call that writes counts a version of the storage.
void check_destination(const char* operation, const TensorImpl& out, std::string_view name = "out");
/// The check and the count, where no other check follows.
inline void claim_destination(const char* operation, const TensorImpl& out,
                              std::string_view name = "out") {
  check_destination(operation, out, name);
  out.buffer().count_version();
}

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_OPERANDS_H_
