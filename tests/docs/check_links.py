# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Links between pages lead to files, and to headings, that are there; the index has every page."""

import functools
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")


def pages_of(root):
    folders = [path for path in root.iterdir() if path.is_dir() and not path.name.startswith((".", "build"))]
    return [*root.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]


def lines_of(page):
    """The lines outside of blocks of code."""
    is_code = False
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield line


def anchor_of(heading):
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


@functools.cache
def anchors_of(page):
    anchors, times = set(), {}
    for line in lines_of(page):
        if heading := re.match(r"#+ (.*)", line):
            anchor = anchor_of(heading.group(1))
            number = times[anchor] = times.get(anchor, -1) + 1
            anchors.add(anchor if number == 0 else f"{anchor}-{number}")
    return anchors


def problem_of(page, link):
    if "://" in link or link.startswith("mailto:"):
        return None
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page.resolve()
    if not target.exists():
        return "there is no such file"
    if anchor and target.suffix == ".md" and anchor not in anchors_of(target):
        return "that page has no such heading"
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    num_links = 0
    problems = []
    for page in sorted(pages_of(root)):
        for line in lines_of(page):
            for link in LINK.findall(line):
                num_links += 1
                if problem := problem_of(page, link):
                    problems.append(f"{page.relative_to(root)}: {link}: {problem}")
    index = (root / "docs/README.md").read_text()
    problems += [f"docs/README.md, the index, lacks {page.name}" for page in sorted((root / "docs").glob("*.md"))
                 if page.name != "README.md" and f"]({page.name}" not in index]
    if num_links == 0:
        problems.append("no page has a link")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
