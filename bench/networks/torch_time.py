#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Trains the seven networks in the PyTorch that this Python imports, and prints times and memory.

  PYTHON bench/networks/torch_time.py --net NAME ... [--threads N] [--compile]

The output is JSON, a line for each network, as that of patchbay-training. Products of f32 on a card do
not round their operands.
"""

import argparse
import json
import statistics
import time

import torch

import torch_networks


def memory(key):
    """In bytes, of this process."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))


def seconds_of(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def product_gflops():
    a, b, out = (torch.rand(2048, 2048) for _ in range(3))
    best = min(seconds_of(lambda: torch.mm(a, b, out=out)) for _ in range(8))
    return 2 * 2048 ** 3 / best / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", required=True, nargs="+", choices=torch_networks.NETWORKS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--device", default="cpu", help="as PyTorch calls it")
    parser.add_argument("--compile", action="store_true", help="by torch.compile")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.backends.cudnn.allow_tf32 = False
    if arguments.device != "cpu":  # PyTorch 1 has no such function
        torch.set_default_device(arguments.device)
    for name in arguments.net:
        train(name, arguments)


def train(name, arguments):
    is_card = arguments.device.startswith("cuda")
    finish = torch.cuda.synchronize if is_card else lambda: None
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
    print(json.dumps({"net": name, "torch": torch.__version__, "compiled": arguments.compile,
                      "num_parameters": network.num_parameters(), "loss": network.train(*batch),
                      "seconds": statistics.median(times), "peak_bytes": peak_bytes,
                      "product_gflops": None if is_card else product_gflops()}), flush=True)


if __name__ == "__main__":
    main()
