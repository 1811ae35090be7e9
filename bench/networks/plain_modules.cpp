// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Networks that are one layer after the other.
#include "bench/networks/modules.h"

namespace networks {

namespace nn = patchbay::nn;
using patchbay::Activation;
using patchbay::TensorOptions;

ModulePtr fully_connected(const std::vector<std::int64_t>& widths, const TensorOptions& options) {
  auto net = std::make_unique<nn::Sequential>();
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const bool is_last = i + 2 == widths.size();
    net->add(nn::Linear(
        widths[i], widths[i + 1],
        {.activation = is_last ? Activation::kNone : Activation::kSigmoid, .tensor = options}));
  }
  return net;
}

ModulePtr alexnet(const AlexNetSizes& sizes, const TensorOptions& options) {
  auto net = std::make_unique<nn::Sequential>();
  const auto& channels = sizes.channels;
  const nn::MaxPool2d pool(3, {.stride = 2});
  const auto add = [&](std::int64_t in, std::size_t i, std::int64_t kernel, std::int64_t stride,
                       std::int64_t padding) {
    net->add("conv" + std::to_string(i + 1),
             nn::Conv2d(in, channels[i], kernel,
                        {.stride = stride, .padding = padding, .tensor = options}));
    net->add("relu" + std::to_string(i + 1), nn::ReLU());
  };
  add(3, 0, 11, 4, 2);
  net->add("pool1", pool);
  add(channels[0], 1, 5, 1, 2);
  net->add("pool2", pool);
  for (std::size_t i = 2; i < channels.size(); ++i) add(channels[i - 1], i, 3, 1, 1);
  net->add("pool5", pool);
  net->add("flatten", nn::Flatten());
  std::int64_t extent = (sizes.image + 2 * 2 - 11) / 4 + 1;
  for (int i = 0; i < 3; ++i) extent = (extent - 3) / 2 + 1;
  const nn::LinearOptions hidden = {.activation = Activation::kRelu, .tensor = options};
  net->add("fc6", nn::Linear(channels[4] * extent * extent, sizes.widths[0], hidden));
  net->add("fc7", nn::Linear(sizes.widths[0], sizes.widths[1], hidden));
  net->add("fc8", nn::Linear(sizes.widths[1], sizes.num_classes, {.tensor = options}));
  return net;
}

ModulePtr small_alexnet(const SmallAlexNetSizes& sizes, const TensorOptions& options) {
  auto net = std::make_unique<nn::Sequential>();
  const auto& channels = sizes.channels;
  const auto conv = [&](std::int64_t in, std::size_t i) {
    return nn::Conv2d(in, channels[i], 5, {.padding = 2, .tensor = options});
  };
  const nn::MaxPool2d pool(3, {.stride = 2});
  net->add("conv1", conv(3, 0)).add("pool1", pool).add("relu1", nn::ReLU());
  net->add("conv2", conv(channels[0], 1)).add("relu2", nn::ReLU()).add("pool2", pool);
  net->add("conv3", conv(channels[1], 2)).add("relu3", nn::ReLU());
  net->add("pool3", nn::AvgPool2d(3, {.stride = 2})).add("flatten", nn::Flatten());
  std::int64_t extent = sizes.image;
  for (int i = 0; i < 3; ++i) extent = (extent - 3) / 2 + 1;
  net->add("fc", nn::Linear(channels[2] * extent * extent, 10, {.tensor = options}));
  return net;
}

}  // namespace networks
