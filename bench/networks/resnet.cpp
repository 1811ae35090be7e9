// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <patchbay/concat.h>

#include "bench/networks/modules.h"

namespace networks {
namespace {

namespace nn = patchbay::nn;
using patchbay::Tensor;
using patchbay::TensorOptions;

nn::Conv2d conv3x3(std::int64_t in, std::int64_t out, std::int64_t stride, bool bias,
                   const TensorOptions& options) {
  return {in, out, 3, {.stride = stride, .padding = 1, .bias = bias, .tensor = options}};
}

/// Three convolutions, the last of which gives four times as many channels.
class Bottleneck : public nn::Module {
 public:
  static constexpr std::int64_t kExpansion = 4;

  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride, const TensorOptions& options)
      : conv1_(in, width, 1, {.bias = false, .tensor = options}),
        conv2_(conv3x3(width, width, stride, false, options)),
        conv3_(width, kExpansion * width, 1, {.bias = false, .tensor = options}),
        bn1_(width, {.tensor = options}),
        bn2_(width, {.tensor = options}),
        bn3_(kExpansion * width, {.tensor = options}) {
    if (in == kExpansion * width) return;
    downsample_.add(nn::Conv2d(in, kExpansion * width, 1,
                               {.stride = stride, .bias = false, .tensor = options}));
    downsample_.add(nn::BatchNorm2d(kExpansion * width, {.tensor = options}));
  }

  Tensor forward(const Tensor& x) override {
    const Tensor y = bn3_(conv3_(relu(bn2_(conv2_(relu(bn1_(conv1_(x))))))));
    return relu(y + downsample_(x));
  }

  void members(nn::Members& each) override {
    each("conv1", conv1_);
    each("bn1", bn1_);
    each("conv2", conv2_);
    each("bn2", bn2_);
    each("conv3", conv3_);
    each("bn3", bn3_);
    each("downsample", downsample_);
  }

 private:
  nn::Conv2d conv1_, conv2_, conv3_;
  nn::BatchNorm2d bn1_, bn2_, bn3_;
  nn::Sequential downsample_;  // empty where the extents stay
};

/// Two convolutions. Where the extents change, the shortcut takes every second pixel and has zeros
/// for the new channels (option A of the paper).
class BasicBlock : public nn::Module {
 public:
  static constexpr std::int64_t kExpansion = 1;

  BasicBlock(std::int64_t in, std::int64_t width, std::int64_t stride, const TensorOptions& options)
      : stride_(stride),
        new_channels_(width - in),
        conv1_(conv3x3(in, width, stride, true, options)),
        conv2_(conv3x3(width, width, 1, true, options)),
        bn1_(width, {.tensor = options}),
        bn2_(width, {.tensor = options}) {}

  Tensor forward(const Tensor& x) override {
    return relu(bn2_(conv2_(relu(bn1_(conv1_(x))))) + shortcut(x));
  }

  void members(nn::Members& each) override {
    each("conv1", conv1_);
    each("bn1", bn1_);
    each("conv2", conv2_);
    each("bn2", bn2_);
  }

 private:
  Tensor shortcut(const Tensor& x) const {
    const Tensor pixels = stride_ == 1 ? x : avg_pool2d(x, 1, {.stride = stride_});
    return new_channels_ == 0 ? pixels : pad(pixels, {{}, {0, new_channels_}, {}, {}});
  }

  std::int64_t stride_, new_channels_;
  nn::Conv2d conv1_, conv2_;
  nn::BatchNorm2d bn1_, bn2_;
};

/// Adds the groups "layer1", "layer2", ...; returns the number of channels behind them.
template <class Block>
std::int64_t add_groups(nn::Sequential& net, const ResNetSizes& sizes,
                        const TensorOptions& options) {
  std::int64_t channels = sizes.width, width = sizes.width;
  for (std::size_t group = 0; group < sizes.blocks.size(); ++group) {
    nn::Sequential blocks;
    for (std::int64_t i = 0; i < sizes.blocks[group]; ++i) {
      blocks.add(Block(channels, width, group > 0 && i == 0 ? 2 : 1, options));
      channels = width * Block::kExpansion;
    }
    net.add("layer" + std::to_string(group + 1), std::move(blocks));
    width *= 2;
  }
  return channels;
}

/// The mean of each channel, and a product. `pool` is the extent of the images.
void add_head(nn::Sequential& net, std::int64_t pool, std::int64_t channels,
              std::int64_t num_classes, const TensorOptions& options) {
  net.add("pool", nn::AvgPool2d(pool)).add("flatten", nn::Flatten());
  net.add("fc", nn::Linear(channels, num_classes, {.tensor = options}));
}

}  // namespace

ModulePtr resnet_with_bottlenecks(const ResNetSizes& sizes, const TensorOptions& options) {
  auto net = std::make_unique<nn::Sequential>();
  net->add("conv1", nn::Conv2d(3, sizes.width, 7,
                               {.stride = 2, .padding = 3, .bias = false, .tensor = options}));
  net->add("bn1", nn::BatchNorm2d(sizes.width, {.tensor = options})).add("relu1", nn::ReLU());
  net->add("pool1", nn::MaxPool2d(3, {.stride = 2, .padding = 1}));
  const std::int64_t channels = add_groups<Bottleneck>(*net, sizes, options);
  add_head(*net, sizes.image / 32, channels, sizes.num_classes, options);
  return net;
}

ModulePtr resnet_with_basic_blocks(const ResNetSizes& sizes, const TensorOptions& options) {
  auto net = std::make_unique<nn::Sequential>();
  net->add("conv1", conv3x3(3, sizes.width, 1, true, options));
  net->add("bn1", nn::BatchNorm2d(sizes.width, {.tensor = options})).add("relu1", nn::ReLU());
  const std::int64_t channels = add_groups<BasicBlock>(*net, sizes, options);
  add_head(*net, sizes.image / 4, channels, sizes.num_classes, options);
  return net;
}

}  // namespace networks
