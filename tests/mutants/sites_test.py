# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Tests of sites.py: which changes a source offers, and how the changed line is written."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from sites import apply, sites_of


def titles(text: str) -> list[str]:
    return [f"{site.kind}: {site.after.strip()}" for site in sites_of("a.cpp", text)]


class Sites(unittest.TestCase):
    def test_bounds_and_operators(self):
        self.assertEqual(titles("  x = a < b;"), ["bound: x = a <= b;"])
        self.assertEqual(titles("  x = f(a) == b[1];"), ["operator: x = f(a) != b[1];"])
        self.assertEqual(titles("  x = a + b * 2;"),
                         ["operator: x = a - b * 2;", "operator: x = a + b / 2;"])

    def test_templates_and_pointers_are_no_operators(self):
        self.assertEqual(titles("std::vector<int> x; T* y = &z; T** w;"), [])
        self.assertEqual(titles("template <int kSize = a + b>"), [])
        self.assertEqual(titles("bool operator<(const A& a, const B& b) { return a < b; }"), [])

    def test_comments_strings_and_directives_stay(self):
        self.assertEqual(titles("// a < b"), [])
        self.assertEqual(titles('  x = "a < b";  // c < d'), [])
        self.assertEqual(titles('  x = R"(\na < b\n)";'), [])
        self.assertEqual(titles("/* a < b\n   c < d */"), [])
        self.assertEqual(titles("#if A < B\n#define X \\\n  a < b\n#endif"), [])
        self.assertEqual(titles("  x = ' ' < b;"), [])

    def test_signs(self):
        self.assertEqual(titles("  return -x;"), ["sign: return x;"])
        self.assertEqual(titles("  f(-x, -y);"), ["sign: f(x, -y);", "sign: f(-x, y);"])

    def test_conditions(self):
        self.assertEqual(titles("  if (a.b(c)) return;"), ["condition: if (!(a.b(c))) return;"])
        self.assertEqual(titles("  if (auto a = b()) return;"), [])
        self.assertEqual(titles("  if (auto a = b(); a) return;"), [])
        self.assertEqual(titles("  if (a &&"), [])

    def test_results(self):
        self.assertEqual(titles("  return true;"), ["result: return false;"])
        self.assertEqual(titles("  if (a) return false;"),
                         ["condition: if (!(a)) return false;", "result: if (a) return true;"])

    def test_calls(self):
        self.assertEqual(titles("{\n  a.wait(b);"), ["call: (left out)"])
        self.assertEqual(titles("x = y +\n  a.wait(b);"), [])  # the rest of a statement
        self.assertEqual(titles("{\n  Type a(b);"), [])
        self.assertEqual(titles("{\n  return a(b);"), [])

    def test_a_change_is_written_beside_the_original(self):
        text = "int f() {\n  g(a);\n  if (a) return 1;\n  return a < 2 ? -b : c;\n}\n"
        first = {site.kind: site for site in reversed(sites_of("a.cpp", text))}
        changed = apply(text, [(3, first["call"]), (4, first["condition"]), (5, first["bound"])])
        self.assertEqual(changed.split("\n"), [
            "int f() {", "  if (!patchbay_mutants::is(3)) g(a);",
            "  if (patchbay_mutants::is(4) != static_cast<bool>(a)) return 1;",
            "  return a < patchbay_mutants::Swap<5, patchbay_mutants::Less, "
            "patchbay_mutants::LessEqual>() < 2 ? -b : c;", "}", ""])
        signed = apply(text, [(6, first["sign"])]).split("\n")[3]
        self.assertEqual(signed, "  return a < 2 ? patchbay_mutants::Sign<6>() - b : c;")
        braces = sites_of("a.cpp", "  if (a) {")[0]
        self.assertEqual(apply("  if (a) {", [(1, braces)]),
                         "  if (patchbay_mutants::is(1) != static_cast<bool>(a)) {")

    @unittest.skipUnless(shutil.which("g++"), "no g++ here")
    def test_the_environment_chooses_a_change(self):
        text = """
            #include <cstdio>
            #include <string>
            static_assert(2 - 1 == 1);
            constexpr int half(int x) { return x * 2 - 1; }
            void print(int x) { std::printf("%d ", x); }
            bool is_less(int a, unsigned b) {
              return a < b;
            }
            int main() {
              print(half(3));
              print(is_less(2, 2u));
              if (is_less(1, 2u)) std::printf("then ");
              const int one = 1;
              print(-one);
            }
        """
        sites = sites_of("a.cpp", text)
        by_line = {site.line: site for site in sites if site.kind != "operator" or "half" in site.before}
        numbered = list(enumerate(by_line.values(), 1))
        with tempfile.TemporaryDirectory() as folder:
            source, program, notes = (Path(folder) / name for name in ("a.cpp", "a", "reached"))
            source.write_text(apply(text, numbered))
            subprocess.run(["g++", "-std=c++20", "-include", Path(__file__).parent / "mutant.h", source,
                            "-o", program], check=True)

            def output(**variables: str) -> str:
                run = subprocess.run([program], env={**os.environ, **variables}, capture_output=True,
                                     text=True, check=True)
                return run.stdout.strip()

            self.assertEqual(output(), "5 0 then -1")
            changed = [output(PATCHBAY_MUTANT=str(n)) for n, _ in numbered]
            self.assertIn("7 0 then -1", changed)   # + for -
            self.assertIn("5 1 then -1", changed)   # <= for <
            self.assertIn("5 0 -1", changed)        # the condition
            self.assertIn("0 then -1", changed)     # a call left out
            output(PATCHBAY_MUTANT_REACHED=str(notes))
            self.assertEqual({int(line) for line in notes.read_text().split()},
                             {number for number, _ in numbered})


if __name__ == "__main__":
    unittest.main()
