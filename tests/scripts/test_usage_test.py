#!/usr/bin/env python3
"""What scripts/test says of arguments that it does not know: test_usage_test.py ROOT SCRATCH"""

import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
ROWS = ["release", "asan", "tsan", "format", "tidy", "patches", "fuzz", "mutants"]


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([ROOT / "scripts/test", *arguments], capture_output=True, text=True)


class Usage(unittest.TestCase):
    def expect_usage(self, text: str):
        self.assertIn("usage: scripts/test [--all [ROW]]", text)
        rows = [line.split()[0] for line in text.splitlines() if line.startswith("  ")]
        self.assertEqual(rows, ROWS)

    def test_help_lists_the_rows(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.expect_usage(done.stdout)

    def test_refuses_what_it_does_not_know(self):
        for arguments in [["--al"], ["--all", "tydi"], ["--all", ""], ["--all", "tidy", "asan"]]:
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.expect_usage(done.stderr)
        self.assertIn("test: no row tydi\n", run("--all", "tydi").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
