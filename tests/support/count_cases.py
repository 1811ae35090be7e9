#!/usr/bin/env python3
"""Counts the cases of the last run of the suite, and the skipped ones by reason.

  count_cases.py BUILD    BUILD/test-results has a file for each ctest entry of a test program
"""

import collections
import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def count(folder: Path) -> tuple[int, int, collections.Counter]:
    """How many cases ran, how many of them failed, and how many were skipped for which reason."""
    num_run = num_failed = 0
    skipped: collections.Counter = collections.Counter()
    for path in sorted(folder.glob("*.xml")):
        for case in xml.parse(path).getroot().iter("testcase"):
            if (skip := case.find("skipped")) is not None:
                # "file:line" and the message on separate lines
                skipped[skip.get("message", "").strip().split("\n")[-1]] += 1
            elif case.get("status") == "run":
                num_run += 1
                num_failed += case.find("failure") is not None
    return num_run, num_failed, skipped


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    num_run, num_failed, skipped = count(Path(sys.argv[1]) / "test-results")
    print(f"{num_run} cases ran, {num_failed} failed, {sum(skipped.values())} were skipped")
    for reason, number in skipped.most_common():
        print(f"   {number} skipped: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
