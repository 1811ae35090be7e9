# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Starts ranks_program with an mpirun and checks what its processes print.

  check_mpi.py LAUNCHER PROGRAM CASE      LAUNCHER: mpirun.openmpi, mpirun.mpich, or none

Ends with 77 where the launcher is not installed, or can't start any program.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys

PROCESSES = 3
LIMIT_S = 120
# No byte leaves the machine.
LAUNCHERS = {
    "mpirun.openmpi": ["--oversubscribe", "--mca", "oob_tcp_if_include", "lo", "--mca", "btl", "self,vader"],
    "mpirun.mpich": ["-launcher", "fork", "-iface", "lo", "-hosts", "localhost"],
}
LOST = r"launch_failed: \[all_reduce\] rank 1 \([^ ]+, process \d+, cpu:0\) is lost: "
OWN = r"launch_failed: \[all_reduce\] rank 1 \(cpu:0\) is lost: enough\. Make a new group without it\."
SHAPES = (r"invalid_argument: \[all_reduce\] members ask for different calls: rank 0 for all_reduce \(sum\) of f32 "
          r"\[1000\], rank 1 for all_reduce \(sum\) of f32 \[7\]\. Make a new group\.")
LATE = (r"timed_out: \[all_reduce\] members did not come within 3000 ms: rank 1 "
        r"\([^ ]+, process \d+, cpu:0\)\. Make the same calls on all members, and a new group\.")

# By case: what each rank prints, or None for what it need not.
EXPECTED = {
    "values": [r"of 6, wrong: 0"] * 6,
    "mismatch": [SHAPES] * 3,
    "abort": [r"launch_failed: \[.*\] the group was aborted: enough\. Make a new group\."] * 3,
    "leave": [LOST + r"enough\. Make a new group without it\.", OWN, LOST + r"enough\. Make a new group without it\."],
    "late": [LATE, None, LATE],
    "stop": [LOST + r"it has not answered for \d+ ms\. Make a new group without it\.", None,
             LOST + r"it has not answered for \d+ ms\. Make a new group without it\."],
    "exit": [r"ok"] * 3,
}
ALONE = {"values": [r"of 2, wrong: 0"] * 2, "exit": [r"ok"]}


def command_of(launcher, own, environment):
    if launcher == "none":
        return own
    if shutil.which(launcher) is None:
        print(f"{launcher} is not installed")
        sys.exit(77)
    start = [launcher, *LAUNCHERS[launcher], "-n", str(PROCESSES)]
    tried = subprocess.run([*start, "true"], env=environment, capture_output=True, text=True, timeout=LIMIT_S)
    if tried.returncode != 0:
        print(f"{launcher} can't start a program here: {tried.stdout}{tried.stderr}")
        sys.exit(77)
    return [*start, *own]


def main():
    launcher, program, case = sys.argv[1:]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       PATCHBAY_CPU_DEVICES="2", PATCHBAY_CPU_THREADS="1")
    command = command_of(launcher, [program, case, "2" if case == "values" else "1"], environment)
    started = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True)
    lines = []
    expected = dict(enumerate((ALONE if launcher == "none" else EXPECTED)[case]))
    missing = {rank for rank, text in expected.items() if text is not None}
    bad = []
    stopped = None
    try:
        signal.signal(signal.SIGALRM, lambda *_: started.kill())
        signal.alarm(LIMIT_S)
        for line in started.stdout:
            lines.append(line)
            found = re.match(r"rank (\d+): (.*)", line)
            if not found:
                continue
            rank, text = int(found[1]), found[2]
            if stops := re.fullmatch(r"stops as (\d+)", text):
                stopped = int(stops[1])
                continue
            if expected.get(rank) is not None and not re.fullmatch(expected[rank], text):
                bad.append(f"rank {rank}: expected {expected[rank]}")
            missing.discard(rank)
            if case == "stop" and not missing:
                break  # mpirun waits for the process that is stopped
        signal.alarm(0)
    finally:
        if stopped is not None:
            with contextlib.suppress(ProcessLookupError):  # the launcher may have ended it
                os.kill(stopped, signal.SIGKILL)
        status = started.wait()
    if missing:
        bad.append(f"nothing from ranks {sorted(missing)}")
    if case != "stop" and status != 0:
        bad.append(f"the launcher ended with {status}")
    if bad:
        sys.exit("".join(lines) + "\n".join(bad))


main()
