// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/elementwise/operator_gradients.h"

#include <memory>
#include <mutex>
#include <vector>

#include "core/tensor/elementwise/fused.h"
#include "core/tensor/elementwise/fused_call.h"
#include "core/tensor/fuse/derivatives.h"

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
  struct Entry {
    std::once_flag once;
    std::shared_ptr<FusedState> function;
  };
  using Entries = std::array<std::array<Entry, 3>, kOperators.size()>;
  static Entries& entries = *new Entries;
  static_assert(kSmallFloats == dtypes_of(DType::f16, DType::bf16), "one entry each");
  const std::size_t kind = dtype == DType::f16 ? 1 : dtype == DType::bf16 ? 2 : 0;
  Entry& entry = entries[op.id][kind];
  std::call_once(entry.once, [&] { entry.function = make_function(op, dtype); });
  return entry.function;
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
