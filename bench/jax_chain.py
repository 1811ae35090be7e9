#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""The fused chains of patchbay-bench beside the JAX that this Python imports, compiled by jax.jit.

The two programs take turns. JAX makes a new output for each call, or writes into an operand that is
donated to it: rows have the better of the two.

  python3 -m venv DIR && DIR/bin/pip install jax torch
  DIR/bin/python bench/jax_chain.py [--rounds N]
"""

import argparse
import statistics

import jax
import jax.numpy as jnp

from newest_torch import nanoseconds, ours

CHAINS = {
    "cheap": lambda a, b: jnp.maximum(a * b + 1, 0) * 2 - a,
    "functions": lambda a, b: jnp.log(jnp.exp(a * b) + 1) / 2,
}


def donating(function, a, b):
    """Each call writes into a buffer that the call before returned."""
    step = jax.jit(lambda a, b, out: function(a, b), donate_argnums=2)
    state = {"out": jnp.zeros_like(a)}

    def work():
        state["out"] = step(a, b, state["out"])
        state["out"].block_until_ready()

    return work


def fresh(function, a, b):
    step = jax.jit(function)
    return lambda: step(a, b).block_until_ready()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(f"| row | patchbay | JAX {jax.__version__} | ratio |")
    print("| --- | --- | --- | --- |")
    for count in (1024, 1 << 20, 1 << 24):
        a, b = (jax.random.uniform(key, (count,)) for key in jax.random.split(jax.random.key(1)))
        for name, function in CHAINS.items():
            theirs = [fresh(function, a, b), donating(function, a, b)]
            rounds = [(ours(f"fuse/{count}-{name}"), min(nanoseconds(work) for work in theirs))
                      for _ in range(arguments.rounds)]
            mine, peer = (statistics.median(column) for column in zip(*rounds))
            print(f"| fuse/{count}-{name} | {mine / 1e3:.2f} us | {peer / 1e3:.2f} us | {peer / mine:.2f} |",
                  flush=True)


if __name__ == "__main__":
    main()
