#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""scripts/demo gives the demo build/demo to write to, unless it is told where: demo_test.py ROOT SCRATCH

The script runs in a folder of its own, with a program in the demo's place that prints its arguments.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, SCRATCH = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
NO_WORK = """
build_packages=() demo_packages=() demo_options=(-DSOME=1)
need_packages() { :; }
configure() { :; }
build() { :; }
"""


def arguments_of_the_demo(*given):
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        program = pathlib.Path(folder) / "build/release/bin/patchbay-demo"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        program.chmod(0o755)
        scripts = pathlib.Path(folder) / "scripts"
        scripts.mkdir()
        shutil.copy(ROOT / "scripts/demo", scripts)
        (scripts / "lib.sh").write_text(NO_WORK)
        run = subprocess.run([scripts / "demo", *given], cwd=folder, text=True, capture_output=True, check=True)
        return run.stdout.split()


class Demo(unittest.TestCase):
    def test_writes_to_the_build_folder(self):
        self.assertEqual(arguments_of_the_demo(), ["--output", "build/demo"])
        self.assertEqual(arguments_of_the_demo("--epochs", "1"), ["--output", "build/demo", "--epochs", "1"])

    def test_writes_where_it_is_told(self):
        self.assertEqual(arguments_of_the_demo("--output", "there"), ["--output", "there"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
