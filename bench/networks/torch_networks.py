# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The networks of networks.cpp in PyTorch, at both scales, with the same names of parameters."""

import collections

import torch
from torch import nn
from torch.nn import functional as F


def sequential(*named):
    return nn.Sequential(collections.OrderedDict(named))


class FullyConnected(nn.Module):
    def __init__(self, *widths):
        super().__init__()
        for i, (n, m) in enumerate(zip(widths, widths[1:])):
            self.add_module(str(i), nn.Linear(n, m))
        self.count = len(widths) - 1

    def forward(self, x):
        for i, layer in enumerate(self.children()):
            x = layer(x)
            if i + 1 < self.count:
                x = torch.sigmoid(x)
        return x


def relu():
    return nn.ReLU(inplace=True)


def alexnet(image, channels, widths, classes):
    a, b, c, d, e = channels
    extent = (image + 4 - 11) // 4 + 1
    for _ in range(3):
        extent = (extent - 3) // 2 + 1
    return sequential(
        ("conv1", nn.Conv2d(3, a, 11, 4, 2)), ("relu1", relu()), ("pool1", nn.MaxPool2d(3, 2)),
        ("conv2", nn.Conv2d(a, b, 5, 1, 2)), ("relu2", relu()), ("pool2", nn.MaxPool2d(3, 2)),
        ("conv3", nn.Conv2d(b, c, 3, 1, 1)), ("relu3", relu()),
        ("conv4", nn.Conv2d(c, d, 3, 1, 1)), ("relu4", relu()),
        ("conv5", nn.Conv2d(d, e, 3, 1, 1)), ("relu5", relu()), ("pool5", nn.MaxPool2d(3, 2)),
        ("flatten", nn.Flatten()), ("fc6", nn.Linear(e * extent ** 2, widths[0])), ("relu6", relu()),
        ("fc7", nn.Linear(widths[0], widths[1])), ("relu7", relu()), ("fc8", nn.Linear(widths[1], classes)))


def small_alexnet(image, channels):
    a, b, c = channels
    for _ in range(3):
        image = (image - 3) // 2 + 1
    return sequential(
        ("conv1", nn.Conv2d(3, a, 5, 1, 2)), ("pool1", nn.MaxPool2d(3, 2)), ("relu1", relu()),
        ("conv2", nn.Conv2d(a, b, 5, 1, 2)), ("relu2", relu()), ("pool2", nn.MaxPool2d(3, 2)),
        ("conv3", nn.Conv2d(b, c, 5, 1, 2)), ("relu3", relu()), ("pool3", nn.AvgPool2d(3, 2)),
        ("flatten", nn.Flatten()), ("fc", nn.Linear(c * image ** 2, 10)))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, n, width, stride):
        super().__init__()
        out = 4 * width
        self.conv1, self.bn1 = nn.Conv2d(n, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, out, 1, bias=False), nn.BatchNorm2d(out)
        self.downsample = nn.Sequential()
        if n != out:
            self.downsample = nn.Sequential(nn.Conv2d(n, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        y += self.downsample(x)
        return F.relu(y, inplace=True)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, n, width, stride):
        super().__init__()
        self.stride, self.new_channels = stride, width - n
        self.conv1, self.bn1 = nn.Conv2d(n, width, 3, stride, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, 1, 1), nn.BatchNorm2d(width)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += self.shortcut(x)
        return F.relu(y, inplace=True)

    def shortcut(self, x):
        if self.stride > 1:
            x = F.avg_pool2d(x, 1, self.stride)
        return F.pad(x, (0, 0, 0, 0, 0, self.new_channels)) if self.new_channels else x


def groups(block, width, blocks):
    n, layers = width, []
    for group, count in enumerate(blocks):
        each = []
        for i in range(count):
            each.append(block(n, width, 2 if group > 0 and i == 0 else 1))
            n = width * block.expansion
        layers.append((f"layer{group + 1}", nn.Sequential(*each)))
        width *= 2
    return n, layers


def resnet_50(image, width, blocks, classes):
    channels, layers = groups(Bottleneck, width, blocks)
    return sequential(
        ("conv1", nn.Conv2d(3, width, 7, 2, 3, bias=False)), ("bn1", nn.BatchNorm2d(width)),
        ("relu1", relu()), ("pool1", nn.MaxPool2d(3, 2, 1)), *layers,
        ("pool", nn.AvgPool2d(image // 32)), ("flatten", nn.Flatten()), ("fc", nn.Linear(channels, classes)))


def resnet_56(image, width, blocks, classes):
    channels, layers = groups(BasicBlock, width, blocks)
    return sequential(
        ("conv1", nn.Conv2d(3, width, 3, 1, 1)), ("bn1", nn.BatchNorm2d(width)), ("relu1", relu()), *layers,
        ("pool", nn.AvgPool2d(image // 4)), ("flatten", nn.Flatten()), ("fc", nn.Linear(channels, classes)))


class LanguageModel(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, width, num_layers=2)
        self.out = nn.Linear(width, vocabulary)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -0.1, 0.1)
        for name, parameter in self.lstm.named_parameters():  # one bias a gate
            if name.startswith("bias_hh"):
                nn.init.zeros_(parameter).requires_grad_(False)

    def forward(self, tokens, state):
        y, state = self.lstm(self.embedding(tokens), state)
        return self.out(y.flatten(0, 1)), state


class Network:
    """As networks::Network."""

    def __init__(self, module, input_shape, num_classes, steps=None, **sgd):
        self.module, self.is_lstm, self.state = module, steps is not None, None
        self.input_shape = [steps, *input_shape] if self.is_lstm else input_shape
        self.num_classes, self.call = num_classes, module
        trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
        self.trained = trained
        self.optimizer = torch.optim.SGD(trained, **sgd)

    def num_parameters(self):
        return sum(parameter.numel() for parameter in self.trained)

    def random_batch(self):
        if self.is_lstm:
            tokens = torch.randint(self.num_classes, self.input_shape)
            return tokens, torch.randint(self.num_classes, (tokens.numel(),))
        return torch.rand(*self.input_shape), torch.randint(self.num_classes, self.input_shape[:1])

    def loss(self, x, target):
        if not self.is_lstm:
            return F.cross_entropy(self.call(x), target)
        scores, state = self.call(x, self.state)
        self.state = tuple(part.detach() for part in state)
        return F.cross_entropy(scores, target, reduction="sum") / x.shape[1]

    def train(self, x, target):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(x, target)
        loss.backward()
        if self.is_lstm:
            torch.nn.utils.clip_grad_norm_(self.trained, 5)
        self.optimizer.step()
        return loss.item()


def fcn_s(full):
    widths = (26752, 2048, 2048, 2048, 26752) if full else (40, 16, 12, 16, 24)
    return Network(FullyConnected(*widths), [64 if full else 4, widths[0]], widths[-1], lr=0.01)


def alexnet_s(full):
    if full:
        return Network(alexnet(224, (96, 256, 384, 384, 256), (4096, 4096), 1000), [16, 3, 224, 224], 1000, lr=0.01)
    return Network(alexnet(67, (4, 6, 8, 8, 6), (16, 16), 10), [2, 3, 67, 67], 10, lr=0.01)


def make_resnet_50(full):
    sgd = {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4, "nesterov": True}
    if full:
        return Network(resnet_50(224, 64, (3, 4, 6, 3), 1000), [16, 3, 224, 224], 1000, **sgd)
    return Network(resnet_50(64, 2, (1, 1, 1, 1), 10), [8, 3, 64, 64], 10, **sgd)


def fcn_r(full):
    widths = (784, 2048, 4096, 1024, 10) if full else (49, 16, 24, 12, 10)
    return Network(FullyConnected(*widths), [1024 if full else 8, widths[0]], 10, lr=0.05, momentum=0.9)


def alexnet_r(full):
    image, channels, batch = (32, (32, 32, 64), 1024) if full else (16, (4, 4, 8), 8)
    return Network(small_alexnet(image, channels), [batch, 3, image, image], 10, lr=0.01, momentum=0.9)


def make_resnet_56(full):
    sgd = {"lr": 0.01, "momentum": 0.9, "weight_decay": 1e-4}
    if full:
        return Network(resnet_56(32, 16, (9, 9, 9), 10), [128, 3, 32, 32], 10, **sgd)
    return Network(resnet_56(16, 4, (1, 1, 1), 10), [8, 3, 16, 16], 10, **sgd)


def lstm(full):
    vocabulary, width, steps, batch = (10000, 256, 32, 128) if full else (20, 8, 4, 3)
    return Network(LanguageModel(vocabulary, width), [batch], vocabulary, steps=steps, lr=0.1)


NETWORKS = {"FCN-S": fcn_s, "AlexNet-S": alexnet_s, "ResNet-50": make_resnet_50, "FCN-R": fcn_r,
            "AlexNet-R": alexnet_r, "ResNet-56": make_resnet_56, "LSTM": lstm}
