// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "bench/networks/networks.h"

#include <utility>

#include "bench/networks/modules.h"

namespace networks {
namespace {

namespace nn = patchbay::nn;
using patchbay::Generator;
using patchbay::SgdOptions;
using patchbay::Shape;
using patchbay::Tensor;
using patchbay::TensorOptions;

/// One class for each sample.
class Classifier : public Network {
 public:
  Classifier(ModulePtr module, const Shape& input, std::int64_t num_classes, const SgdOptions& sgd)
      : Network({input, {input[0]}, num_classes}, sgd), module_(std::move(module)) {}
  nn::Module& module() override { return *module_; }

 private:
  ModulePtr module_;
};

class Words : public Network {
 public:
  Words(std::int64_t vocabulary, std::int64_t width, const Shape& tokens, const SgdOptions& sgd,
        const TensorOptions& options)
      : Network({tokens, {tokens[0] * tokens[1]}, vocabulary, /*has_tokens=*/true}, sgd),
        module_(vocabulary, width, options) {}
  nn::Module& module() override { return module_; }
  Tensor loss(const Batch& batch) override {
    const Tensor scores = module_.run(batch.input, state_);
    const auto num_sequences = static_cast<double>(batch.input.size(1));
    return cross_entropy(scores, batch.target, {.reduction = patchbay::LossReduction::kSum}) /
           num_sequences;
  }
  void clip_gradients() override { nn::clip_grad_norm(module_.parameters(), 5); }

 private:
  LanguageModel module_;
  patchbay::LstmState state_;
};

using NetworkPtr = std::unique_ptr<Network>;

NetworkPtr make_fcn(std::int64_t batch, const std::vector<std::int64_t>& widths,
                    const SgdOptions& sgd, const TensorOptions& options) {
  return std::make_unique<Classifier>(fully_connected(widths, options),
                                      Shape{batch, widths.front()}, widths.back(), sgd);
}

NetworkPtr make_fcn_s(Scale scale, const TensorOptions& options) {
  const SgdOptions sgd{.learning_rate = 0.01};
  return scale == Scale::kFull ? make_fcn(64, {26752, 2048, 2048, 2048, 26752}, sgd, options)
                               : make_fcn(4, {40, 16, 12, 16, 24}, sgd, options);
}

NetworkPtr make_alexnet_s(Scale scale, const TensorOptions& options) {
  const bool is_full = scale == Scale::kFull;
  const AlexNetSizes sizes = is_full
                                 ? AlexNetSizes{224, {96, 256, 384, 384, 256}, {4096, 4096}, 1000}
                                 : AlexNetSizes{67, {4, 6, 8, 8, 6}, {16, 16}, 10};
  return std::make_unique<Classifier>(alexnet(sizes, options),
                                      Shape{is_full ? 16 : 2, 3, sizes.image, sizes.image},
                                      sizes.num_classes, SgdOptions{.learning_rate = 0.01});
}

NetworkPtr make_resnet_50(Scale scale, const TensorOptions& options) {
  const bool is_full = scale == Scale::kFull;
  const ResNetSizes sizes =
      is_full ? ResNetSizes{224, 64, {3, 4, 6, 3}, 1000} : ResNetSizes{64, 2, {1, 1, 1, 1}, 10};
  return std::make_unique<Classifier>(
      resnet_with_bottlenecks(sizes, options), Shape{is_full ? 16 : 8, 3, sizes.image, sizes.image},
      sizes.num_classes,
      SgdOptions{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 1e-4, .nesterov = true});
}

NetworkPtr make_fcn_r(Scale scale, const TensorOptions& options) {
  const SgdOptions sgd{.learning_rate = 0.05, .momentum = 0.9};
  return scale == Scale::kFull ? make_fcn(1024, {784, 2048, 4096, 1024, 10}, sgd, options)
                               : make_fcn(8, {49, 16, 24, 12, 10}, sgd, options);
}

NetworkPtr make_alexnet_r(Scale scale, const TensorOptions& options) {
  const bool is_full = scale == Scale::kFull;
  const SmallAlexNetSizes sizes =
      is_full ? SmallAlexNetSizes{32, {32, 32, 64}} : SmallAlexNetSizes{16, {4, 4, 8}};
  return std::make_unique<Classifier>(small_alexnet(sizes, options),
                                      Shape{is_full ? 1024 : 8, 3, sizes.image, sizes.image}, 10,
                                      SgdOptions{.learning_rate = 0.01, .momentum = 0.9});
}

NetworkPtr make_resnet_56(Scale scale, const TensorOptions& options) {
  const bool is_full = scale == Scale::kFull;
  const ResNetSizes sizes =
      is_full ? ResNetSizes{32, 16, {9, 9, 9}, 10} : ResNetSizes{16, 4, {1, 1, 1}, 10};
  return std::make_unique<Classifier>(
      resnet_with_basic_blocks(sizes, options),
      Shape{is_full ? 128 : 8, 3, sizes.image, sizes.image}, sizes.num_classes,
      SgdOptions{.learning_rate = 0.01, .momentum = 0.9, .weight_decay = 1e-4});
}

NetworkPtr make_lstm(Scale scale, const TensorOptions& options) {
  const SgdOptions sgd = {.learning_rate = 0.1};
  if (scale == Scale::kSmall) return std::make_unique<Words>(20, 8, Shape{4, 3}, sgd, options);
  return std::make_unique<Words>(10000, 256, Shape{32, 128}, sgd, options);
}

constexpr Row kRows[] = {{"FCN-S", 117'997'696, 45.3, make_fcn_s},
                         {"AlexNet-S", 62'378'344, 109, make_alexnet_s},
                         {"ResNet-50", 25'557'032, 393, make_resnet_50},
                         {"FCN-R", 14'205'962, 87.2, make_fcn_r},
                         {"AlexNet-R", 85'098, 65.9, make_alexnet_r},
                         {"ResNet-56", 855'050, 96.4, make_resnet_56},
                         {"LSTM", 6'180'624, 88.7, make_lstm}};

}  // namespace

Tensor Network::loss(const Batch& batch) {
  return cross_entropy(module()(batch.input), batch.target);
}

Tensor Network::train(const Batch& batch) {
  if (!optimizer_) optimizer_ = std::make_unique<nn::SGD>(module().parameters(), sgd_);
  optimizer_->zero_grad();
  const Tensor value = loss(batch);
  value.backward();
  clip_gradients();
  optimizer_->step();
  return value.detach();
}

Batch Network::random_batch(std::uint64_t seed) {
  const Generator generator(seed);
  const auto parameter = module().parameters().front();
  const patchbay::Device device = parameter.device();
  const Tensor target = randint(0, format_.num_classes, format_.target, device, generator);
  if (format_.has_tokens) {
    return {randint(0, format_.num_classes, format_.input, device, generator), target};
  }
  return {rand(format_.input, {parameter.dtype(), device}, generator), target};
}

std::span<const Row> rows() { return kRows; }

}  // namespace networks
