#!/usr/bin/env python3
"""Rows of `scripts/test --all` are merged into docs/status.md: status_row_test.py ROOT SCRATCH"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
PAGE = """# Status

Text before.

<!-- scripts/test --all: begin -->
| row | what | result | when | seconds |
| --- | --- | --- | --- | --- |
| release | the suite | passed | 2026-01-01, abc | 700 |
| asan | sanitizers | FAILED | 2026-01-01, abc | 900 |
<!-- scripts/test --all: end -->

Text after.
"""


def add(text: str | None, *cells: str) -> tuple[int, str]:
    """What the script ends with, and what it makes of a page."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "status.md"
        if text is not None:
            page.write_text(text)
        done = subprocess.run([ROOT / "scripts/status_row.py", page, *cells], capture_output=True)
        return done.returncode, page.read_text() if page.exists() else ""


class StatusRow(unittest.TestCase):
    def test_replaces_the_row_of_its_name_and_nothing_else(self):
        code, page = add(PAGE, "asan", "sanitizers", "passed", "2026-02-02, def", "800")
        expected = PAGE.replace("FAILED | 2026-01-01, abc | 900", "passed | 2026-02-02, def | 800")
        self.assertEqual((code, page), (0, expected))

    def test_appends_a_row_of_a_new_name(self):
        code, page = add(PAGE, "tidy", "clang-tidy", "passed", "2026-02-02, def", "80")
        last = "| asan | sanitizers | FAILED | 2026-01-01, abc | 900 |\n"
        row = "| tidy | clang-tidy | passed | 2026-02-02, def | 80 |\n"
        self.assertEqual((code, page), (0, PAGE.replace(last, last + row)))

    def test_makes_a_table_in_a_page_without_one(self):
        code, page = add("# Status\n\nText.\n", "tidy", "what", "passed", "today", "80")
        self.assertEqual(code, 0)
        self.assertTrue(page.startswith("# Status\n\nText.\n\n<!-- scripts/test --all: begin -->\n| row |"))
        self.assertTrue(page.endswith("| tidy | what | passed | today | 80 |\n<!-- scripts/test --all: end -->\n"))

    def test_makes_the_page(self):
        code, page = add(None, "tidy", "what", "passed", "today", "80")
        self.assertEqual((code, page.splitlines()[0]), (0, "# Status"))

    def test_a_bar_in_a_cell_ends_no_cell(self):
        self.assertIn("| tidy | what | a / b | today | 80 |", add(PAGE, "tidy", "what", "a | b", "today", "80")[1])

    def test_drops_a_table_of_another_form(self):
        old = PAGE.replace("| row | what |", "| check | what |")
        self.assertNotIn("asan", add(old, "tidy", "what", "passed", "today", "80")[1])

    def test_refuses_a_wrong_number_of_cells(self):
        self.assertEqual(add(PAGE, "tidy", "passed"), (2, PAGE))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
