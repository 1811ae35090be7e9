// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "bench/networks/modules.h"

namespace networks {

using patchbay::LstmResult;
using patchbay::LstmState;
using patchbay::Tensor;
using patchbay::TensorOptions;

LanguageModel::LanguageModel(std::int64_t vocabulary, std::int64_t width,
                             const TensorOptions& options)
    : embedding_(vocabulary, width, {.tensor = options}),
      lstm_(width, width, {.num_layers = 2, .hidden_bias = false, .tensor = options}),
      out_(width, vocabulary, {.tensor = options}) {
  for (const auto& parameter : parameters()) {
    patchbay::nn::init::uniform(parameter, -0.1, 0.1);
  }
}

Tensor LanguageModel::run(const Tensor& tokens, LstmState& state) {
  LstmResult result = lstm_(embedding_(tokens), state);
  state = result.state.detach();
  return out_(result.output.reshape({tokens.num_elements(), -1}));
}

void LanguageModel::members(patchbay::nn::Members& each) {
  each("embedding", embedding_);
  each("lstm", lstm_);
  each("out", out_);
}

}  // namespace networks
