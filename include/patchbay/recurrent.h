// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Recurrent networks: docs/layers.md. Dtypes: floats, one for all operands; f16 and bf16 are
// computed in f32 and rounded at the end. Gradients flow to all operands. Queued. Errors, before
// any work: kInvalidArgument for undefined weights, no layers and no steps; kDeviceMismatch,
// kDtypeMismatch, kShapeMismatch; kUnsupported if the device's plugin fuses nothing, and in a
// backward with create_graph.
#ifndef PATCHBAY_RECURRENT_H_
#define PATCHBAY_RECURRENT_H_

#include <vector>

#include "patchbay/export.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// The weights of one layer with n hidden units. `gates` is 4 for an LSTM and 3 for a GRU. The
/// first layer's `in` is that of the input; the others' is n.
struct RecurrentWeights {
  Tensor input_weight;                       // [gates n, in]
  Tensor hidden_weight;                      // [gates n, n]
  Tensor input_bias = {}, hidden_bias = {};  // [gates n]; undefined: none
};

/// The state of an LSTM. Undefined tensors, of which there are none or two, stand for zeros.
struct LstmState {
  Tensor hidden, cell;
  /// The state without its record, in the same memory: for truncated backpropagation through time.
  [[nodiscard]] PATCHBAY_API LstmState detach() const;
};
/// With [i f g o] = input input_weight^T + hidden hidden_weight^T + biases, and i, f, o below
/// sigmoid and g below tanh: cell' = f cell + i g, hidden' = o tanh(cell') (Hochreiter and
/// Schmidhuber, Long Short-Term Memory, 1997; the gate f: Gers et al., Learning to Forget, 2000).
/// `input`: [batch, in]; states: [batch, n].
[[nodiscard]] PATCHBAY_API LstmState lstm_cell(const Tensor& input, const LstmState& state,
                                               const RecurrentWeights& weights);

struct LstmResult {
  Tensor output;    // [steps, batch, n]: the hidden states of the last layer
  LstmState state;  // [layers, batch, n] each: those after the last step
};
/// lstm_cell for each step of `input`, [steps, batch, in], and each layer. The products of a
/// layer's input are computed at once, for all steps. `state`: [layers, batch, n] each.
[[nodiscard]] PATCHBAY_API LstmResult lstm(const Tensor& input,
                                           const std::vector<RecurrentWeights>& layers,
                                           const LstmState& state = {});

/// With [a_r a_z a_n] = input input_weight^T + input_bias, [b_r b_z b_n] likewise of `hidden`,
/// r = sigmoid(a_r + b_r), z = sigmoid(a_z + b_z), n = tanh(a_n + r b_n): (1 - z) n + z hidden (Cho
/// et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014; with r behind the
/// product). Shapes as for lstm_cell; an undefined state stands for zeros.
[[nodiscard]] PATCHBAY_API Tensor gru_cell(const Tensor& input, const Tensor& hidden,
                                           const RecurrentWeights& weights);

struct GruResult {
  Tensor output;  // [steps, batch, n]
  Tensor state;   // [layers, batch, n]
};
/// gru_cell for each step and layer, as lstm.
[[nodiscard]] PATCHBAY_API GruResult gru(const Tensor& input,
                                         const std::vector<RecurrentWeights>& layers,
                                         const Tensor& state = {});

}  // namespace patchbay

#endif  // PATCHBAY_RECURRENT_H_
