#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""check_patches.py notices what it is there for: check_patches_test.py"""

import unittest

import check_patches

PATCH = "diff --git a/core/a.cpp b/core/a.cpp\ndiff --git a/tests/a_test.cpp b/tests/a_test.cpp\n"
PAGE = "# Page\n\n## One\n\n`tests/patches/elementwise.patch`: `core/a.cpp` and `tests/a_test.cpp`.\n\n## Two\n`core/b.cpp`\n"


class Problems(unittest.TestCase):
    def expect(self, problems: list[str], patch: str, page: str):
        self.assertEqual(check_patches.problems_of("elementwise", patch, page), problems)

    def test_there_are_none(self):
        self.expect([], PATCH, PAGE)

    def test_a_file_that_the_page_does_not_name(self):
        self.expect(["docs/adding-an-operator.md does not name core/a.cpp, which elementwise.patch changes"],
                    PATCH, PAGE.replace("`core/a.cpp` and ", ""))

    def test_a_file_that_the_patch_does_not_change(self):
        self.expect(["docs/adding-an-operator.md names core/c.h, which elementwise.patch does not change"],
                    PATCH, PAGE.replace("`core/a.cpp`", "`core/a.cpp`, `core/c.h`"))

    def test_more_production_files_than_the_limit(self):
        more = "".join(f"diff --git a/kit/{n}.cpp b/kit/{n}.cpp\n" for n in "bc")
        page = PAGE.replace("`core/a.cpp`", "`core/a.cpp`, `kit/b.cpp`, `kit/c.cpp`")
        self.expect(["elementwise.patch changes 3 production files: expected 2 at most, got core/a.cpp, "
                     "kit/b.cpp, kit/c.cpp"], PATCH + more, page)


if __name__ == "__main__":
    unittest.main()
