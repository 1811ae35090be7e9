#!/usr/bin/env python3
"""scripts/demo and scripts/test make the library in the same way, so that the tree of one serves the
other: same_commands_test.py ROOT SCRATCH"""

import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
BUILD = Path(sys.argv[2]) / "same-commands"
TARGETS = ["patchbay-demo", "patchbay-plugins"]  # what scripts/demo builds, and the library with it


def output_of(command: list) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def options(name: str) -> list[str]:
    """An array of scripts/lib.sh."""
    script = f"set -eu; . {shlex.quote(str(ROOT / 'scripts/lib.sh'))}; printf '%s\\n' \"${{{name}[@]}}\""
    return output_of(["bash", "-c", script]).split()


def configure(arguments: list[str]) -> tuple[list[str], dict[Path, int]]:
    """By which commands ninja then makes the targets, and when CMake wrote the headers that they read."""
    output_of(["cmake", "--preset", "release", "-B", BUILD, *arguments])
    commands = output_of(["ninja", "-C", BUILD, "-t", "commands", *TARGETS]).splitlines()
    headers = [p for p in BUILD.rglob("*.h*") if "/CMakeFiles/3." not in str(p)]
    return commands, {path: path.stat().st_mtime_ns for path in headers}


class SameCommands(unittest.TestCase):
    def expect_no_work(self, before, after):
        self.assertTrue(any("/core/" in command for command in before[0]))
        for old, new in zip(*[sorted(commands) for commands, _ in (before, after)]):
            self.assertEqual(old, new)
        self.assertEqual(len(before[0]), len(after[0]))
        for header, written in before[1].items():
            self.assertEqual(written, after[1].get(header), header)

    def test_the_demo_and_the_tests_share_a_tree(self):
        shutil.rmtree(BUILD, ignore_errors=True)
        of_demo = configure(options("demo_options"))
        of_test = configure(options("test_options"))
        self.expect_no_work(of_demo, of_test)
        # scripts/demo leaves the options of a tree that is there.
        self.expect_no_work(of_test, configure([]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
