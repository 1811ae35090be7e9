# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Programs that take turns, row by row, so that all see the same clocks: what they answer, and the table."""

import collections
import concurrent.futures
import json
import os
import signal
import statistics
import subprocess

UNITS = {"us": 1e3, "ms": 1e6}  # nanoseconds


class Answerer:
    """A program that reads names of rows and answers each with a line of JSON. Its first line says who it is."""

    def __init__(self, words, environment=None, errors=subprocess.DEVNULL):
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=errors, text=True,
                                        env=environment, start_new_session=True)
        self.pool = concurrent.futures.ThreadPoolExecutor(1)

    def read(self, seconds=None):
        line = self.pool.submit(self.process.stdout.readline).result(timeout=seconds)
        return json.loads(line) if line else {"error": "the program has ended"}

    def ask(self, row, seconds=None):
        self.process.stdin.write(row + "\n")
        self.process.stdin.flush()
        return self.read(seconds)

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.pool.shutdown(wait=False)


def take_turns(subjects, rows, rounds, seconds_left=lambda: None):
    """({row: {subject: median of nanoseconds}}, remarks). `seconds_left` says how long an answer may take."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    remarks = []
    try:
        for name, subject in list(subjects.items()):
            first = subject.read(seconds_left())
            remarks.append(f"{name}: " + (f"left out: {first['error']}" if "error" in first else json.dumps(first)))
            if "error" in first:
                subjects.pop(name).end()
        for _ in range(rounds):
            for row in rows:
                for name, subject in subjects.items():
                    answer = subject.ask(row, seconds_left())
                    if "nanoseconds" in answer:
                        times[row][name].append(answer["nanoseconds"])
                    elif answer.get("error") != "there is no such row":
                        remarks.append(f"{name}: {row}: {answer.get('error')}")
    except (TimeoutError, concurrent.futures.TimeoutError):
        remarks.append("the line's time was over")
    finally:
        for subject in subjects.values():
            subject.end()
    return {row: {name: statistics.median(values) for name, values in by_name.items()}
            for row, by_name in times.items()}, remarks


def table(medians, names, unit="us", what="row"):
    """Markdown with the ratio of each peer to the first of `names`; rows that have all values may have a mean."""
    ours, *peers = names
    head = [what, *(f"{name} {unit}" for name in names), *(f"{name} / {ours}" for name in peers)]
    lines = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for row, by_name in medians.items():
        mine = by_name.get(ours)
        shown = [f"{by_name[name] / UNITS[unit]:.2f}" if by_name.get(name) else "" for name in names]
        ratios = [f"{by_name[name] / mine:.2f}" if mine and by_name.get(name) else "" for name in peers]
        lines.append("| " + " | ".join([row, *shown, *ratios]) + " |")
    return "\n".join(lines) + "\n"


def mean_line(ratios, what):
    """The geometric mean and the least; empty for fewer than two ratios."""
    if len(ratios) < 2:
        return ""
    return f"\n{len(ratios)} {what}: geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}\n"
