// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Recurrent networks as modules. Formulas and errors: recurrent.h of the tensors.
#ifndef PATCHBAY_NN_RECURRENT_H_
#define PATCHBAY_NN_RECURRENT_H_

#include <cstddef>
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
  /// Whether each layer also goes from the last step to the first one, with weights of its own. Its
  /// output is that of both directions, one behind the other.
  bool bidirectional = false;
  /// Dtype and device of the parameters.
  TensorOptions tensor = {};
};

/// What LSTM and GRU share. Parameters of layer i: `weight_ih_l<i>`, [gates hidden, in],
/// `weight_hh_l<i>`, [gates hidden, hidden], `bias_ih_l<i>` and `bias_hh_l<i>`, [gates hidden],
/// uniform in +-1 / sqrt(hidden); those of the other direction end in `_reverse`. `in` is that of
/// the input for the first layer, and directions hidden for the others.
class PATCHBAY_API Recurrent : public Module {
 public:
  void members(Members& each) override;
  std::string details() const override;

  struct Layer {
    Parameter input_weight, hidden_weight, input_bias, hidden_bias;
  };
  /// If there are two directions, both of each layer, one after the other.
  std::vector<Layer> layers;

 protected:
  /// Errors: kInvalidArgument for negative sizes, no layers, and no probability.
  Recurrent(const char* name, std::int64_t gates, Index in, Index hidden,
            const RecurrentOptions& options);
  /// Layers in one direction, from steps first. A GRU's state has no cell.
  virtual LstmResult compute(const Tensor& input, const std::vector<RecurrentWeights>& layers,
                             const LstmState& state) const = 0;
  LstmResult run(const Tensor& input, const LstmState& state) const;

 private:
  LstmResult run_layer(const Tensor& input, std::size_t layer, const LstmState& state) const;
  Tensor steps_first(const Tensor& x) const;
  void check_state(const LstmState& state) const;
  std::size_t num_directions() const { return options_.bidirectional ? 2 : 1; }

  std::int64_t in_, hidden_;
  RecurrentOptions options_;
};

/// input: [steps, batch, in], the output: [steps, batch, directions hidden].
class PATCHBAY_API LSTM : public Recurrent {
 public:
  LSTM(Index in, Index hidden, const RecurrentOptions& options = {})
      : Recurrent("LSTM", 4, in, hidden, options) {}
  /// The output alone, from a state of zeros.
  Tensor forward(const Tensor& input) override;
  using Module::operator();
  /// Output and state, [layers directions, batch, hidden] each, in the order of `layers`. An empty
  /// state stands for zeros.
  LstmResult operator()(const Tensor& input, const LstmState& state);

 private:
  LstmResult compute(const Tensor& input, const std::vector<RecurrentWeights>& layers,
                     const LstmState& state) const override;
};

/// input: [steps, batch, in], the output: [steps, batch, directions hidden].
class PATCHBAY_API GRU : public Recurrent {
 public:
  GRU(Index in, Index hidden, const RecurrentOptions& options = {})
      : Recurrent("GRU", 3, in, hidden, options) {}
  Tensor forward(const Tensor& input) override;
  using Module::operator();
  /// Output and state, [layers directions, batch, hidden], in the order of `layers`. An undefined
  /// state stands for zeros.
  GruResult operator()(const Tensor& input, const Tensor& state);

 private:
  LstmResult compute(const Tensor& input, const std::vector<RecurrentWeights>& layers,
                     const LstmState& state) const override;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_RECURRENT_H_
