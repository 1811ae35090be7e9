#!/usr/bin/env python3
"""What the scripts print of ctest's output: show_suite_test.py ROOT SCRATCH"""

import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
CTEST = """1/2 Test #1: a.A ...   Passed    0.03 sec

100% tests passed, 0 tests failed out of 2

Total Test time (real) =  20.93 sec
"""


def show(output: str, code: int) -> subprocess.CompletedProcess:
    """The output of a ctest that ends with `code`."""
    ctest = f"{{ printf %s {shlex.quote(output)}; exit {code}; }}"
    script = f". {shlex.quote(str(ROOT / 'scripts/lib.sh'))}; ({ctest}) | show_suite \"$1\" $((SECONDS - 7))"
    with tempfile.TemporaryDirectory() as build:
        command = ["bash", "-c", "set -euo pipefail; " + script, "bash", build]
        return subprocess.run(command, capture_output=True, text=True)


class ShowSuite(unittest.TestCase):
    def test_ctest_has_the_last_lines_and_the_seconds_come_before(self):
        lines = show(CTEST, 0).stdout.splitlines()
        expected = CTEST.splitlines()
        self.assertRegex(lines[2], "^== the suite took [7-9] s; 0 cases ran, 0 failed, 0 were skipped$")
        self.assertEqual(lines[:2] + lines[3:], expected)

    def test_ends_as_ctest_does(self):
        self.assertEqual([show(CTEST, code).returncode for code in [0, 8]], [0, 8])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
