#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The rows of patchbay-gpu-probe with PyTorch: reads names from standard input, answers each with a
line of JSON. Results go into existing outputs, as there; f32 products stay f32 (no TF32)."""

import json
import math
import statistics
import sys
import time


def answer(value):
    print(json.dumps(value), flush=True)


def row(torch, name, device):
    kind, _, size = name.partition("/")
    kind = kind.partition(":")[0]  # after it stands Patchbay's choice among algorithms
    n = int(size)

    def filled(*shape):
        count = 1
        for extent in shape:
            count *= extent
        return ((torch.arange(count, device=device) * 7) % 13 - 6).to(torch.float32).view(shape)

    if kind.startswith("gemm"):
        dtype = {"f16": torch.float16, "bf16": torch.bfloat16}.get(
            kind.removesuffix("-lt").removeprefix("gemm-"), torch.float32)
        a, b = filled(n, n).to(dtype), filled(n, n).to(dtype)
        out = torch.zeros(n, n, device=device, dtype=dtype)
        torch.backends.cuda.matmul.allow_tf32 = kind == "gemm-tf32"
        torch.backends.cuda.preferred_blas_library("cublaslt" if kind.endswith("-lt") else "cublas")
        return lambda: torch.mm(a, b, out=out)
    torch.backends.cuda.matmul.allow_tf32 = False
    if kind == "launch":
        a, b = filled(64), filled(64)
        return lambda: torch.maximum(a, b, out=a)
    if kind == "copy":
        a, out = filled(n), torch.zeros(n, device=device)
        return lambda: out.copy_(a)
    if kind in ("pinned-to-device", "device-to-pinned"):
        host, there = torch.ones(n, pin_memory=True), torch.ones(n, device=device)
        to, source = (there, host) if kind == "pinned-to-device" else (host, there)
        return lambda: to.copy_(source, non_blocking=True)
    if kind == "softmax":
        a = filled(n, n)
        return lambda: torch.softmax(a, 1)
    if kind == "layer-norm":
        a = filled(n, n)
        return lambda: torch.nn.functional.layer_norm(a, (n,))
    if kind == "graph":
        a, b = filled(64), filled(64)

        def chain():
            for _ in range(n):
                torch.maximum(a, b, out=a)

        if not device.startswith("cuda"):
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
    if kind in ("add", "exp"):
        a, b, out = filled(n), filled(n), torch.zeros(n, device=device)
        return (lambda: torch.add(a, b, out=out)) if kind == "add" else (lambda: torch.exp(a, out=out))
    if kind == "sum":
        a = filled(n)
        return lambda: torch.sum(a)
    if kind in ("sum-rows", "sum-columns"):
        a, dim = filled(n, n), 1 if kind == "sum-rows" else 0
        return lambda: torch.sum(a, dim)
    if kind == "transpose":
        a, out = filled(n, n), torch.zeros(n, n, device=device)
        return lambda: out.copy_(a.t())
    if kind == "gather":
        a, out = filled(n, 64), torch.zeros(n, 64, device=device)
        index = torch.arange(n, device=device) * 7919 % n
        return lambda: torch.index_select(a, 0, index, out=out)
    if kind in ("to-device", "queued-to-device"):
        host, out = torch.ones(n), torch.zeros(n, device=device)
        return lambda: out.copy_(host)
    if kind == "to-host":
        a, out = filled(n), torch.ones(n)
        return lambda: out.copy_(a)
    return network_row(torch, kind, n, device, filled)


def network_row(torch, kind, n, device, filled):
    functional = torch.nn.functional
    images = (32, n, 3584 // n, 3584 // n)
    if kind.startswith("conv"):
        dtype = torch.bfloat16 if kind == "conv-bf16" else torch.float32
        shape, padding = ((4 * n, n, 1, 1), 0) if kind == "conv1x1" else ((n, n, 3, 3), 1)
        x, weight = filled(*images).to(dtype), filled(*shape).to(dtype)
        if kind != "conv-train":
            return lambda: functional.conv2d(x, weight, padding=padding)
        x.requires_grad_()
        weight.requires_grad_()
        gradient = filled(*images)

        def train():
            x.grad = weight.grad = None
            functional.conv2d(x, weight, padding=padding).backward(gradient)
        return train
    if kind.startswith("attention"):
        dtype = torch.bfloat16 if kind == "attention-bf16" else torch.float32
        q, k, v = (filled(8, 8, n, 64).to(dtype) for _ in range(3))
        return lambda: functional.scaled_dot_product_attention(q, k, v)
    if kind.startswith("adam"):
        shape, count = ((n,), 1) if kind == "adam-one" else ((160, 1000), n)
        parameters = [torch.ones(shape, device=device, requires_grad=True) for _ in range(count)]
        for parameter in parameters:
            parameter.grad = torch.ones(shape, device=device)
        return torch.optim.Adam(parameters, fused=True).step
    if kind == "lstm":
        lstm, x = torch.nn.LSTM(n, n).to(device), filled(128, 32, n)

        def forward():
            with torch.no_grad():
                lstm(x)
        return forward
    if kind == "gelu":
        a = filled(n)
        return lambda: functional.gelu(a)
    if kind == "linear-gelu":
        x, weight, bias = filled(n, n), filled(n, n), filled(n)
        return lambda: functional.gelu(functional.linear(x, weight, bias))
    if kind in ("batch-norm", "batch-norm-large"):
        edge = math.isqrt(2**20 // n)
        x = filled(*images) if kind == "batch-norm" else filled(64, n, edge, edge)
        mean, bias = torch.zeros(n, device=device), torch.zeros(n, device=device)
        variance, weight = torch.ones(n, device=device), torch.ones(n, device=device)
        return lambda: functional.batch_norm(x, mean, variance, weight, bias, training=True)
    if kind == "max-pool":
        x = filled(*images)
        return lambda: functional.max_pool2d(x, 3, stride=2, padding=1)
    if kind == "cross-entropy":
        x, target = filled(4096, n), torch.arange(4096, device=device) * 7919 % n
        return lambda: functional.cross_entropy(x, target)
    if kind == "cumsum":
        a = filled(n)
        return lambda: torch.cumsum(a, 0)
    if kind == "sort":
        a = torch.randn(n, device=device)
        return lambda: torch.sort(a)
    if kind == "topk":
        a = torch.randn(n, device=device)
        return lambda: torch.topk(a, 100)
    if kind == "index-add":
        a, index = torch.zeros(1000, 64, device=device), torch.arange(n, device=device) * 7919 % 1000
        source = filled(n, 64)
        return lambda: torch.index_add(a, 0, index, source)
    if kind == "randn":
        return lambda: torch.randn(n, device=device)
    return None


def nanoseconds(call, wait):
    def run(times):
        start = time.perf_counter_ns()
        for _ in range(times):
            call()
        wait()
        return time.perf_counter_ns() - start

    run(2)
    times = 1
    while run(times) < 20e6 and times < 1 << 16:
        times *= 2
    return statistics.median(run(times) / times for _ in range(7))


def main():
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        answer({"error": f"PyTorch is not installed: {error}"})
        return
    device = sys.argv[1] if len(sys.argv) > 1 else "cuda:0"
    if device.startswith("cuda") and not torch.cuda.is_available():
        answer({"error": f"PyTorch {torch.__version__} sees no card"})
        return
    torch.backends.cudnn.allow_tf32 = False
    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    answer({"torch": torch.__version__})
    for line in sys.stdin:
        name = line.strip()
        try:
            call = row(torch, name, device)
            if call is None:
                answer({"row": name, "error": "there is no such row"})
            else:
                answer({"row": name, "nanoseconds": nanoseconds(call, wait)})
        except Exception as error:  # pylint: disable=broad-except; the other rows go on
            answer({"row": name, "error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
