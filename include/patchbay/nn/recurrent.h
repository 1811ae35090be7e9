// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Recurrent networks as modules. Formulas and errors: recurrent.h of the tensors.
#ifndef PATCHBAY_NN_RECURRENT_H_
#define PATCHBAY_NN_RECURRENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/nn/module.h"
#include "patchbay/recurrent.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

struct RecurrentOptions {
  Index num_layers = 1;
  bool bias = true;
  /// Whether there is a second bias, that of the hidden state's product, as PyTorch has it.
  bool hidden_bias = true;
  /// Whether inputs and outputs are [batch, steps, ...] instead of [steps, batch, ...].
  bool batch_first = false;
  /// Between the layers, in training.
  double dropout = 0;
  /// Dtype and device of the parameters.
  TensorOptions tensor = {};
};

/// The weights of LSTM and GRU. Parameters of layer i: `weight_ih_l<i>`, [gates hidden, in],
/// `weight_hh_l<i>`, [gates hidden, hidden], `bias_ih_l<i>` and `bias_hh_l<i>`, [gates hidden],
/// uniform in +-1 / sqrt(hidden).
class PATCHBAY_API Recurrent : public Module {
 public:
  void members(Members& each) override;
  std::string details() const override;

  struct Layer {
    Parameter input_weight, hidden_weight, input_bias, hidden_bias;
  };
  std::vector<Layer> layers;

 protected:
  /// Errors: kInvalidArgument for negative sizes, no layers, and no probability.
  Recurrent(const char* name, std::int64_t gates, Index in, Index hidden,
            const RecurrentOptions& options);
  std::vector<RecurrentWeights> weights() const;
  Tensor steps_first(const Tensor& x) const;
  /// Whether there is dropout between the layers.
  bool runs_by_layer() const;
  Tensor drop(const Tensor& x) const;

 private:
  std::int64_t in_, hidden_;
  RecurrentOptions options_;
};

/// input: [steps, batch, in], the output: [steps, batch, hidden].
class PATCHBAY_API LSTM : public Recurrent {
 public:
  LSTM(Index in, Index hidden, const RecurrentOptions& options = {})
      : Recurrent("LSTM", 4, in, hidden, options) {}
  /// The output alone, from a state of zeros.
  Tensor forward(const Tensor& input) override;
  using Module::operator();
  /// Output and state, [layers, batch, hidden] each. An empty state stands for zeros.
  LstmResult operator()(const Tensor& input, const LstmState& state);

 private:
  LstmResult run(const Tensor& input, const LstmState& state);
};

/// input: [steps, batch, in], the output: [steps, batch, hidden].
class PATCHBAY_API GRU : public Recurrent {
 public:
  GRU(Index in, Index hidden, const RecurrentOptions& options = {})
      : Recurrent("GRU", 3, in, hidden, options) {}
  Tensor forward(const Tensor& input) override;
  using Module::operator();
  /// Output and state, [layers, batch, hidden]. An undefined state stands for zeros.
  GruResult operator()(const Tensor& input, const Tensor& state);

 private:
  GruResult run(const Tensor& input, const Tensor& state);
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_RECURRENT_H_
