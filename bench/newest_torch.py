#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Rows of patchbay-bench beside the PyTorch that this Python imports.

Debian's PyTorch runs inside of patchbay-bench; another version can't, so that the two programs take
turns, row by row. Times of PyTorch are taken in Python with results in existing outputs; where an
operation takes microseconds, Python's share of them is the greater part.

  python3 -m venv DIR && DIR/bin/pip install torch
  DIR/bin/python bench/newest_torch.py [--filter REGEX] [--rounds N]
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import tempfile
import time

import torch

import newest_torch_network as network

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "build/release/bin/patchbay-bench"
UNARY = ("neg abs square sqrt rsqrt exp log sigmoid tanh erf").split()
BINARY = ("add sub mul div pow maximum minimum").split()


class Operands:
    def __init__(self, count):
        self.a, self.b, self.out = torch.rand(count), torch.rand(count), torch.empty(count)
        self.condition = self.a > self.b
        self.flags = torch.empty(count, dtype=torch.bool)
        self.doubles = torch.empty(count, dtype=torch.float64)
        self.matrix = self.a.view(-1, min(count, 1024))
        self.matrix_out = torch.empty_like(self.matrix)
        self.row = torch.rand(min(count, 1024))


def operation(name, o):
    if name in UNARY or name in BINARY:
        function = getattr(torch, name)
        if name in UNARY:
            return lambda: function(o.a, out=o.out)
        return lambda: function(o.a, o.b, out=o.out)
    return {
        "relu": lambda: torch.clamp_min(o.a, 0, out=o.out),
        "gelu": lambda: torch.nn.functional.gelu(o.a),
        "lt": lambda: torch.lt(o.a, o.b, out=o.flags),
        "where": lambda: torch.where(o.condition, o.a, o.b, out=o.out),
        "clamp": lambda: torch.clamp(o.a, 0.25, 0.75, out=o.out),
        "add_scalar": lambda: torch.add(o.a, 0.5, out=o.out),
        "add_row": lambda: torch.add(o.matrix, o.row, out=o.matrix_out),
        "cast_f64": lambda: o.doubles.copy_(o.a),
        "copy": lambda: o.out.copy_(o.a),
        "fill": lambda: o.out.fill_(0.5),
        "transpose": lambda: o.matrix_out.view(o.matrix.size(1), -1).copy_(o.matrix.t()),
        "sum": lambda: torch.sum(o.a),
        "mean": lambda: torch.mean(o.a),
        "max": lambda: torch.max(o.a),
        "argmax": lambda: torch.argmax(o.a),
        "norm": lambda: torch.linalg.vector_norm(o.a),
        "sum_rows": lambda: torch.sum(o.matrix, 1),
        "sum_columns": lambda: torch.sum(o.matrix, 0),
        "max_rows": lambda: torch.amax(o.matrix, 1),
        "max_columns": lambda: torch.amax(o.matrix, 0),
    }.get(name)


def theirs(row):
    """The same work in PyTorch, or None."""
    if not row.startswith("ops/"):
        return network.work(row)
    name, size = row.removeprefix("ops/").split("-")
    if name != "gemm":
        return operation(name, Operands(int(size)))
    transposed = size.endswith("t")
    m, k, n = (int(extent) for extent in size.rstrip("t").split("x"))
    a, out = torch.rand(m, k), torch.empty(m, n)
    b = torch.rand(n, k).t() if transposed else torch.rand(k, n)
    return lambda: torch.mm(a, b, out=out)


def nanoseconds(work, at_least=0.05):
    work()
    count = 1
    while True:
        begin = time.perf_counter()
        for _ in range(count):
            work()
        seconds = time.perf_counter() - begin
        if seconds >= at_least:
            return seconds / count * 1e9
        count = max(2 * count, int(count * at_least / max(seconds, 1e-9)))


def ours(row):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([str(PROGRAM), f"--benchmark_filter=^{row}/patchbay/", "--benchmark_min_time=0.05",
                        f"--benchmark_out={out.name}"], check=True, capture_output=True)
        entry = json.load(out)["benchmarks"][0]
    return entry["real_time"] * {"ns": 1.0, "us": 1e3, "ms": 1e6}[entry["time_unit"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="^ops/")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    torch.set_grad_enabled(False)
    listing = subprocess.run([str(PROGRAM), "--benchmark_list_tests", f"--benchmark_filter={arguments.filter}"],
                             check=True, capture_output=True, text=True).stdout
    rows = [line.split("/patchbay/")[0] for line in listing.splitlines() if "/patchbay/" in line]
    print(f"| row | patchbay | PyTorch {torch.__version__.split('+')[0]} | ratio |")
    print("| --- | --- | --- | --- |")
    ratios = []
    for row in rows:
        work = theirs(row)
        if work is None:
            continue
        times = [(ours(row), nanoseconds(work)) for _ in range(arguments.rounds)]
        mine, peer = (statistics.median(column) for column in zip(*times))
        ratios.append(peer / mine)
        print(f"| {row} | {mine / 1e3:.2f} us | {peer / 1e3:.2f} us | {peer / mine:.2f} |", flush=True)
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"\n{len(ratios)} rows, geometric mean {mean:.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
