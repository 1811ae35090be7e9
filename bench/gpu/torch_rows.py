#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The rows of patchbay-gpu-probe with PyTorch: reads names from standard input, answers each with a
line of JSON. Results go into existing outputs, as there; f32 products stay f32 (no TF32)."""

import json
import statistics
import sys
import time


def answer(value):
    print(json.dumps(value), flush=True)


def row(torch, name, device):
    kind, _, size = name.partition("/")
    n = int(size)

    def filled(*shape):
        count = 1
        for extent in shape:
            count *= extent
        return ((torch.arange(count, device=device) * 7) % 13 - 6).to(torch.float32).view(shape)

    if kind == "gemm":
        a, b, out = filled(n, n), filled(n, n), torch.zeros(n, n, device=device)
        return lambda: torch.mm(a, b, out=out)
    if kind in ("gemm-f16", "gemm-bf16"):
        dtype = torch.float16 if kind == "gemm-f16" else torch.bfloat16
        a, b = filled(n, n).to(dtype), filled(n, n).to(dtype)
        out = torch.zeros(n, n, device=device, dtype=dtype)
        return lambda: torch.mm(a, b, out=out)
    if kind == "softmax":
        a = filled(n, n)
        return lambda: torch.softmax(a, 1)
    if kind == "layer-norm":
        a = filled(n, n)
        return lambda: torch.nn.functional.layer_norm(a, (n,))
    if kind == "graph":
        x = filled(64)

        def chain():
            y = x
            for _ in range(n):
                y = torch.maximum(y, x)
            return y

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
    if kind == "to-device":
        host, out = torch.ones(n), torch.zeros(n, device=device)
        return lambda: out.copy_(host)
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
    torch.backends.cuda.matmul.allow_tf32 = False
    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    answer({"torch": torch.__version__})
    for line in sys.stdin:
        call = row(torch, line.strip(), device)
        if call is None:
            answer({"row": line.strip(), "error": "there is no such row"})
        else:
            answer({"row": line.strip(), "nanoseconds": nanoseconds(call, wait)})


if __name__ == "__main__":
    main()
