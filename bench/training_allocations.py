#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The allocations of training steps of seven networks, for `patchbay memory --replay`.

  bench/training_allocations.py NETWORK [--steps N]      lines on stdout; --list names the networks

A line is `a ID BYTES TAG` (allocate) or `f ID` (free). They follow from the networks' shapes by the
rules of an eager framework: each operation makes its result; what its derivative needs is kept until
that has run; convolutions use a workspace of one image's columns; gradients of parameters and the
momentum are made in the first step and stay. Networks: Table 7 of Shi et al. 2016 (arXiv 1608.07249),
f32.
"""

import argparse
import itertools
import math
import sys

F32_BYTES = 4


class Storage:
    """Live from construction until Python drops the last reference, which is at once."""

    ids = itertools.count()
    out = sys.stdout

    def __init__(self, num_bytes, tag):
        self.id = next(Storage.ids)
        Storage.out.write(f"a {self.id} {num_bytes} {tag}\n")

    def __del__(self):
        Storage.out.write(f"f {self.id}\n")


class Tensor:
    def __init__(self, shape, tag="activations"):
        self.shape = tuple(shape)
        self.number = next(Storage.ids)  # names its gradient; keeps nothing alive
        self.storage = Storage(math.prod(self.shape) * F32_BYTES, tag)


class Node:
    """One operation that was recorded for the way back."""

    def __init__(self, output, inputs, saved, parameters, workspace_elements):
        self.output = output.number
        self.inputs = [(x.number, x.shape) for x in inputs]
        self.saved = saved
        self.parameters = parameters
        self.workspace_elements = workspace_elements


class Network:
    """Records forward, runs backward and the update. Layers are made at their first call."""

    def __init__(self, momentum):
        self.has_momentum = momentum
        self.parameters = []
        self.gradients = {}
        self.momenta = {}
        self.tape = []
        self.next_parameter = 0

    def parameter(self, *shape):
        if self.next_parameter == len(self.parameters):
            self.parameters.append(Tensor(shape, "parameters"))
        self.next_parameter += 1
        return self.parameters[self.next_parameter - 1]

    def record(self, output, inputs, saved=(), parameters=(), workspace_elements=0):
        self.tape.append(Node(output, inputs, list(saved), list(parameters), workspace_elements))
        return output

    def linear(self, x, features, bias=True):
        weight = self.parameter(features, x.shape[-1])
        parameters = [weight] + ([self.parameter(features)] if bias else [])
        y = Tensor(x.shape[:-1] + (features,))
        return self.record(y, [x], [x, weight], parameters)

    def conv(self, x, channels, kernel, stride=1, padding=0, bias=True):
        n, c, h, w = x.shape
        weight = self.parameter(channels, c, kernel, kernel)
        parameters = [weight] + ([self.parameter(channels)] if bias else [])
        out_h = (h + 2 * padding - kernel) // stride + 1
        out_w = (w + 2 * padding - kernel) // stride + 1
        y = Tensor((n, channels, out_h, out_w))
        columns = c * kernel * kernel * out_h * out_w
        workspace = Tensor((columns,), "workspace")
        del workspace
        return self.record(y, [x], [x, weight], parameters, columns)

    def batch_norm(self, x):
        c = x.shape[1]
        parameters = [self.parameter(c), self.parameter(c)]
        statistics = [Tensor((c,)), Tensor((c,))]
        return self.record(Tensor(x.shape), [x], [x, *statistics], parameters)

    def pool(self, x, kernel, stride, padding=0):
        n, c, h, w = x.shape
        out = [(size + 2 * padding - kernel) // stride + 1 for size in (h, w)]
        y = Tensor((n, c, *out))
        return self.record(y, [x], [x, Tensor(y.shape)])  # with the places of the maxima

    def average(self, x, kernel, stride):
        n, c, h, w = x.shape
        return self.record(Tensor((n, c, (h - kernel) // stride + 1, (w - kernel) // stride + 1)), [x])

    def pointwise(self, x):
        """ReLU, sigmoid, tanh: the derivative is made of the result."""
        y = Tensor(x.shape)
        return self.record(y, [x], [y])

    def add(self, a, b):
        return self.record(Tensor(a.shape), [a, b])

    def multiply(self, a, b):
        return self.record(Tensor(a.shape), [a, b], [a, b])

    def view(self, x, *shape):
        y = Tensor.__new__(Tensor)
        y.shape, y.number, y.storage = shape, x.number, x.storage
        return y

    def loss(self, x):
        log_probabilities = Tensor(x.shape)
        self.record(log_probabilities, [x], [log_probabilities])
        return self.record(Tensor(()), [log_probabilities])

    def backward(self, loss):
        gradients = {loss.number: Tensor((), "gradients")}
        while self.tape:
            node = self.tape.pop()
            gradient = gradients.pop(node.output, None)
            if gradient is None:
                continue
            workspace = Tensor((node.workspace_elements,), "workspace") \
                if node.workspace_elements else None
            for number, shape in node.inputs:
                made = Tensor(shape, "gradients")
                if number not in gradients:
                    gradients[number] = made
                del made  # else added in place
            for parameter in node.parameters:
                made = Tensor(parameter.shape, "gradients")
                self.gradients.setdefault(parameter.number, made)
                del made
            del workspace, gradient, node

    def update(self):
        for parameter in self.parameters:
            if self.has_momentum and parameter.number not in self.momenta:
                self.momenta[parameter.number] = Tensor(parameter.shape, "optimiser")
        self.next_parameter = 0

    def step(self, forward):
        loss = forward(self)
        self.backward(loss)
        del loss
        self.update()


def fully_connected(sizes, batch):
    def forward(net):
        x = Tensor((batch, sizes[0]), "input")
        for size in sizes[1:-1]:
            x = net.pointwise(net.linear(x, size))
        return net.loss(net.linear(x, sizes[-1]))
    return forward


def alexnet_s(net):
    x = Tensor((16, 3, 224, 224), "input")
    x = net.pool(net.pointwise(net.conv(x, 96, 11, 4, 2)), 3, 2)
    x = net.pool(net.pointwise(net.conv(x, 256, 5, 1, 2)), 3, 2)
    for channels in (384, 384, 256):
        x = net.pointwise(net.conv(x, channels, 3, 1, 1))
    x = net.pool(x, 3, 2)
    x = net.view(x, 16, 9216)
    for _ in range(2):
        x = net.pointwise(net.linear(x, 4096))
    return net.loss(net.linear(x, 1000))


def bottleneck(net, x, width, stride):
    y = net.pointwise(net.batch_norm(net.conv(x, width, 1, bias=False)))
    y = net.pointwise(net.batch_norm(net.conv(y, width, 3, stride, 1, bias=False)))
    y = net.batch_norm(net.conv(y, 4 * width, 1, bias=False))
    if x.shape != y.shape:
        x = net.batch_norm(net.conv(x, 4 * width, 1, stride, bias=False))
    return net.pointwise(net.add(y, x))


def resnet_50(net):
    x = Tensor((16, 3, 224, 224), "input")
    x = net.pointwise(net.batch_norm(net.conv(x, 64, 7, 2, 3, bias=False)))
    x = net.pool(x, 3, 2, 1)
    for blocks, width in zip((3, 4, 6, 3), (64, 128, 256, 512)):
        for block in range(blocks):
            x = bottleneck(net, x, width, 2 if block == 0 and width != 64 else 1)
    return net.loss(net.linear(net.view(net.average(x, 7, 1), 16, 2048), 1000))


def alexnet_r(net):
    x = Tensor((1024, 3, 32, 32), "input")
    x = net.pointwise(net.pool(net.conv(x, 32, 5, 1, 2), 3, 2))
    x = net.pool(net.pointwise(net.conv(x, 32, 5, 1, 2)), 3, 2)
    x = net.average(net.pointwise(net.conv(x, 64, 5, 1, 2)), 3, 2)
    return net.loss(net.linear(net.view(x, 1024, 576), 10))


def basic_block(net, x, channels, stride):
    y = net.pointwise(net.batch_norm(net.conv(x, channels, 3, stride, 1)))
    y = net.batch_norm(net.conv(y, channels, 3, 1, 1))
    if x.shape != y.shape:  # strided average, then channels of zeros
        small = net.average(x, 1, stride)
        x = net.record(Tensor(y.shape), [small])
        del small
    return net.pointwise(net.add(y, x))


def resnet_56(net):
    x = Tensor((128, 3, 32, 32), "input")
    x = net.pointwise(net.batch_norm(net.conv(x, 16, 3, 1, 1)))
    for channels in (16, 32, 64):
        for block in range(9):
            x = basic_block(net, x, channels, 2 if block == 0 and channels != 16 else 1)
    return net.loss(net.linear(net.view(net.average(x, 8, 1), 128, 64), 10))


def lstm(net):
    steps, batch, hidden = 32, 128, 256
    embedding = net.parameter(10000, hidden)
    layers = [[net.parameter(4 * hidden, hidden), net.parameter(4 * hidden, hidden),
               net.parameter(4 * hidden)] for _ in range(2)]
    output = [net.parameter(10000, hidden), net.parameter(10000)]
    h = [Tensor((batch, hidden)) for _ in layers]
    c = [Tensor((batch, hidden)) for _ in layers]
    tokens = Tensor((steps, batch), "input")
    hs = []
    for _ in range(steps):
        x = Tensor((batch, hidden))
        net.record(x, [], [tokens], [embedding])
        for i, parameters in enumerate(layers):
            gates = Tensor((batch, 4 * hidden))
            net.record(gates, [x, h[i]], [x, h[i], *parameters], parameters)
            activated = net.pointwise(gates)
            previous, c[i] = c[i], Tensor((batch, hidden))
            net.record(c[i], [activated, previous], [activated, previous])
            squashed = net.pointwise(c[i])
            h[i] = Tensor((batch, hidden))
            x = net.record(h[i], [activated, squashed], [activated, squashed])
            del gates, activated, previous, squashed
        hs.append(x)
    stacked = net.record(Tensor((steps * batch, hidden)), hs)
    del hs, x, h, c
    scores = net.record(Tensor((steps * batch, 10000)), [stacked], [stacked, *output], output)
    del stacked
    return net.loss(scores)


NETWORKS = {
    "fcn-s": (fully_connected((26752, 2048, 2048, 2048, 26752), 64), False),
    "alexnet-s": (alexnet_s, False),
    "resnet-50": (resnet_50, True),
    "fcn-r": (fully_connected((784, 2048, 4096, 1024, 10), 1024), True),
    "alexnet-r": (alexnet_r, True),
    "resnet-56": (resnet_56, True),
    "lstm": (lstm, False),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", choices=NETWORKS)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(NETWORKS))
        return
    if arguments.network is None:
        parser.error("expected the name of a network; --list shows them")
    forward, momentum = NETWORKS[arguments.network]
    net = Network(momentum)
    for _ in range(arguments.steps):
        net.step(forward)
    parameters = sum(math.prod(p.shape) for p in net.parameters)
    print(f"# {arguments.network}: {parameters} parameters", file=sys.stderr)


if __name__ == "__main__":
    main()
