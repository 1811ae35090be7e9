// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_EXAMPLES_DEMO_NETWORK_H_
#define PATCHBAY_EXAMPLES_DEMO_NETWORK_H_

#include <patchbay/nn.h>
#include <patchbay/patchbay.h>

namespace examples {

/// Classifies grey images: [n, 784] u8 -> [n, 10] f32, a score for each class. 225,034 parameters.
class Network : public patchbay::nn::Module {
 public:
  patchbay::Tensor forward(const patchbay::Tensor& images) override {
    // Mean and deviation of the training images' pixels.
    constexpr double kMean = 72.94, kDeviation = 90.02;
    const patchbay::Tensor pixels = images.reshape({-1, 1, 28, 28}).cast(patchbay::DType::f32);
    return layers((pixels - kMean) / kDeviation);
  }
  void members(patchbay::nn::Members& each) override { each("layers", layers); }

  // The largest of four elements first: ReLU then has a quarter of the work, with the same result.
  patchbay::nn::Sequential layers{
      patchbay::nn::Conv2d(1, 32, 3),  patchbay::nn::MaxPool2d(2),      patchbay::nn::ReLU(),
      patchbay::nn::Conv2d(32, 64, 3), patchbay::nn::MaxPool2d(2),      patchbay::nn::ReLU(),
      patchbay::nn::Flatten(),         patchbay::nn::Linear(1600, 128), patchbay::nn::ReLU(),
      patchbay::nn::Dropout(0.25),     patchbay::nn::Linear(128, 10)};
};

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_DEMO_NETWORK_H_
