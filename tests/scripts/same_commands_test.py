#!/usr/bin/env python3
"""scripts/demo and scripts/test compile the library in the same way, so that the tree of one serves the
other: same_commands_test.py ROOT SCRATCH"""

import json
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
BUILD = Path(sys.argv[2]) / "same-commands"


def options(name: str) -> list[str]:
    """An array of scripts/lib.sh."""
    command = f"set -eu; . {shlex.quote(str(ROOT / 'scripts/lib.sh'))}; printf '%s\\n' \"${{{name}[@]}}\""
    return subprocess.run(["bash", "-c", command], check=True, capture_output=True, text=True).stdout.split()


def commands(arguments: list[str]) -> dict[str, str]:
    """How each object is compiled once the tree is configured so, and by which launcher: that stands in
    the rules alone."""
    command = ["cmake", "--preset", "release", "-B", BUILD, *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    rules = (BUILD / "CMakeFiles/rules.ninja").read_text()
    launchers = dict(re.findall(r"rule (\w+_COMPILER__\S+)\n(?:.*\n)*?  command = (.*)", rules))
    return launchers | {re.search(r" -o (\S+)", entry["command"])[1]: entry["command"] for entry in entries}


class SameCommands(unittest.TestCase):
    def test_the_demo_and_the_tests_share_a_tree(self):
        shutil.rmtree(BUILD, ignore_errors=True)
        of_demo = commands(options("demo_options"))
        of_test = commands(options("test_options"))
        self.assertTrue(any("/core/" in command for command in of_demo.values()))
        self.assertTrue(any("COMPILER__patchbay" in rule for rule in of_demo))
        self.assertGreater(len(of_test), len(of_demo))
        for output, command in of_demo.items():
            self.assertEqual(command, of_test.get(output), output)
        # scripts/demo leaves the options of a tree that is there.
        self.assertEqual(commands([]), of_test)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
