#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Makes small changes to core/, kit/ and plugins/ and counts those that the suite notices.

  mutants.py ROOT WORK [--seed N] [--count N] [--hours H] [--least PERCENT] [--list] [--only N,...] [--again]

All changes are compiled into one build of a copy of ROOT in WORK; PATCHBAY_MUTANT chooses one when a
program starts (mutant.h). The suite runs once without a change, each entry noting the changes that it
reaches. Then each change is chosen in turn: the entries that reach it run, the shortest first, up to
the first failure. A change that no entry notices survives. It becomes a test, or gets a reason in
reasons.txt; changes with a reason are not counted. Ends with 0 if LEAST per cent are caught. With
--again the same changes are tried with what the last run in WORK noted, and the suite does not run first.
"""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

sys.dont_write_bytecode = True
from sites import Site, apply, sites_of

FOLDERS = ("core", "kit", "plugins")
SUFFIXES = {".cpp", ".h", ".hpp"}
# Compiled at run time, by compilers that know nothing of mutant.h.
NOT_COMPILED_HERE = ("kit/portable/texts/",)
MOST_OF_A_FILE = 3
LEAST_SECONDS = 60  # a test may take ten times as long as without a change, or this
SKIPPED = 77


def tracked(root: Path) -> list[str]:
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
                              "--exclude-standard"], capture_output=True, text=True, check=True)
    return [name for name in listing.stdout.split("\0") if name and (root / name).is_file()]


def reasons_of(root: Path) -> dict[str, str]:
    """The reason for each change that can't be noticed, by its title."""
    path = root / "tests/mutants/reasons.txt"
    blocks = path.read_text(encoding="utf-8").split("\n\n") if path.is_file() else []
    pairs = [block.strip().split("\n", 1) for block in blocks if not block.startswith("#")]
    return {pair[0]: pair[1].strip() for pair in pairs if len(pair) == 2}


class Tree:
    """The copy with its changes. A change that does not compile makes room for the next one."""

    def __init__(self, root: Path, work: Path, count: int, seed: int):
        self.root, self.copy, self.count = root, work / "tree", count
        names = tracked(root)
        for name in names:
            target = self.copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != (root / name).read_bytes():
                shutil.copy2(root / name, target)
        self.texts = {name: (root / name).read_text(encoding="utf-8") for name in names
                      if name.startswith(FOLDERS) and Path(name).suffix in SUFFIXES
                      and not name.startswith(NOT_COMPILED_HERE)}
        sites = [site for name in sorted(self.texts) for site in sites_of(name, self.texts[name])]
        kept_reasons = reasons_of(root)
        sites = [site for site in sites if site.title() not in kept_reasons]
        random.Random(seed).shuffle(sites)
        # Each kind is drawn as often as the others, as there are few of some.
        kinds = sorted({site.kind for site in sites})
        by_kind = {kind: [site for site in sites if site.kind == kind] for kind in kinds}
        self.waiting = [by_kind[kind][i] for i in range(len(sites)) for kind in kinds
                        if i < len(by_kind[kind])]
        self.chosen: dict[int, Site] = {}
        self.next_number = 1

    def fill(self) -> None:
        """Chooses changes up to `count`, and writes the files that have some."""
        while len(self.chosen) < self.count and self.waiting:
            site = self.waiting.pop(0)
            here = [other for other in self.chosen.values() if other.path == site.path]
            if len(here) >= MOST_OF_A_FILE or any(other.line == site.line for other in here):
                continue
            self.chosen[self.next_number] = site
            self.next_number += 1
        for name, text in self.texts.items():
            numbered = [(n, site) for n, site in self.chosen.items() if site.path == name]
            wanted = apply(text, numbered)
            if (self.copy / name).read_text(encoding="utf-8") != wanted:
                (self.copy / name).write_text(wanted, encoding="utf-8")

    def drop_failed(self, log: str) -> list[Site]:
        """Removes the changes of the lines that the compiler names."""
        named = {(match[1], int(match[2]) - 1)
                 for match in re.finditer(r"([\w./-]+?):(\d+):\d+:", log)}
        failed = {n: site for n, site in self.chosen.items()
                  if any(path.endswith(site.path) and line == site.line for path, line in named)}
        for number in failed:
            del self.chosen[number]
        return list(failed.values())


def build(tree: Tree, work: Path) -> None:
    header = tree.copy / "tests/mutants/mutant.h"
    script = (". scripts/lib.sh; configure release \"${test_options[@]}\" -DPATCHBAY_BUILD_BENCH=OFF "
              f"-DCMAKE_CXX_FLAGS='-include {header} -w'")
    subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tree.copy, check=True)
    while True:
        tree.fill()
        run = subprocess.run(["cmake", "--build", "--preset", "release", "--", "-k", "0"],
                             cwd=tree.copy, capture_output=True, text=True, check=False)
        (work / "build.log").write_text(run.stdout + run.stderr, encoding="utf-8")
        if run.returncode == 0:
            return
        failed = tree.drop_failed(run.stdout)
        print(f"== {len(failed)} changes do not compile; others take their places", flush=True)
        if not failed:
            sys.exit(f"the changed tree does not build: {work / 'build.log'}")


class Entry:
    """An entry of ctest, run without ctest, which takes longer to start than most entries run."""

    def __init__(self, test: dict):
        properties = {each["name"]: each["value"] for each in test["properties"]}
        self.name, self.command = test["name"], test["command"]
        self.folder = properties["WORKING_DIRECTORY"]
        self.environment = dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))
        self.skipped = properties.get("SKIP_RETURN_CODE", 0)
        self.wanted = [re.compile(each) for each in properties.get("PASS_REGULAR_EXPRESSION", [])]
        self.locks = properties.get("RESOURCE_LOCK", [])
        self.needs_another = "FIXTURES_REQUIRED" in properties or "FIXTURES_SETUP" in properties

    def passes(self, variables: dict[str, str], timeout: float) -> bool:
        """Whether it ends well in `timeout` seconds; its children end with it."""
        process = subprocess.Popen(self.command, cwd=self.folder, start_new_session=True,
                                   env={**os.environ, **self.environment, **variables},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace")
        try:
            output = process.communicate(timeout=timeout)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return False
        if self.wanted:
            return any(each.search(output) for each in self.wanted)
        return process.returncode in (0, self.skipped)


class Suite:
    """The entries of ctest, without the long ones, what only reads sources, and what needs another
    entry's files."""

    def __init__(self, build_folder: Path, work: Path):
        self.work, self.notes = work, work / "reached.json"
        listing = subprocess.run(["ctest", "--show-only=json-v1", "-LE", "^(long|rules|docs)$"],
                                 cwd=build_folder, capture_output=True, text=True, check=True)
        entries = [Entry(test) for test in json.loads(listing.stdout)["tests"]]
        self.entries = {each.name: each for each in entries if not each.needs_another}
        self.locks = {lock: threading.Lock() for each in entries for lock in each.locks}
        self.seconds: dict[str, float] = {}
        self.reached: dict[str, set[int]] = {}

    def run(self, name: str, variables: dict[str, str], timeout: float) -> bool:
        entry = self.entries[name]
        with contextlib.ExitStack() as held:
            for lock in sorted(entry.locks):
                held.enter_context(self.locks[lock])
            return entry.passes(variables, timeout)

    def look(self, name: str) -> None:
        """Runs an entry without a change. One that fails then is left out."""
        notes = self.work / f"reached.{name.replace('/', '_')}"
        notes.unlink(missing_ok=True)
        start = time.monotonic()
        passed = self.run(name, {"PATCHBAY_MUTANT_REACHED": str(notes)}, 1200)
        self.seconds[name] = time.monotonic() - start
        numbers = notes.read_text().split() if notes.exists() else []
        notes.unlink(missing_ok=True)
        if passed:
            self.reached[name] = {int(number) for number in numbers}
        else:
            print(f"   {name} fails without a change, and is left out", flush=True)

    def look_at_all(self, jobs: int) -> None:
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.look, self.entries))

    def keep(self) -> None:
        """For a run with --again."""
        self.notes.write_text(json.dumps({"seconds": self.seconds, "reached": {
            name: sorted(numbers) for name, numbers in self.reached.items()}}), encoding="utf-8")

    def take_kept(self) -> None:
        kept = json.loads(self.notes.read_text(encoding="utf-8"))
        self.seconds = kept["seconds"]
        self.reached = {name: set(numbers) for name, numbers in kept["reached"].items()
                        if name in self.entries}

    def catcher_of(self, number: int) -> tuple[str | None, int]:
        """The first entry that notices the change, and how many ran."""
        those = sorted((name for name, numbers in self.reached.items() if number in numbers),
                       key=lambda name: self.seconds[name])
        for count, name in enumerate(those, 1):
            limit = max(LEAST_SECONDS, 10 * self.seconds[name])
            if not self.run(name, {"PATCHBAY_MUTANT": str(number)}, limit):
                return name, count
        return None, len(those)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--hours", type=float, default=3)
    parser.add_argument("--least", type=float, default=90, help="per cent that must be caught")
    parser.add_argument("--list", action="store_true", help="print the changes, and build nothing")
    parser.add_argument("--only", help="numbers to try, separated by commas")
    parser.add_argument("--again", action="store_true",
                        help="use what the last run noted of the entries")
    arguments = parser.parse_args()
    root, work = arguments.root.resolve(), arguments.work.resolve()
    if shutil.which("git") is None or not (root / ".git").exists():
        print("no git repository")
        return SKIPPED

    start = time.monotonic()
    work.mkdir(parents=True, exist_ok=True)
    tree = Tree(root, work, arguments.count, arguments.seed)
    if arguments.list:
        tree.fill()
        for number, site in tree.chosen.items():
            print(f"{number:4} {site.kind:9} {site.title()}")
        return 0
    build(tree, work)
    (work / "changes.json").write_text(
        json.dumps({n: asdict(site) for n, site in tree.chosen.items()}, indent=1), encoding="utf-8")
    print(f"== {len(tree.chosen)} changes are built, {time.monotonic() - start:.0f} s", flush=True)
    suite = Suite(tree.copy / "build/release", work)
    if arguments.again:
        suite.take_kept()
    else:
        suite.look_at_all(os.cpu_count() or 1)
        suite.keep()
    print(f"== {len(suite.reached)} entries pass without a change, {time.monotonic() - start:.0f} s",
          flush=True)

    wanted = [int(n) for n in arguments.only.split(",")] if arguments.only else list(tree.chosen)
    numbers = [number for number in wanted if number in tree.chosen]
    deadline = start + arguments.hours * 3600

    def try_one(number: int) -> bool | None:
        if time.monotonic() > deadline:
            return None
        catcher, ran = suite.catcher_of(number)
        what = f"caught by {catcher}" if catcher else f"SURVIVED {ran} entries"
        print(f"{number:4} {what}: {tree.chosen[number].title()}", flush=True)
        return catcher is not None

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(try_one, numbers))
    tried = [result for result in results if result is not None]
    share = 100 * sum(tried) / len(tried) if tried else 0
    print(f"{sum(tried)} of {len(tried)} changes are caught, {share:.0f} %; "
          f"{len(results) - len(tried)} were not tried in {arguments.hours:g} h; "
          f"{time.monotonic() - start:.0f} s, seed {arguments.seed}")
    return 0 if tried and share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
