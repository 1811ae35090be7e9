// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The modules of the networks. Members are named as in torch_networks.py, so that files of
// parameters fit both.
#ifndef PATCHBAY_BENCH_NETWORKS_MODULES_H_
#define PATCHBAY_BENCH_NETWORKS_MODULES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <patchbay/nn.h>

namespace networks {

using ModulePtr = std::unique_ptr<patchbay::nn::Module>;

/// Products with a sigmoid behind all but the last one.
ModulePtr fully_connected(const std::vector<std::int64_t>& widths,
                          const patchbay::TensorOptions& options);

struct AlexNetSizes {
  std::int64_t image;
  std::array<std::int64_t, 5> channels;
  std::array<std::int64_t, 2> widths;
  std::int64_t num_classes;
};
/// For photographs, without normalization and dropout. x: [n, 3, image, image].
ModulePtr alexnet(const AlexNetSizes& sizes, const patchbay::TensorOptions& options);

struct SmallAlexNetSizes {
  std::int64_t image;
  std::array<std::int64_t, 3> channels;
};
/// For images of 32 x 32 pixels and ten classes.
ModulePtr small_alexnet(const SmallAlexNetSizes& sizes, const patchbay::TensorOptions& options);

struct ResNetSizes {
  std::int64_t image;
  std::int64_t width;                // of the first group; each further group has twice as much
  std::vector<std::int64_t> blocks;  // of each group
  std::int64_t num_classes;
};
/// Bottlenecks with expansion 4 and projections (He et al., Deep Residual Learning, 2016). x: [n,
/// 3, image, image].
ModulePtr resnet_with_bottlenecks(const ResNetSizes& sizes, const patchbay::TensorOptions& options);
/// Basic blocks whose shortcuts have no parameters, for images of 32 x 32 pixels.
ModulePtr resnet_with_basic_blocks(const ResNetSizes& sizes,
                                   const patchbay::TensorOptions& options);

/// An embedding, LSTM layers and a product. Parameters are uniform in +-0.1 at first.
class LanguageModel : public patchbay::nn::Module {
 public:
  LanguageModel(std::int64_t vocabulary, std::int64_t width,
                const patchbay::TensorOptions& options);
  /// tokens: [steps, sequences], the result: [steps sequences, vocabulary]. Replaces the state.
  patchbay::Tensor run(const patchbay::Tensor& tokens, patchbay::LstmState& state);
  void members(patchbay::nn::Members& each) override;

 private:
  patchbay::nn::Embedding embedding_;
  patchbay::nn::LSTM lstm_;
  patchbay::nn::Linear out_;
};

}  // namespace networks

#endif  // PATCHBAY_BENCH_NETWORKS_MODULES_H_
