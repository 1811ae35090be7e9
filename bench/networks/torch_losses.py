#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Writes the file that tests/networks compares with: PyTorch's first values, a batch and 20 losses.

  PYTHON bench/networks/torch_losses.py tests/networks/torch_losses.safetensors

Each network is at the small scale. Its tensors are NAME/PARAMETER, NAME/input and NAME/target; images are
bytes, which stand for 1/256 of their value. The losses are texts in the metadata, by the network's name.
"""

import argparse
import json
import pathlib
import struct

import torch

import torch_networks

NUM_LOSSES = 20
DTYPES = {torch.float32: "F32", torch.int64: "I64", torch.uint8: "U8"}


def first_values(network):
    """Of what is trained; the statistics of batch norm start with 0 and 1."""
    return {name: parameter.detach().clone() for name, parameter in network.module.named_parameters()
            if parameter.requires_grad}


def batch_of(network):
    x, target = network.random_batch()
    return (x if network.is_lstm else (x * 256).to(torch.uint8)), target


def losses(network, x, target, dtype):
    network.module.to(dtype)
    x = x if network.is_lstm else x.to(dtype) / 256
    return [network.train(x, target) for _ in range(NUM_LOSSES)]


def disturbed(network):
    """Moves the parameters by as much as roundings do."""
    with torch.no_grad():
        for parameter in network.trained:
            parameter.mul_(1 + 3e-7 * torch.randn_like(parameter))
    return network


def compute(name):
    """The tensors and the losses of the first seed for which small disturbances do not grow."""
    make = torch_networks.NETWORKS[name]
    for seed in range(1, 100):
        torch.manual_seed(seed)
        network = make(full=False)
        tensors = first_values(network)
        state = {key: value.clone() for key, value in network.module.state_dict().items()}
        x, target = tensors["input"], tensors["target"] = batch_of(network)
        got = losses(network, x, target, torch.float32)
        error = 0
        for _ in range(3):
            again = make(full=False)
            again.module.load_state_dict(state)
            exact = losses(disturbed(again), x, target, torch.float64)
            error = max(error, *(abs(a - b) / b for a, b in zip(got, exact)))
        if error < 1e-4:
            print(f"{name:10} seed {seed}: {got[0]:.4f} to {got[-1]:.4f}, error {error:.1e}")
            return tensors, got
    raise RuntimeError(f"{name} trains chaotically")


def save(path, tensors, metadata):
    header, parts, offset = {"__metadata__": metadata}, [], 0
    # As in core/nn/files: larger elements first, so that all are aligned.
    for name, tensor in sorted(tensors.items(), key=lambda item: (-item[1].element_size(), item[0])):
        part = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + len(part)]}
        parts.append(part)
        offset += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    tensors, metadata = {}, {"torch": torch.__version__.split("+")[0]}
    for name in torch_networks.NETWORKS:
        of_network, values = compute(name)
        tensors.update({f"{name}/{key}": tensor for key, tensor in of_network.items()})
        metadata[name] = " ".join(f"{value:.7g}" for value in values)
    save(arguments.file, tensors, metadata)


if __name__ == "__main__":
    main()
