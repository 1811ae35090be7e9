#!/usr/bin/env python3
"""Checks the rules of the design (CONTRIBUTING.md lists them).

  check_rules.py [--root DIR] [--build DIR] RULE...     RULE: a name of RULES, or `all`

Ends with 0, 1 (violations, one a line: file:line: message), 2 (usage) or 77 (can't run here).
"""

import argparse
import sys
from pathlib import Path

import build_rules
import call_rules
import room_rules
import source_rules
import tracked_rules
from source_tree import Tree

RULES = {
    "1_plugin_includes": source_rules.plugin_includes,
    "2_vendor_words": source_rules.vendor_words,
    "3_layers": source_rules.layers,
    "3_rooms": room_rules.rooms,
    "3_calls": call_rules.calls,
    "4_linked_plugins": build_rules.linked_plugins,
    "4_headers_gcc": build_rules.headers_gcc,
    "4_headers_clang": build_rules.headers_clang,
    "4_headers_c": build_rules.headers_c,
    "5_single_places": source_rules.single_places,
    "6_silence": source_rules.silence,
    "7_binaries": build_rules.binaries,
    "8_tracked_files": tracked_rules.tracked_files,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=Path)
    parser.add_argument("rules", nargs="*", metavar="RULE", help=f"all, {', '.join(RULES)}")
    arguments = parser.parse_args()
    tree = Tree(arguments.root)
    names = list(RULES) if arguments.rules == ["all"] else arguments.rules
    if not names or any(name not in RULES for name in names):
        parser.error(f"expected rules among: all, {', '.join(RULES)}")

    status = 0
    for name in names:
        try:
            violations = list(RULES[name](tree, arguments.build))
        except build_rules.Skip as skip:
            print(f"{name}: skipped, {skip}")
            status = status or (77 if len(names) == 1 else 0)
            continue
        for violation in violations:
            print(violation)
        print(f"{name}: {len(violations)} violations")
        status = 1 if violations else status
    return status


if __name__ == "__main__":
    sys.exit(main())
