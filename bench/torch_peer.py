#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The work of Patchbay's benchmarks in the PyTorch, or the JAX, that this Python imports.

  PYTHON torch_peer.py rows [--library torch|compiled|jax|onnx|numpy] [--threads N]  rows of patchbay-bench, on the CPU
  PYTHON torch_peer.py card-rows [--device cuda:0]                    rows of patchbay-gpu-probe
  PYTHON torch_peer.py train --net NAME ... [--threads N] [--device NAME] [--compile]

For rows it reads names from standard input and answers each with a line of JSON. `train` prints a line of JSON
for each network, as patchbay-training does. Products of f32 on a card do not round their operands (no TF32).
"""

import argparse
import contextlib
import inspect
import io
import json
import math
import pathlib
import re
import statistics
import sys
import time
from functools import partial

try:
    import torch
    F = torch.nn.functional
except ImportError:
    torch = None


def cases(array):
    """{name: numbers} of that array of cases.h."""
    text = (pathlib.Path(__file__).resolve().parent / "cases.h").read_text()
    body = re.search(rf"{array}\[\] = {{(.*?)\n?}};", text, re.DOTALL)[1]
    return {name: [int(number) for number in numbers.split(",")]
            for name, numbers in re.findall(r'{"([^"]+)",\s*([\d,\s]+)}', body)}


def extents(size):
    return [int(extent) for extent in size.split("x")]


# ---------------------------------------------------------------------------------- rows of patchbay-bench

def random(*shape):
    return torch.rand(*shape) - 0.5


def gradient(leaves, make, again=False):
    """The gradients of `leaves`, of one result, or with `again` of a new one in each call."""
    for leaf in leaves:
        leaf.requires_grad_()
    with torch.enable_grad():
        result = make()
    grad = torch.rand_like(result)
    if not again:
        return lambda: torch.autograd.grad(result, leaves, grad, retain_graph=True)

    def train():
        with torch.enable_grad():
            return torch.autograd.grad(make(), leaves, grad)
    return train


def repeated(call):
    def run(times):
        for _ in range(times):
            call()
    return run


def scripted(statement, **operands):
    """The statement in a loop of TorchScript, so that Python has no share in its time; `kept[0] =` keeps a result."""
    lines = "\n".join(" " * 8 + line for line in statement.splitlines())
    parameters = "".join(f", {name}: Tensor" for name in operands)
    loop = torch.jit.CompilationUnit(f"def loop(times: int, kept: List[Tensor]{parameters}):\n"
                                     f"    for _ in range(times):\n{lines}\n").loop
    is_optimized = "kept" not in statement  # else equal calls are computed once

    def run(times):
        with torch.inference_mode(), torch.jit.optimized_execution(is_optimized):
            loop(times, [torch.empty(0)], *operands.values())
    return run


OPERATORS = {
    "relu": "torch.clamp_min(a, 0, out=out)", "gelu": "kept[0] = torch.nn.functional.gelu(a)",
    "lt": "torch.lt(a, b, out=flags)", "where": "kept[0] = torch.where(condition, a, b)",
    "clamp": "torch.clamp(a, 0.25, 0.75, out=out)", "add_scalar": "torch.add(a, half, out=out)",
    "add_row": "torch.add(matrix, row, out=matrix_out)", "cast_f64": "doubles.copy_(a)", "copy": "out.copy_(a)",
    "fill": "out.fill_(0.5)", "transpose": "matrix_out.view(matrix.size(1), -1).copy_(matrix.t())",
    "sum": "kept[0] = torch.sum(a)", "mean": "kept[0] = torch.mean(a)", "max": "kept[0] = torch.max(a)",
    "argmax": "kept[0] = torch.argmax(a)", "norm": "kept[0] = torch.norm(a)",
    "sum_rows": "kept[0] = torch.sum(matrix, 1)", "sum_columns": "kept[0] = torch.sum(matrix, 0)",
    "max_rows": "kept[0] = torch.amax(matrix, 1)", "max_columns": "kept[0] = torch.amax(matrix, 0)",
}
OPERATORS |= {name: f"torch.{name}(a, out=out)"
              for name in "neg abs square sqrt rsqrt exp log sigmoid tanh erf".split()}
OPERATORS |= {name: f"torch.{name}(a, b, out=out)" for name in "add sub mul div pow maximum minimum".split()}

# Five operations one after the other, as a program without fusion writes them, into one temporary.
CHAINS = {
    "cheap": "torch.mul(a, b, out=t)\nt.add_(1)\nt.clamp_min_(0)\nt.mul_(2)\ntorch.sub(t, a, out=out)",
    "functions": "torch.mul(a, b, out=t)\nt.exp_()\nt.add_(1)\nt.log_()\ntorch.div(t, two, out=out)",
    # 2 grad b - grad and 2 grad a where a b + 1 > 0
    "backward": "torch.mul(a, b, out=t)\ntorch.gt(t, -1, out=flags)\ntorch.mul(grad, flags, out=t)\nt.mul_(2)\n"
                "torch.mul(t, a, out=out_b)\ntorch.mul(t, b, out=out)\nout.sub_(grad)",
}


def operands_of_operators(count):
    a, b = torch.rand(count), torch.rand(count)
    matrix = a.view(-1, min(count, 1024))
    return {"a": a, "b": b, "condition": a > b, "half": torch.tensor(0.5), "out": torch.empty(count),
            "flags": torch.empty(count, dtype=torch.bool), "doubles": torch.empty(count, dtype=torch.float64),
            "matrix": matrix, "matrix_out": torch.empty_like(matrix), "row": torch.rand(min(count, 1024))}


def operator(name, count):
    return name in OPERATORS and scripted(OPERATORS[name], **operands_of_operators(count))


def compiled_row(row):
    """An operator that torch.compile has compiled, into the same outputs as without."""
    family, _, name = row.partition("/")
    operation, _, size = name.partition("-")
    if family != "ops":
        return None
    if operation == "gemm":
        m, k, n = extents(size.rstrip("t"))
        operands = {"a": torch.rand(m, k), "out": torch.empty(m, n),
                    "b": torch.rand(n, k).t() if size.endswith("t") else torch.rand(k, n)}
        statement = "torch.mm(a, b, out=out)"
    elif operation in OPERATORS:
        operands, statement = operands_of_operators(int(size)), OPERATORS[operation]
    else:
        return None
    statement = statement.replace("kept[0] =", "return")
    operands = {key: value for key, value in operands.items() if re.search(rf"\b{key}\b", statement)}
    scope = {"torch": torch}
    exec(f"def call({', '.join(operands)}):\n    {statement}\n", scope)  # pylint: disable=exec-used
    torch.compiler.reset()
    return partial(torch.compile(scope["call"], dynamic=False), *operands.values())


def chain(name):
    count, _, kind = name.partition("-")
    return scripted(CHAINS[kind], two=torch.tensor(2.0), flags=torch.zeros(int(count), dtype=torch.bool),
                    **{each: random(int(count)) * 2 for each in ("a", "b", "grad", "t", "out", "out_b")})


def product(size):
    m, k, n = extents(size.rstrip("t"))
    b = torch.rand(n, k).t() if size.endswith("t") else torch.rand(k, n)
    return scripted("torch.mm(a, b, out=out)", a=torch.rand(m, k), b=b, out=torch.empty(m, n))


def batch_of_products(name):
    dtype, size, layout = name.split("-")
    count, m, k, n = extents(size)
    dtype = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]

    def factor(rows, columns, letter):
        shape = (columns, rows) if letter == "t" else (rows, columns)
        made = random(*(shape if count == 1 else (count, *shape))).to(dtype)
        return made.transpose(-2, -1) if letter == "t" else made
    a, b = factor(m, k, layout[0]), factor(k, n, layout[1])
    return scripted("torch.matmul(a, b, out=out)", a=a, b=b, out=torch.matmul(a, b))


def ops(name):
    operation, _, size = name.partition("-")
    return product(size) if operation == "gemm" else operator(operation, int(size))


def addition(name):
    count, _, kind = name.partition("-")
    statement = {"fresh": "kept[0] = torch.add(a, b)", "existing": "torch.add(a, b, out=out)"}[kind]
    return scripted(statement, **{each: torch.rand(int(count)) for each in ("a", "b", "out")})


def graph(name):
    """As many operations as the graph has, in fresh outputs."""
    operations, count = extents(name)
    return scripted(f"y = a\nfor i in range({operations // 2}):\n    y = (y + a) * 0.5\nkept[0] = y",
                    a=torch.rand(count))


def packed(name):
    operation, _, size = name.partition("-")
    return product(size + "t") if operation == "linear" else convolution(size, "kPackedConvolutions")


def convolution(name, array="kConvolutions"):
    case = name.removesuffix("-input").removesuffix("-weight")
    n, c, extent, filters, kernel, stride, padding = cases(array)[case]
    x, weight = random(n, c, extent, extent), random(filters, c, kernel, kernel)
    forward = partial(F.conv2d, x, weight, None, stride, padding)
    return forward if name == case else gradient([x if name.endswith("-input") else weight], forward)


def pool(name):
    operation, _, case = name.removesuffix("-input").partition("-")
    n, c, extent, *window = cases("kPools")[case]
    x = random(n, c, extent, extent)
    forward = partial(getattr(F, operation), x, *window)
    return gradient([x], forward) if name.endswith("-input") else forward


def order(name):
    operation, _, size = name.partition("-")
    more = {"topk": [10, 1]}.get(operation, [1])
    return partial(getattr(torch, operation), random(*extents(size)), *more)


def recurrent(name):
    operation, _, size = name.removesuffix("-training").partition("-")
    steps, batch, width = extents(size)
    x, layer = random(steps, batch, width), {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[operation](width, width)
    if name.endswith("-training"):
        return gradient([x, *layer.parameters()], lambda: layer(x)[0], again=True)
    return partial(layer, x)


def attention(name):
    shape = 1, *extents(name.removesuffix("-training"))
    operands = [random(*shape) for _ in range(3)]
    function = getattr(F, "scaled_dot_product_attention", None)  # PyTorch 1 has another one
    forward = partial(function or (lambda *qkv: torch._C._nn._scaled_dot_product_attention(*qkv)[0]), *operands)
    return gradient(operands, forward, again=True) if name.endswith("-training") else forward


def update(name):
    operation, _, size = name.partition("-")
    count, each = extents(size)
    parameters = [torch.nn.Parameter(torch.rand(each)) for _ in range(count)]
    for parameter in parameters:
        parameter.grad = random(each)
    if operation == "sgd":
        return torch.optim.SGD(parameters, 0.01, momentum=0.9, foreach=True).step
    is_fused = torch.__version__ >= "2.4"  # on the CPU
    return torch.optim.Adam(parameters, 0.01, **({"fused": True} if is_fused else {"foreach": True})).step


def rms_norm(x, weight):
    if hasattr(F, "rms_norm"):
        return F.rms_norm(x, weight.shape, weight)
    return x * torch.rsqrt(torch.mean(torch.square(x), 1, keepdim=True) + 1e-5) * weight


# Of x and its shape: the leaves, and the work on them.
LAYERS = {
    "softmax": lambda x, shape: ([x], partial(torch.softmax, x, 1)),
    "log_softmax": lambda x, shape: ([x], partial(torch.log_softmax, x, 1)),
    "cross_entropy": lambda x, shape: ([x], partial(F.cross_entropy, x, torch.randint(shape[1], (shape[0],)))),
    "layer_norm": lambda x, shape: ((leaves := [x, random(shape[1]), random(shape[1])]),
                                    lambda: F.layer_norm(x, shape[1:], *leaves[1:])),
    "rms_norm": lambda x, shape: ((leaves := [x, random(shape[1])]), partial(rms_norm, *leaves)),
    "batch_norm": lambda x, shape: ((leaves := [x, random(shape[1]), random(shape[1])]),
                                    lambda: F.batch_norm(x, None, None, *leaves[1:], training=True)),
}


def layer(family, name):
    shape = extents(name.removesuffix("-backward"))
    leaves, forward = LAYERS[family](random(*shape), shape)
    return gradient(leaves, forward) if name.endswith("-backward") else forward


def transformer(name):
    """The network and its input."""
    layer = torch.nn.TransformerEncoderLayer(384, 12, 4 * 384, activation="gelu", batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).eval()
    return net, random(*extents(name.removeprefix("transformer-")), 384)


def matrices(operation, shape):
    """Of SciPy's or PyTorch's: the operand, positive definite where it has to be."""
    a = random(*shape)
    if operation in ("cholesky", "eigh"):
        a = a @ a.transpose(-2, -1) + torch.eye(shape[-1])
    return a


def factorization(name):
    operation, _, size = name.partition("-")
    shape = extents(size)
    a, b = matrices(operation, shape), random(*shape[:2], 1)
    return {"solve": partial(torch.linalg.solve, a, b), "cholesky": partial(torch.linalg.cholesky, a),
            "qr": partial(torch.linalg.qr, a), "eigh": partial(torch.linalg.eigh, a),
            "svd": partial(torch.linalg.svd, a, full_matrices=False)}[operation]


def transform(name):
    shape = extents(name)
    x = torch.complex(random(*shape), random(*shape))
    return partial(torch.fft.fftn, x)


def numpy_row(threads, row):
    """Linear algebra of NumPy, transforms of SciPy."""
    import numpy  # pylint: disable=import-outside-toplevel
    import scipy.fft  # pylint: disable=import-outside-toplevel
    family, _, name = row.partition("/")
    if family == "fft":
        x = torch.complex(random(*extents(name)), random(*extents(name))).numpy()
        return partial(scipy.fft.fftn, x, workers=threads)
    if family != "linalg":
        return None
    operation, _, size = name.partition("-")
    shape = extents(size)
    a, b = matrices(operation, shape).numpy(), random(*shape[:2], 1).numpy()
    return {"solve": partial(numpy.linalg.solve, a, b), "cholesky": partial(numpy.linalg.cholesky, a),
            "qr": partial(numpy.linalg.qr, a), "eigh": partial(numpy.linalg.eigh, a),
            "svd": partial(numpy.linalg.svd, a, full_matrices=False)}[operation]


FAMILIES = {"linalg": factorization, "fft": transform, "infer": lambda name: partial(*transformer(name)), "ops": ops,
            "add": addition, "graph": graph, "fuse": chain, "packed": packed,
            "gemm": lambda n: product(f"{n}x{n}x{n}"), "product": batch_of_products, "conv2d": convolution,
            "pool": pool, "order": order, "recurrent": recurrent, "attention": attention, "update": update}
FAMILIES |= {family: partial(layer, family) for family in LAYERS}


def torch_row(row):
    """The work of a row, or None."""
    family, _, name = row.partition("/")
    return FAMILIES[family](name) if family in FAMILIES else None


JAX_OPERATORS = {
    "neg": "-a", "abs": "jnp.abs(a)", "square": "a * a", "sqrt": "jnp.sqrt(a)", "rsqrt": "jax.lax.rsqrt(a)",
    "exp": "jnp.exp(a)", "log": "jnp.log(a)", "sigmoid": "jax.nn.sigmoid(a)", "tanh": "jnp.tanh(a)",
    "erf": "jax.lax.erf(a)", "relu": "jnp.maximum(a, 0)", "gelu": "jax.nn.gelu(a, approximate=False)",
    "add": "a + b", "sub": "a - b", "mul": "a * b", "div": "a / b", "pow": "a ** b", "maximum": "jnp.maximum(a, b)",
    "minimum": "jnp.minimum(a, b)", "lt": "a < b", "where": "jnp.where(condition, a, b)",
    "clamp": "jnp.clip(a, 0.25, 0.75)", "add_scalar": "a + 0.5", "add_row": "matrix + row",
    "transpose": "matrix.T + 0", "sum": "a.sum()", "mean": "a.mean()", "max": "a.max()", "argmax": "a.argmax()",
    "norm": "jnp.sqrt((a * a).sum())", "sum_rows": "matrix.sum(1)", "sum_columns": "matrix.sum(0)",
    "max_rows": "matrix.max(1)", "max_columns": "matrix.max(0)",
}


def jax_operator(jax, name):
    """With a new output in each call, and into an operand that is donated to it."""
    jnp = jax.numpy
    operation, _, size = name.partition("-")
    uniform = lambda *shape: jax.random.uniform(jax.random.key(len(shape)), shape)
    if operation == "gemm":
        m, k, n = extents(size.rstrip("t"))
        operands = {"a": uniform(m, k), "b": uniform(n, k) if size.endswith("t") else uniform(k, n)}
        formula = "a @ b.T" if size.endswith("t") else "a @ b"
    elif operation in JAX_OPERATORS:
        count = int(size)
        a, b, formula = uniform(count), uniform(count)[::-1] + 0, JAX_OPERATORS[operation]
        every = {"a": a, "b": b, "condition": a > b, "matrix": a.reshape(-1, min(count, 1024)),
                 "row": uniform(min(count, 1024))}
        operands = {key: value for key, value in every.items() if re.search(rf"\b{key}\b", formula)}
    else:
        return None
    names = ", ".join(operands)
    function = eval(f"lambda {names}: {formula}", {"jax": jax, "jnp": jnp})  # pylint: disable=eval-used
    into = eval(f"lambda {names}, out: function({names})", {"function": function})  # pylint: disable=eval-used
    donating = jax.jit(into, donate_argnums=len(operands))
    fresh = jax.jit(function)
    values = list(operands.values())
    state = {"out": fresh(*values) + 0}

    def donate():
        state["out"] = donating(*values, state["out"])
        state["out"].block_until_ready()
    return [lambda: fresh(*values).block_until_ready(), donate]


def jax_row(jax, row):
    """An operator, or a fused chain, in both forms: with a new output in each call, and into an operand that is donated
    to it."""
    if row.startswith("ops/"):
        return jax_operator(jax, row.removeprefix("ops/"))
    jnp = jax.numpy
    chains = {"cheap": lambda a, b: jnp.maximum(a * b + 1, 0) * 2 - a,
              "functions": lambda a, b: jnp.log(jnp.exp(a * b) + 1) / 2}
    family, _, name = row.partition("/")
    count, _, chain = name.partition("-")
    if family != "fuse" or chain not in chains:
        return None
    a, b = (jax.random.uniform(key, (int(count),)) for key in jax.random.split(jax.random.key(1)))
    fresh = jax.jit(chains[chain])
    donating = jax.jit(lambda a, b, out: chains[chain](a, b), donate_argnums=2)
    state = {"out": jnp.zeros_like(a)}

    def donate():
        state["out"] = donating(a, b, state["out"])
        state["out"].block_until_ready()
    return [lambda: fresh(a, b).block_until_ready(), donate]


def onnx_row(onnxruntime, threads, row):
    """A network that PyTorch has written to a file of ONNX."""
    family, _, name = row.partition("/")
    if family != "infer":
        return None
    net, x = transformer(name)
    file = io.BytesIO()
    torch.backends.mha.set_fastpath_enabled(False)  # its operator has no form in ONNX
    torch.onnx.export(net, (x,), file, input_names=["x"], dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])
    return partial(session.run, None, {"x": x.numpy()})


# ------------------------------------------------------------------------------ rows of patchbay-gpu-probe

def filled(*shape):
    return (torch.arange(math.prod(shape)) * 7 % 13 - 6).to(torch.float32).view(shape)


def places(count, end):
    return torch.arange(count) * 7919 % end


def images(n):
    return filled(32, n, 3584 // n, 3584 // n)


def card_product(n, dtype=None, tf32=False, blas="cublas"):
    if torch.cuda.is_available():
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cuda.preferred_blas_library(blas)
    a, b = filled(n, n).to(dtype or torch.float32), filled(n, n).to(dtype or torch.float32)
    return partial(torch.mm, a, b, out=torch.zeros_like(a))


def card_graph(n):
    a, b = filled(64), filled(64)

    def chain():
        for _ in range(n):
            torch.maximum(a, b, out=a)

    if not torch.cuda.is_available():
        return chain
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        chain()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        chain()
    return graph.replay


def pinned(n, is_up):
    host, there = torch.ones(n, pin_memory=True, device="cpu"), torch.ones(n)
    to, source = (there, host) if is_up else (host, there)
    return partial(to.copy_, source, non_blocking=True)


def card_convolution(n, dtype=None, is_pointwise=False):
    weight = filled(*((4 * n, n, 1, 1) if is_pointwise else (n, n, 3, 3)))
    return partial(F.conv2d, images(n).to(dtype), weight.to(dtype), padding=0 if is_pointwise else 1)


def card_training(n):
    x, weight, grad = images(n).requires_grad_(), filled(n, n, 3, 3).requires_grad_(), images(n)

    def train():
        x.grad = weight.grad = None
        with torch.enable_grad():
            F.conv2d(x, weight, padding=1).backward(grad)
    return train


def card_attention(n, dtype=None):
    return partial(F.scaled_dot_product_attention, *(filled(8, 8, n, 64).to(dtype) for _ in range(3)))


def card_adam(shape, count):
    parameters = [torch.ones(shape, requires_grad=True) for _ in range(count)]
    for parameter in parameters:
        parameter.grad = torch.ones(shape)
    return torch.optim.Adam(parameters, fused=True).step


def card_batch_norm(n, x):
    zeros, ones = partial(torch.zeros, n), partial(torch.ones, n)
    return partial(F.batch_norm, x, zeros(), ones(), ones(), zeros(), training=True)


def card_rows(device):
    """{kind: function of a size}. Tensors are made on the default device."""
    edge = lambda n: math.isqrt(2**20 // n)
    return {
        "gemm": card_product, "gemm-tf32": partial(card_product, tf32=True),
        "gemm-lt": partial(card_product, blas="cublaslt"), "gemm-f16": partial(card_product, dtype=torch.float16),
        "gemm-bf16": partial(card_product, dtype=torch.bfloat16),
        "gemm-bf16-lt": partial(card_product, dtype=torch.bfloat16, blas="cublaslt"),
        "launch": lambda n: partial(torch.maximum, (a := filled(64)), filled(64), out=a), "graph": card_graph,
        "copy": lambda n: partial(torch.zeros(n).copy_, filled(n)),
        "pinned-to-device": partial(pinned, is_up=True), "device-to-pinned": partial(pinned, is_up=False),
        "to-device": lambda n: partial(torch.zeros(n).copy_, torch.ones(n, device="cpu")),
        "queued-to-device": lambda n: partial(torch.zeros(n).copy_, torch.ones(n, device="cpu")),
        "to-host": lambda n: partial(torch.ones(n, device="cpu").copy_, filled(n)),
        "add": lambda n: partial(torch.add, filled(n), filled(n), out=torch.zeros(n)),
        "exp": lambda n: partial(torch.exp, filled(n), out=torch.zeros(n)),
        "sum": lambda n: partial(torch.sum, filled(n)),
        "sum-rows": lambda n: partial(torch.sum, filled(n, n), 1),
        "sum-columns": lambda n: partial(torch.sum, filled(n, n), 0),
        "transpose": lambda n: partial(torch.zeros(n, n).copy_, filled(n, n).t()),
        "gather": lambda n: partial(torch.index_select, filled(n, 64), 0, places(n, n), out=torch.zeros(n, 64)),
        "softmax": lambda n: partial(torch.softmax, filled(n, n), 1),
        "layer-norm": lambda n: partial(F.layer_norm, filled(n, n), (n,)),
        "conv": card_convolution, "conv1x1": partial(card_convolution, is_pointwise=True),
        "conv-bf16": partial(card_convolution, dtype=torch.bfloat16), "conv-train": card_training,
        "attention": card_attention, "attention-bf16": partial(card_attention, dtype=torch.bfloat16),
        "adam": lambda n: card_adam((160, 1000), n), "adam-one": lambda n: card_adam((n,), 1),
        "lstm": lambda n: partial(torch.nn.LSTM(n, n), filled(128, 32, n)),
        "gelu": lambda n: partial(F.gelu, filled(n)),
        "linear-gelu": lambda n: (x := filled(n, n), w := filled(n, n), b := filled(n),
                                  lambda: F.gelu(F.linear(x, w, b)))[-1],
        "batch-norm": lambda n: card_batch_norm(n, images(n)),
        "batch-norm-large": lambda n: card_batch_norm(n, filled(64, n, edge(n), edge(n))),
        "max-pool": lambda n: partial(F.max_pool2d, images(n), 3, stride=2, padding=1),
        "cross-entropy": lambda n: partial(F.cross_entropy, filled(4096, n), places(4096, n)),
        "cumsum": lambda n: partial(torch.cumsum, filled(n), 0), "sort": lambda n: partial(torch.sort, torch.randn(n)),
        "topk": lambda n: partial(torch.topk, torch.randn(n), 100),
        "index-add": lambda n: partial(torch.index_add, torch.zeros(1000, 64), 0, places(n, 1000), filled(n, 64)),
        "randn": lambda n: partial(torch.randn, n, device=device),
    }


def card_row(device, row):
    kind, _, size = row.partition("/")
    torch.backends.cuda.matmul.allow_tf32 = False
    make = card_rows(device).get(kind.partition(":")[0])  # after it stands Patchbay's choice among algorithms
    # The default device holds for the operands alone, because it makes each call slower.
    with contextlib.nullcontext() if device == "cpu" else torch.device(device):
        return make(int(size)) if make else None


# --------------------------------------------------------------------------------------- times and answers

def seconds_of(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def nanoseconds(work, wait):
    """Of one call: the median of seven batches of 20 ms or more, each with one wait."""
    run = work if inspect.isfunction(work) and "times" in inspect.signature(work).parameters else repeated(work)

    def batch(times):
        return seconds_of(lambda: (run(times), wait())) * 1e9

    batch(2)
    times = 1
    while batch(times) < 20e6:
        times *= 2
    return statistics.median(batch(times) / times for _ in range(7))


def answer(value):
    print(json.dumps(value), flush=True)


def answer_rows(make, wait=lambda: None):
    """`make(row)` gives the work, several forms of it of which the best counts, or None."""
    for line in sys.stdin:
        name = line.strip()
        try:
            made = make(name)
            forms = made if isinstance(made, list) else [made] if made else []
            if not forms:
                answer({"row": name, "error": "there is no such row"})
            else:
                answer({"row": name, "nanoseconds": min(nanoseconds(form, wait) for form in forms)})
        except Exception as error:  # pylint: disable=broad-except; the other rows go on
            answer({"row": name, "error": f"{type(error).__name__}: {error}"})


def finish_of(device):
    """Waits for a device; products of f32 on it do not round their operands from now on."""
    torch.backends.cudnn.allow_tf32 = False
    return torch.cuda.synchronize if device.startswith("cuda") else lambda: None


def rows(arguments):
    if arguments.library == "jax":
        import jax  # pylint: disable=import-outside-toplevel
        answer({"jax": jax.__version__})
        return answer_rows(partial(jax_row, jax))
    torch.set_num_threads(arguments.threads)
    torch.set_grad_enabled(False)
    if arguments.library == "onnx":
        import onnxruntime  # pylint: disable=import-outside-toplevel
        answer({"onnxruntime": onnxruntime.__version__})
        return answer_rows(partial(onnx_row, onnxruntime, arguments.threads))
    if arguments.library == "numpy":
        import numpy  # pylint: disable=import-outside-toplevel
        import scipy  # pylint: disable=import-outside-toplevel
        answer({"numpy": numpy.__version__, "scipy": scipy.__version__})
        return answer_rows(partial(numpy_row, arguments.threads))
    answer({"torch": torch.__version__})
    return answer_rows(compiled_row if arguments.library == "compiled" else torch_row)


def card(arguments):
    if torch is None:
        return answer({"error": "PyTorch is not installed"})
    if arguments.device.startswith("cuda") and not torch.cuda.is_available():
        return answer({"error": f"PyTorch {torch.__version__} sees no card"})
    torch.set_grad_enabled(False)
    answer({"torch": torch.__version__})
    return answer_rows(partial(card_row, arguments.device), finish_of(arguments.device))


# ---------------------------------------------------------------------------------------------- networks

def memory(key):
    """In bytes, of this process."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))


def product_gflops():
    call = product("2048x2048x2048")
    return 2 * 2048 ** 3 / min(seconds_of(lambda: call(1)) for _ in range(8)) / 1e9


def train(arguments):
    torch.set_num_threads(arguments.threads)
    finish = finish_of(arguments.device)
    if arguments.device != "cpu":  # PyTorch 1 has no such function
        torch.set_default_device(arguments.device)
    for name in arguments.net:
        train_one(name, arguments, finish)


def train_one(name, arguments, finish):
    sys.path.append(str(pathlib.Path(__file__).resolve().parent / "networks"))
    import torch_networks  # pylint: disable=import-outside-toplevel
    torch.manual_seed(1)
    torch.rand(100, 100) @ torch.rand(100, 100)
    loaded_bytes = memory("VmRSS:")
    network = torch_networks.NETWORKS[name](full=True)
    if arguments.compile:
        network.call = torch.compile(network.module)
    batch = network.random_batch()
    for _ in range(arguments.warm_up):
        network.train(*batch)
    with open("/proc/self/clear_refs", "w") as references:
        references.write("5")  # the peak is counted from now on: proc(5)
    finish()
    times = [seconds_of(lambda: (network.train(*batch), finish())) for _ in range(arguments.steps)]
    peak_bytes = memory("VmHWM:") - loaded_bytes
    is_card = arguments.device.startswith("cuda")
    answer({"net": name, "torch": torch.__version__, "compiled": arguments.compile,
            "num_parameters": network.num_parameters(), "loss": network.train(*batch),
            "seconds": statistics.median(times), "peak_bytes": peak_bytes,
            "product_gflops": None if is_card else product_gflops()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, function in (("rows", rows), ("card-rows", card), ("train", train)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("--threads", type=int, default=2)
        command.add_argument("--device", default="cuda:0" if name == "card-rows" else "cpu", help="as PyTorch calls it")
        if name == "rows":
            command.add_argument("--library", choices=("torch", "compiled", "jax", "onnx", "numpy"), default="torch")
    command.add_argument("--net", required=True, nargs="+", metavar="NAME")
    command.add_argument("--warm-up", type=int, default=2)
    command.add_argument("--steps", type=int, default=5)
    command.add_argument("--compile", action="store_true", help="by torch.compile")
    arguments = parser.parse_args()
    arguments.function(arguments)


if __name__ == "__main__":
    main()
