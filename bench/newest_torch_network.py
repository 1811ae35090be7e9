# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The rows of patchbay-bench for operators of networks, in the PyTorch that this Python imports.

Sizes are those of convolution_bench.cpp, row_bench.cpp and network_bench.cpp.
"""

import torch
from torch.nn import functional as F

# n, c, extent, filters, kernel, stride, padding
CONVOLUTIONS = {
    "alexnet-11x11-s4": (16, 3, 224, 96, 11, 4, 2), "alexnet-5x5": (16, 96, 27, 256, 5, 1, 2),
    "alexnet-3x3": (16, 256, 13, 384, 3, 1, 1), "resnet50-7x7-s2": (16, 3, 224, 64, 7, 2, 3),
    "resnet50-3x3-56": (16, 64, 56, 64, 3, 1, 1), "resnet50-3x3-14": (16, 256, 14, 256, 3, 1, 1),
    "resnet50-1x1-56": (16, 64, 56, 256, 1, 1, 0), "resnet50-1x1-7": (16, 2048, 7, 512, 1, 1, 0),
    "resnet50-1x1-s2": (16, 256, 56, 512, 1, 2, 0), "resnet56-3x3-16": (128, 16, 32, 16, 3, 1, 1),
    "resnet56-3x3-64": (128, 64, 8, 64, 3, 1, 1), "alexnet-r-5x5": (128, 32, 16, 32, 5, 1, 2),
}
# n, c, extent, kernel, stride, padding
POOLS = {
    "alexnet-55": (16, 96, 55, 3, 2, 0), "resnet50-112": (16, 64, 112, 3, 2, 1),
    "alexnet-r-32": (128, 32, 32, 3, 2, 0), "resnet50-7": (16, 2048, 7, 7, 1, 0),
}


def random(*shape):
    return torch.rand(*shape) - 0.5


def gradient(leaves, make, again=True):
    """The gradients of `leaves`; with `again` of one result, else of a new one each time."""
    for leaf in leaves:
        leaf.requires_grad_()
    with torch.enable_grad():
        result = make()
    grad = torch.rand_like(result)
    if again:
        return lambda: torch.autograd.grad(result, leaves, grad, retain_graph=True)

    def train():
        with torch.enable_grad():
            return torch.autograd.grad(make(), leaves, grad)
    return train


def conv2d(name):
    is_input, is_weight = name.endswith("-input"), name.endswith("-weight")
    case = name.removesuffix("-input").removesuffix("-weight")
    n, c, extent, filters, kernel, stride, padding = CONVOLUTIONS[case]
    x, weight = random(n, c, extent, extent), random(filters, c, kernel, kernel)

    def forward():
        return F.conv2d(x, weight, None, stride, padding)
    if is_input or is_weight:
        return gradient([x if is_input else weight], forward)
    return forward


def pool(name):
    operation, _, case = name.removesuffix("-input").partition("-")
    n, c, extent, kernel, stride, padding = POOLS[case]
    x = random(n, c, extent, extent)

    def forward():
        return getattr(F, operation)(x, kernel, stride, padding)
    return gradient([x], forward) if name.endswith("-input") else forward


def order(name):
    operation, _, size = name.partition("-")
    a = random(*(int(extent) for extent in size.split("x")))
    return {"cumsum": lambda: torch.cumsum(a, 1), "sort": lambda: torch.sort(a, 1),
            "topk": lambda: torch.topk(a, 10, 1), "prod": lambda: torch.prod(a, 1)}[operation]


def recurrent(name):
    operation, _, size = name.removesuffix("-training").partition("-")
    steps, batch, width = (int(extent) for extent in size.split("x"))
    x = random(steps, batch, width)
    layer = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[operation](width, width)
    if name.endswith("-training"):
        return gradient([x, *layer.parameters()], lambda: layer(x)[0], again=False)
    layer.requires_grad_(False)
    return lambda: layer(x)


def attention(name):
    heads, length, features = (int(extent) for extent in name.removesuffix("-training").split("x"))
    q, k, v = (random(1, heads, length, features) for _ in range(3))

    def forward():
        return F.scaled_dot_product_attention(q, k, v)
    return gradient([q, k, v], forward, again=False) if name.endswith("-training") else forward


def update(name):
    operation, _, size = name.partition("-")
    count, each = (int(extent) for extent in size.split("x"))
    parameters = [torch.nn.Parameter(torch.rand(each)) for _ in range(count)]
    for parameter in parameters:
        parameter.grad = random(each)
    made = {"sgd": lambda: torch.optim.SGD(parameters, 0.01, momentum=0.9, foreach=True),
            "adam": lambda: torch.optim.Adam(parameters, 0.01, fused=True)}[operation]()
    return made.step


def rows(operation, size):
    """softmax, losses and normalization."""
    backward = size.endswith("-backward")
    shape = [int(extent) for extent in size.removesuffix("-backward").split("x")]
    x = random(*shape)
    if operation == "cross_entropy":
        target = torch.randint(shape[1], (shape[0],))
        forward, leaves = (lambda: F.cross_entropy(x, target)), [x]
    elif operation.endswith("softmax"):
        forward, leaves = (lambda: getattr(F, operation)(x, 1)), [x]
    elif operation == "batch_norm":
        weight, bias = random(shape[1]), random(shape[1])
        forward = lambda: F.batch_norm(x, None, None, weight, bias, training=True)
        leaves = [x, weight, bias]
    elif operation == "layer_norm":
        weight, bias = random(shape[1]), random(shape[1])
        forward, leaves = (lambda: F.layer_norm(x, shape[1:], weight, bias)), [x, weight, bias]
    elif operation == "rms_norm" and hasattr(F, "rms_norm"):
        weight = random(shape[1])
        forward, leaves = (lambda: F.rms_norm(x, shape[1:], weight)), [x, weight]
    else:
        return None
    return gradient(leaves, forward) if backward else forward


FAMILIES = {"conv2d": conv2d, "pool": pool, "order": order, "recurrent": recurrent,
            "attention": attention, "update": update}


def work(row):
    """The same work in PyTorch, or None."""
    family, _, name = row.partition("/")
    return FAMILIES[family](name) if family in FAMILIES else rows(family, name)
