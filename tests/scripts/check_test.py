#!/usr/bin/env python3
"""Which cases scripts/check chooses, and what it refuses: check_test.py ROOT SCRATCH"""

import subprocess
import sys
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.dont_write_bytecode = True
check = SourceFileLoader("check", str(ROOT / "scripts/check")).load_module()
PROGRAM = str(ROOT / "tests/scripts/listed_program.sh")


class Check(unittest.TestCase):
    def test_chooses_cases_by_a_part_of_their_names_or_their_suites(self):
        self.assertEqual(check.cases(PROGRAM, ["adds"]),
                         ["OnDevices.Adds/cpu0", "OnDevices.Adds/fake0", "Large/OnDevices.Adds/0"])
        self.assertEqual(check.cases(PROGRAM, ["plain"]), ["Plain.IsOne", "Plain.IsAnother"])
        self.assertEqual(check.cases(PROGRAM, ["another", "sorts"]),
                         ["Plain.IsAnother", "OfType/0.Sorts", "OfType/1.Sorts"])
        self.assertEqual(check.cases(PROGRAM, ["missing"]), [])

    def test_a_file_stands_for_its_name(self):
        self.assertEqual(check.word_of("plugins/cpu-openblas/kernels/Gather.cpp"), "gather")
        self.assertEqual(check.word_of("GatherElements"), "gatherelements")

    def test_wants_a_word(self):
        for arguments in [[], ["--nosuch"], [""]]:
            done = subprocess.run([ROOT / "scripts/check", *arguments], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("scripts/check WORD...", done.stderr)

    def test_helps(self):
        done = subprocess.run([ROOT / "scripts/check", "--help"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("scripts/check WORD...", done.stdout)

    def test_names_a_file_that_is_not_there(self):
        done = subprocess.run([ROOT / "scripts/check", "core/no/such.cpp"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "check: no file core/no/such.cpp\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
