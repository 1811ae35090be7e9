// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// where: a condition and two operands.
#include <array>
#include <cstdint>
#include <type_traits>

#include "patchbay/ops.h"

#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/elementwise/elementwise.h"
#include "core/tensor/views/sum.h"

namespace patchbay {

namespace tensor {
namespace {

constexpr std::array<const char*, 3> kNames{"condition", "a", "b"};

/// The operands of a call, condition first; null for literals.
using Choice = std::array<const TensorImpl*, 3>;
/// The literals among them; null for tensors.
using Literals = std::array<const Scalar*, 3>;

NamedOperand named(const Choice& choice, std::size_t i) { return {kNames[i], *choice[i]}; }

void check_dtypes(const Choice& choice) {
  if (choice[0]->dtype != DType::boolean) [[unlikely]] {
    raise(
        ErrorCode::kDtypeMismatch,
        "[where] the condition has the wrong dtype: expected bool, got {} ({}). Compare it first, "
        "for example ne(condition, 0).",
        patchbay::to_string(choice[0]->dtype), describe(named(choice, 0)));
  }
  if (choice[1] == nullptr || choice[2] == nullptr) return;
  check_same_dtype(op::where.name, named(choice, 1), named(choice, 2));
}

/// Whether every operand is on the device of operand i, or is a host scalar.
bool is_place(const Choice& choice, std::size_t i) {
  for (const TensorImpl* other : choice) {
    if (other == nullptr || &other->device() == &choice[i]->device()) continue;
    if (!is_host_scalar(*other, *choice[i])) return false;
  }
  return true;
}

/// The tensor whose device runs the operation.
const TensorImpl& place_of(const Choice& choice) {
  for (std::size_t i = 0; i < choice.size(); ++i) {
    for (std::size_t k = i + 1; k < choice.size(); ++k) {
      if (choice[i] == nullptr || choice[k] == nullptr) continue;
      if (are_rival_scalars(*choice[i], *choice[k])) {
        raise_place_mismatch(op::where.name, named(choice, i), named(choice, k));
      }
    }
  }
  for (std::size_t i = 0; i < choice.size(); ++i) {
    if (choice[i] != nullptr && is_place(choice, i)) return *choice[i];
  }
  // Some operand is on another device and is not a host scalar. The message suggests copying a 0-d
  // operand rather than a larger one.
  std::size_t first = 0;
  const auto is_number = [&](std::size_t i) {
    return choice[i] == nullptr || choice[i]->shape.rank() == 0;
  };
  while (first + 1 < choice.size() && is_number(first)) ++first;
  if (is_number(first)) first = 0;
  std::size_t other = first;
  for (std::size_t i = choice.size(); i-- > 0;) {
    if (choice[i] == nullptr || &choice[i]->device() == &choice[first]->device()) continue;
    if (!is_host_scalar(*choice[i], *choice[first])) other = i;
  }
  raise_place_mismatch(op::where.name, named(choice, first), named(choice, other));
}

Shape shape_of(const Choice& choice) {
  Shape shape = choice[0]->shape;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (choice[i] == nullptr) continue;
    // If the extents fit in pairs, all three fit.
    if (i == 2 && choice[1] != nullptr) {
      static_cast<void>(broadcast_shapes(op::where.name, named(choice, 1), named(choice, 2)));
    }
    shape = joined(shape, broadcast_shapes(op::where.name, named(choice, 0), named(choice, i)));
  }
  return shape;
}

/// A checked call: what to launch, and where.
struct Call {
  const TensorImpl& place;
  DType dtype;
  Shape shape;
  std::array<Operand, 3> operands;
  Tensor condition;  // its copy on that device, if it is a host scalar
};

/// The kernel takes no scalar condition, so a host scalar becomes a tensor on the device.
void move_condition(Call& call, const TensorImpl& place) {
  const TensorImpl& condition = *call.operands[0].tensor;
  if (&condition.device() == &place.device() || !is_host_scalar(condition, place)) return;
  const base::ElementBits bits = read_host_scalar(op::where.name, condition, place);
  call.condition = make_scalar(op::where.name, bits, DType::boolean, place);
  call.operands[0].tensor = call.condition.impl();
}

/// Literals take the dtype of the operand that is a tensor; two literals, `dtype_of_literals`.
Call check(const Choice& choice, const Literals& literals, DType dtype_of_literals) {
  const TensorImpl& place = place_of(choice);
  check_dtypes(choice);
  const TensorImpl* const typed = choice[1] != nullptr ? choice[1] : choice[2];
  const DType dtype = typed != nullptr ? typed->dtype : dtype_of_literals;
  Call call{place, dtype, shape_of(choice), {}, {}};
  for (std::size_t i = 0; i < choice.size(); ++i) {
    if (choice[i] != nullptr) {
      call.operands[i].tensor = choice[i];
    } else {
      call.operands[i] = literal(op::where.name, dtype, *literals[i]);
    }
  }
  return call;
}

/// The dtype of two literals without a tensor, as for arange.
DType dtype_of(const Literals& literals) {
  for (const Scalar* literal : literals) {
    if (literal != nullptr && literal->is_floating()) return DType::f32;
  }
  return DType::i64;
}

/// Of complex numbers part by part.
void launch_where(const TensorImpl& out, DType dtype, std::span<const Operand> operands) {
  if (!is_complex(dtype)) return launch_elementwise(op::where, dtype, out, operands);
  for (const int part : {0, 1}) {
    std::array<Operand, 3> parts{operands[0], operands[1], operands[2]};
    std::array<Tensor, 3> views;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i].tensor != nullptr) {
        views[i] = make_part(*parts[i].tensor, part);
        parts[i].tensor = views[i].impl();
      } else {
        parts[i].bits = part_of(parts[i].bits, dtype, part);
      }
    }
    launch_elementwise(op::where, real_dtype(dtype), *make_part(out, part).impl(), parts);
  }
}

Tensor choose(const Choice& choice, const Literals& literals = {}) {
  Call call = check(choice, literals, dtype_of(literals));
  move_condition(call, call.place);
  read_scalars(op::where.name, call.place, call.operands);
  Tensor result = make_empty(op::where.name, call.shape, call.dtype, call.place);
  launch_where(*result.impl(), call.dtype, call.operands);
  return result;
}

const Tensor& choose_out(const Tensor& out, const Choice& choice, const Literals& literals = {}) {
  const TensorImpl& target = impl_of(op::where.name, out, "out");
  Call call = check(choice, literals, target.dtype);
  move_condition(call, target);
  claim_out(op::where, call.dtype, out, call.shape, call.operands, kNames);
  launch_where(target, call.dtype, call.operands);
  return out;
}

Tensor tensor_of(const Tensor& operand) { return operand; }
Tensor tensor_of(const Scalar&) { return {}; }

/// Operands that are numbers are undefined.
void record_complex(const Tensor& result, const Tensor& condition, const Tensor& a,
                    const Tensor& b) {
  const auto shape_of = [](const Tensor& x) { return x.defined() ? x.shape() : Shape(); };
  record(op::where.name, result, {&a, &b},
         [chosen = Saved("condition", condition), a_shape = shape_of(a), b_shape = shape_of(b)](
             const Tensor& grad, const Node& node) {
           const Tensor from_a = chosen.get(node);
           return std::vector<Tensor>{
               node.inputs[0] ? sum_to(where(from_a, grad, 0), a_shape) : Tensor(),
               node.inputs[1] ? sum_to(where(from_a, 0, grad), b_shape) : Tensor()};
         });
}

/// Records the operation if an operand needs a gradient.
template <class A, class B>
Tensor recorded(const Tensor& result, const Tensor& condition, const A& a, const B& b) {
  const auto needs = [](const auto& operand) {
    if constexpr (std::is_same_v<std::decay_t<decltype(operand)>, Tensor>)
      return needs_grad(operand);
    else
      return false;
  };
  if (!(needs(a) || needs(b))) [[likely]]
    return result;
  if (is_complex(result.dtype())) {
    record_complex(result, condition, tensor_of(a), tensor_of(b));
  } else {
    record_elementwise(op::where, result, condition, a, b);
  }
  return result;
}

const TensorImpl* condition_of(const Tensor& tensor) {
  return &impl_of(op::where.name, tensor, "condition");
}
const TensorImpl* a_of(const Tensor& tensor) { return &impl_of(op::where.name, tensor, "a"); }
const TensorImpl* b_of(const Tensor& tensor) { return &impl_of(op::where.name, tensor, "b"); }

}  // namespace
}  // namespace tensor

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return tensor::recorded(
      tensor::choose({tensor::condition_of(condition), tensor::a_of(a), tensor::b_of(b)}),
      condition, a, b);
}
Tensor where(const Tensor& condition, const Tensor& a, const Scalar& b) {
  return tensor::recorded(
      tensor::choose({tensor::condition_of(condition), tensor::a_of(a), nullptr},
                     {nullptr, nullptr, &b}),
      condition, a, b);
}
Tensor where(const Tensor& condition, const Scalar& a, const Tensor& b) {
  return tensor::recorded(
      tensor::choose({tensor::condition_of(condition), nullptr, tensor::b_of(b)}, {nullptr, &a}),
      condition, a, b);
}
Tensor where(const Tensor& condition, const Scalar& a, const Scalar& b) {
  return tensor::choose({tensor::condition_of(condition)}, {nullptr, &a, &b});
}
const Tensor& where_out(const Tensor& out, const Tensor& condition, const Tensor& a,
                        const Tensor& b) {
  return tensor::choose_out(out,
                            {tensor::condition_of(condition), tensor::a_of(a), tensor::b_of(b)});
}
const Tensor& where_out(const Tensor& out, const Tensor& condition, const Tensor& a,
                        const Scalar& b) {
  return tensor::choose_out(out, {tensor::condition_of(condition), tensor::a_of(a), nullptr},
                            {nullptr, nullptr, &b});
}
const Tensor& where_out(const Tensor& out, const Tensor& condition, const Scalar& a,
                        const Tensor& b) {
  return tensor::choose_out(out, {tensor::condition_of(condition), nullptr, tensor::b_of(b)},
                            {nullptr, &a});
}
const Tensor& where_out(const Tensor& out, const Tensor& condition, const Scalar& a,
                        const Scalar& b) {
  return tensor::choose_out(out, {tensor::condition_of(condition)}, {nullptr, &a, &b});
}

}  // namespace patchbay
