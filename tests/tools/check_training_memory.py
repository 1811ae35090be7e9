#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Replays the allocations of training steps: reserved memory stays within 1.25 of what is live.

  check_training_memory.py COMMAND
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "training_allocations.py"
MOST_RESERVED = 1.25
# The networks' parameters as their table has them: the shapes are right.
PARAMETERS = {
    "fcn-s": 117_997_696,
    "alexnet-s": 62_378_344,
    "resnet-50": 25_557_032,
    "fcn-r": 14_205_962,
    "alexnet-r": 85_098,
    "resnet-56": 855_050,
    "lstm": 6_180_624,
}


def main():
    command = sys.argv[1]
    failures = 0
    for network, parameters in PARAMETERS.items():
        for steps in (1, 3):
            made = subprocess.run([sys.executable, str(SCRIPT), network, "--steps", str(steps)],
                                  check=True, capture_output=True, text=True)
            assert f" {parameters} parameters" in made.stderr, (network, made.stderr)
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write(made.stdout)
                file.flush()
                shown = subprocess.run([command, "memory", "--replay", file.name, "--json"],
                                       check=True, capture_output=True, text=True).stdout
            report = json.loads(shown)
            print(f"{network}, {steps} steps: live {report['peak_bytes']}, "
                  f"reserved {report['peak_reserved_bytes']}: {report['reserved_to_live']:.3f}")
            failures += report["reserved_to_live"] > MOST_RESERVED
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
