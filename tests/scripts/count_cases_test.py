#!/usr/bin/env python3
"""The count of the suite's cases: count_cases_test.py ROOT SCRATCH"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
RESULTS = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="A">
  <testcase name="Good" status="run" result="completed" classname="A" />
  <testcase name="Bad" status="run" result="completed" classname="A"><failure message="x"></failure></testcase>
  <testcase name="Off" status="notrun" result="suppressed" classname="A" />
  <testcase name="Absent" status="run" result="skipped" classname="A">
    <skipped message="/a/file.cpp:20&#x0A;no card here"></skipped></testcase>
</testsuite></testsuites>
"""


class CountCases(unittest.TestCase):
    def test_counts_all_files_and_names_why_cases_were_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "test-results"
            results.mkdir()
            for name in ["one.xml", "two.xml"]:
                (results / name).write_text(RESULTS)
            command = [ROOT / "tests/support/count_cases.py", folder]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        expected = "4 cases ran, 2 failed, 2 were skipped\n   2 skipped: no card here\n"
        self.assertEqual(text, expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
