// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What LSTM and GRU share: their operands, checked, and parts of going back through time. A layer
// is recorded as one operation. Its gradients of all steps are in one tensor, so each weight's
// gradient is one product.
#ifndef PATCHBAY_CORE_TENSOR_FUNCTIONAL_RECURRENT_CALL_H_
#define PATCHBAY_CORE_TENSOR_FUNCTIONAL_RECURRENT_CALL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "patchbay/recurrent.h"

#include "core/tensor/functional/operands.h"

namespace patchbay::tensor {

/// What one function's operands have in common.
struct RecurrentKind {
  const char* name;
  std::int64_t num_gates;
  bool is_cell;  // one step, without a dimension for it, and one layer
};

/// A checked call: its input as [steps, batch, in] and its states as [layers, batch, n].
struct RecurrentCall {
  Tensor input, hidden, cell;  // in the dtype that is computed in
  DType dtype;                 // of the results
};
RecurrentCall make_recurrent_call(const RecurrentKind& kind, const Tensor& input,
                                  std::span<const RecurrentWeights> layers, const LstmState& state);

/// The dtype that is computed in, of what may be undefined.
inline Tensor taken(const Tensor& a) { return a.defined() ? computed(a) : a; }

/// The states of all layers as one tensor.
Tensor joined_states(const std::vector<Tensor>& states);

/// One step's gates, [batch, gates n], as its gates, [batch, n] each.
template <std::size_t kGates>
std::array<Tensor, kGates> gates_of(const Tensor& all, std::int64_t step) {
  const Tensor row = all.select(0, step);
  const auto n = row.size(1) / static_cast<std::int64_t>(kGates);
  std::array<Tensor, kGates> gates;
  for (std::size_t g = 0; g < kGates; ++g) {
    const auto first = static_cast<std::int64_t>(g) * n;
    gates[g] = row.slice(1, first, first + n);
  }
  return gates;
}

/// For backward steps. Errors: kUnsupported with create_graph.
void refuse_second_derivative(const char* operation);

/// The gradient of the hidden weight: sum of slopes[t]^T hidden[t - 1], where hidden[-1] is the
/// first state.
Tensor hidden_weight_gradient(const Tensor& slopes, const Tensor& hidden, const Tensor& first);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUNCTIONAL_RECURRENT_CALL_H_
