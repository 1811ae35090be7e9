#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Runs a program under oclgrind, which ends with 0 whatever it finds, and reads what it has found.

  run_oclgrind.py PROGRAM [ARGUMENT...]

Ends with 77 where oclgrind is not installed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

DRIVER = pathlib.Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")


def main():
    if shutil.which("oclgrind") is None or not DRIVER.exists():
        print("skipped: oclgrind is not installed (oclgrind)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        # As the one driver that the ICD loader finds; its own way in is the symbols of a program
        # that is linked with the loader. What it compiles is cached for this run alone, and each buffer is one of
        # its own, so that it sees the bounds.
        environment = dict(os.environ, OCL_ICD_VENDORS=str(DRIVER), PATCHBAY_CACHE_DIR=folder,
                           PATCHBAY_MEMORY_CACHE="off")
        # Its interpreter knows no `freeze`, which the optimiser makes.
        command = ["oclgrind", "--build-options", "-cl-opt-disable", "--data-races",
                   "--uninitialized", "--max-errors", "20", "--log", str(log), *sys.argv[1:]]
        finished = subprocess.run(command, env=environment, capture_output=True, text=True)
        found = log.read_text() if log.exists() else "oclgrind wrote no log"
        sys.stdout.write(finished.stdout + finished.stderr + found)
        return 1 if finished.returncode != 0 or found.strip() else 0


if __name__ == "__main__":
    sys.exit(main())
