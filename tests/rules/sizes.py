"""The house numbers: how long files and functions are. A report for reviews, not a rule."""

import re
from statistics import median

from source_tree import Tree

FOLDERS = ("include", "core", "kit", "plugins", "conformance", "tools", "examples", "bench", "tests")
# A definition's closing brace stands at the indentation of its first line (clang-format sees to it).
FUNCTION = re.compile(r"^( *)(?![ #}]|if\b|for\b|while\b|switch\b|else\b|do\b|namespace\b|class\b"
                      r"|struct\b|enum\b|union\b|extern\b|return\b|case\b)[^\n;]*\([^;{}]*\)[^;{}()]*"
                      r"\{(?:[^\n]*\}\n|[^\n]*\n(?:(?!\1\})[^\n]*\n)*?\1\})", re.MULTILINE)


def share(numbers: list[int], limit: int) -> str:
    return f"{100 * sum(n <= limit for n in numbers) / len(numbers):.0f} %"


def functions(code: str) -> list[int]:
    return [match.group(0).rstrip("\n").count("\n") + 1 for match in FUNCTION.finditer(code)]


def report(tree: Tree) -> None:
    lines = {path: tree.text(path).count("\n") for path in tree.files(*FOLDERS)}
    if not lines:
        print("no sources")
        return
    counts = list(lines.values())
    bodies = [n for path in lines for n in functions(tree.code(path, literals=False))]
    print(f"files: {len(counts)}, lines {sum(counts)}; median {median(counts):.0f} (aim 120), "
          f"up to 300: {share(counts, 300)} (aim 90 %)")
    if bodies:
        print(f"functions: {len(bodies)}; median {median(bodies):.0f} (aim 10), "
              f"up to 35: {share(bodies, 35)} (aim 90 %)")
    root_lists = tree.root / "CMakeLists.txt"
    if root_lists.exists():
        print(f"root CMakeLists.txt: {len(root_lists.read_text().splitlines())} (aim <= 200)")
    for path, count in sorted(lines.items(), key=lambda item: -item[1]):
        boundary = path.startswith("include/patchbay/plugin/")
        limit = 150 if boundary else 250 if path.startswith("include/") else 500
        if count > limit:
            print(f"{path}: {count} lines (aim <= {limit})")
