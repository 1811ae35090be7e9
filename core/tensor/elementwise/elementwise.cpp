// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Binary and unary operations.
#include "core/tensor/elementwise/elementwise.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "patchbay/ops.h"
#include "patchbay/plugin/kernels/elementwise.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/elementwise/complex.h"
#include "core/tensor/elementwise/fused.h"
#include "core/tensor/elementwise/fused_call.h"
#include "core/tensor/fuse/derivatives.h"

namespace patchbay {

namespace tensor {
namespace {

/// Two matching operands, and the tensor whose device runs the operation.
struct Pair {
  std::array<Operand, 2> operands;
  const TensorImpl* place;
};

/// For different devices: the operand beside a host scalar.
const TensorImpl& place_of(const Operator& op, const NamedOperand& a, const NamedOperand& b) {
  if (are_rival_scalars(a.tensor, b.tensor)) raise_place_mismatch(op.name, a, b);
  if (is_host_scalar(b.tensor, a.tensor)) return a.tensor;
  if (!is_host_scalar(a.tensor, b.tensor)) {
    const bool moves_a = a.tensor.shape.rank() == 0 && b.tensor.shape.rank() != 0;
    raise_place_mismatch(op.name, moves_a ? b : a, moves_a ? a : b);
  }
  return b.tensor;
}

/// Whether the operator is computed from the parts of complex operands.
bool is_of_parts(const Operator& op, const TensorImpl& operand) {
  if (contains(op.dtypes, operand.dtype)) [[likely]]
    return false;
  return is_complex(operand.dtype) && has_complex_form(op);
}

/// Two complex operands.
std::array<TensorOrScalar, 2> matched_complex(const Operator& op, const Tensor& a,
                                              const Tensor& b) {
  const NamedOperand x{"a", *a.impl()}, y{"b", *b.impl()};
  if (&x.tensor.device() != &y.tensor.device()) raise_device_mismatch(op.name, x, y);
  check_same_dtype(op.name, x, y);
  return {a, b};
}

/// Checks devices before dtypes.
Pair match(const Operator& op, const NamedOperand& a, const NamedOperand& b) {
  const bool differs = &a.tensor.device() != &b.tensor.device();
  const TensorImpl& place = differs ? place_of(op, a, b) : a.tensor;
  check_same_dtype(op.name, a, b);
  check_dtype_allowed(op, a);
  return {{Operand{&a.tensor}, Operand{&b.tensor}}, &place};
}

/// The name of the operand that the result replaces, as in `a += b`; else "out".
std::string_view name_of(const Tensor& out, std::span<const Operand> operands,
                         std::span<const char* const> names) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].tensor == out.impl()) return names[i];
  }
  return "out";
}

bool is_elsewhere(const Operand& operand, const TensorImpl& place) {
  return operand.tensor != nullptr && &operand.tensor->device() != &place.device();
}

constexpr std::array<const char*, 2> kNames{"a", "b"};

Tensor binary(const Operator& op, const Tensor& a, const Tensor& b) {
  const NamedOperand x{"a", impl_of(op.name, a, "a")}, y{"b", impl_of(op.name, b, "b")};
  if (is_of_parts(op, x.tensor)) [[unlikely]]
    return complex_result(op, matched_complex(op, a, b));
  Pair pair = match(op, x, y);
  const DType dtype = x.tensor.dtype;
  const Shape shape = broadcast_shapes(op.name, x, y);
  if (&x.tensor.device() != &y.tensor.device()) [[unlikely]]
    read_scalars(op.name, *pair.place, pair.operands);
  Tensor result = make_empty(op.name, shape, result_dtype(op, dtype), *pair.place);
  launch_elementwise(op, dtype, *result.impl(), pair.operands);
  if (needs_grad(x.tensor) || needs_grad(y.tensor)) [[unlikely]]
    record_elementwise(op, result, a, b);
  return result;
}

const Tensor& binary_out(const Operator& op, const Tensor& out, const Tensor& a, const Tensor& b) {
  static_cast<void>(impl_of(op.name, out, "out"));
  const NamedOperand x{"a", impl_of(op.name, a, "a")}, y{"b", impl_of(op.name, b, "b")};
  if (is_of_parts(op, x.tensor)) [[unlikely]]
    return complex_out(op, out, matched_complex(op, a, b));
  Pair pair = match(op, x, y);
  return run_out(op, x.tensor.dtype, out, broadcast_shapes(op.name, x, y), pair.operands, kNames);
}

/// Runs a binary operation in which one operand is a literal.
Tensor with_literal(const Operator& op, const TensorImpl& tensor,
                    const std::array<Operand, 2>& operands) {
  Tensor result = make_empty(op.name, tensor.shape, result_dtype(op, tensor.dtype), tensor);
  launch_elementwise(op, tensor.dtype, *result.impl(), operands);
  return result;
}

Operand literal_for(const Operator& op, const NamedOperand& operand, const Scalar& value) {
  check_dtype_allowed(op, operand);
  return literal(op.name, operand.tensor.dtype, value);
}

Tensor binary(const Operator& op, const Tensor& a, const Scalar& b) {
  const TensorImpl& x = impl_of(op.name, a, "a");
  if (is_of_parts(op, x)) [[unlikely]]
    return complex_result(op, std::array<TensorOrScalar, 2>{a, b});
  Tensor result = with_literal(op, x, {Operand{&x}, literal_for(op, {"a", x}, b)});
  if (needs_grad(x)) [[unlikely]]
    record_elementwise(op, result, a, b);
  return result;
}

Tensor binary(const Operator& op, const Scalar& a, const Tensor& b) {
  const TensorImpl& y = impl_of(op.name, b, "b");
  if (is_of_parts(op, y)) [[unlikely]]
    return complex_result(op, std::array<TensorOrScalar, 2>{a, b});
  Tensor result = with_literal(op, y, {literal_for(op, {"b", y}, a), Operand{&y}});
  if (needs_grad(y)) [[unlikely]]
    record_elementwise(op, result, a, b);
  return result;
}

const Tensor& binary_out(const Operator& op, const Tensor& out, const Tensor& a, const Scalar& b) {
  static_cast<void>(impl_of(op.name, out, "out"));
  const TensorImpl& x = impl_of(op.name, a, "a");
  if (is_of_parts(op, x)) [[unlikely]]
    return complex_out(op, out, std::array<TensorOrScalar, 2>{a, b});
  std::array<Operand, 2> operands{Operand{&x}, literal_for(op, {"a", x}, b)};
  return run_out(op, x.dtype, out, x.shape, operands, kNames);
}

const Tensor& binary_out(const Operator& op, const Tensor& out, const Scalar& a, const Tensor& b) {
  static_cast<void>(impl_of(op.name, out, "out"));
  const TensorImpl& y = impl_of(op.name, b, "b");
  if (is_of_parts(op, y)) [[unlikely]]
    return complex_out(op, out, std::array<TensorOrScalar, 2>{a, b});
  std::array<Operand, 2> operands{literal_for(op, {"b", y}, a), Operand{&y}};
  return run_out(op, y.dtype, out, y.shape, operands, kNames);
}

Tensor unary(const Operator& op, const Tensor& a) {
  const TensorImpl& x = impl_of(op.name, a, "a");
  if (is_of_parts(op, x)) [[unlikely]]
    return complex_result(op, std::array<TensorOrScalar, 1>{a});
  check_dtype_allowed(op, {"a", x});
  Tensor result = make_empty(op.name, x.shape, result_dtype(op, x.dtype), x);
  const Operand operand{&x};
  launch_elementwise(op, x.dtype, *result.impl(), {&operand, 1});
  if (needs_grad(x)) [[unlikely]]
    record_elementwise(op, result, a);
  return result;
}

const Tensor& unary_out(const Operator& op, const Tensor& out, const Tensor& a) {
  const TensorImpl& target = impl_of(op.name, out, "out");
  const TensorImpl& x = impl_of(op.name, a, "a");
  if (is_of_parts(op, x)) [[unlikely]]
    return complex_out(op, out, std::array<TensorOrScalar, 1>{a});
  check_dtype_allowed(op, {"a", x});
  if (&x.device() != &target.device() && is_host_scalar(x, target)) {
    // Unary kernels take no scalars, so the value becomes a tensor on the device.
    check_out(op.name, target, x.shape, result_dtype(op, x.dtype));
    const Tensor there =
        make_scalar(op.name, read_host_scalar(op.name, x, target), x.dtype, target);
    return unary_out(op, out, there);
  }
  Operand operand{&x};
  return run_out(op, x.dtype, out, x.shape, {&operand, 1}, kNames);
}

}  // namespace

void read_scalars(const char* operation, const TensorImpl& place, std::span<Operand> operands) {
  for (Operand& operand : operands) {
    if (is_elsewhere(operand, place)) {
      operand = {nullptr, read_host_scalar(operation, *operand.tensor, place)};
    }
  }
}

void check_claim(const char* operation, DType dtype, const Tensor& out, const Shape& shape,
                 std::span<const Operand> operands, std::span<const char* const> names) {
  const NamedOperand target_named{name_of(out, operands, names), *out.impl()};
  const TensorImpl& target = target_named.tensor;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].tensor == nullptr) continue;
    const NamedOperand operand{names[i], *operands[i].tensor};
    if (is_elsewhere(operands[i], target) && !is_host_scalar(operand.tensor, target)) {
      raise_device_mismatch(operation, target_named, operand);
    }
    refuse_gradient(operation, operand);
  }
  check_out(operation, target, shape, dtype, target_named.name);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].tensor == nullptr || is_elsewhere(operands[i], target)) continue;
    check_no_partial_overlap(operation, target_named, {names[i], *operands[i].tensor});
  }
}

void claim_out(const Operator& op, DType dtype, const Tensor& out, const Shape& shape,
               std::span<Operand> operands, std::span<const char* const> names) {
  check_claim(op.name, result_dtype(op, dtype), out, shape, operands, names);
  read_scalars(op.name, *out.impl(), operands);
  out.impl()->buffer().count_version();
}

const Tensor& run_out(const Operator& op, DType dtype, const Tensor& out, const Shape& shape,
                      std::span<Operand> operands, std::span<const char* const> names) {
  claim_out(op, dtype, out, shape, operands, names);
  launch_elementwise(op, dtype, *out.impl(), operands);
  return out;
}

}  // namespace tensor

#define PATCHBAY_DEFINE_2(name, ...)                                                               \
  Tensor name(const Tensor& a, const Tensor& b) { return tensor::binary(tensor::op::name, a, b); } \
  Tensor name(const Tensor& a, const Scalar& b) { return tensor::binary(tensor::op::name, a, b); } \
  Tensor name(const Scalar& a, const Tensor& b) { return tensor::binary(tensor::op::name, a, b); } \
  const Tensor& name##_out(const Tensor& out, const Tensor& a, const Tensor& b) {                  \
    return tensor::binary_out(tensor::op::name, out, a, b);                                        \
  }                                                                                                \
  const Tensor& name##_out(const Tensor& out, const Tensor& a, const Scalar& b) {                  \
    return tensor::binary_out(tensor::op::name, out, a, b);                                        \
  }                                                                                                \
  const Tensor& name##_out(const Tensor& out, const Scalar& a, const Tensor& b) {                  \
    return tensor::binary_out(tensor::op::name, out, a, b);                                        \
  }
#define PATCHBAY_DEFINE_1(name, ...)                                          \
  Tensor name(const Tensor& a) { return tensor::unary(tensor::op::name, a); } \
  const Tensor& name##_out(const Tensor& out, const Tensor& a) {              \
    return tensor::unary_out(tensor::op::name, out, a);                       \
  }

#define PATCHBAY_DEFINE_LOGIC(name, count, expression) PATCHBAY_DEFINE_##count(name, expression)

PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_DEFINE_1)
PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_DEFINE_2)
PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_DEFINE_2)
PATCHBAY_ELEMENTWISE_TEST(PATCHBAY_DEFINE_1)
PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_DEFINE_LOGIC)

}  // namespace patchbay

namespace patchbay::tensor {
namespace {

/// Gradients of 16-bit floats are computed in f32 and rounded once.
std::shared_ptr<FusedState> make_function(const Operator& op, DType dtype) {
  const bool widens = is_small(dtype) && is_better_in_f32(op);
  const auto widened = [&](const Expression& value) {
    return widens ? value.cast(dtype).cast(DType::f32) : value;  // numbers are rounded first
  };
  const std::uint64_t function = next_function();
  const std::size_t num_inputs = op.signature->parameters.size() - 1;
  std::vector<Expression> operands;
  for (std::size_t i = 0; i < num_inputs; ++i) {
    const Expression operand = input(function, static_cast<std::uint32_t>(i));
    operands.push_back(is_condition(op, i) ? operand : widened(operand));
  }
  const Expression result = apply(op, std::span<const Expression>(operands));
  const Known known{result.node().get(), widened(input(function, saved_result(num_inputs)))};
  return make_state(op.name, function, num_inputs, {widens ? result.cast(dtype) : result}, &op,
                    known);
}

/// The function of one operation, for results of `dtype`. Made once and never destroyed.
const std::shared_ptr<FusedState>& function_of(const Operator& op, DType dtype) {
  using Function = std::shared_ptr<FusedState>;
  using Functions = std::array<std::array<std::atomic<const Function*>, 3>, kOperators.size()>;
  static Functions& functions = *new Functions{};
  static std::mutex& mutex = *new std::mutex;
  static_assert(kSmallFloats == dtypes_of(DType::f16, DType::bf16), "one entry each");
  const std::size_t kind = dtype == DType::f16 ? 1 : dtype == DType::bf16 ? 2 : 0;
  std::atomic<const Function*>& function = functions[op.id][kind];
  if (const Function* const made = function.load(std::memory_order_acquire)) return *made;
  const std::scoped_lock lock(mutex);
  if (const Function* const made = function.load(std::memory_order_relaxed)) return *made;
  const Function* const made = new Function(make_function(op, dtype));
  function.store(made, std::memory_order_release);
  return *made;
}

}  // namespace

void record_operation(const Operator& op, const Tensor& result,
                      std::span<const TensorOrScalar> operands) {
  if (!is_floating(result.dtype())) return;  // a comparison
  std::array<InputType, 3> types;
  for (std::size_t i = 0; i < operands.size(); ++i) types[i] = type_of(operands[i]);
  record_fused(function_of(op, result.dtype()), operands, {types.data(), operands.size()},
               {&result, 1});
}

}  // namespace patchbay::tensor
