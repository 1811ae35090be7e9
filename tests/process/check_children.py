#!/usr/bin/env python3
"""check_children.py PROGRAM DEVICE

Runs PROGRAM under strace in a folder of its own, as a caller would, and reads every file that its children
ask for. None lies in the caller's folder. A child that a driver starts may look there: then a file of each
such name must make the library refuse the build. Ends with 77 where there is no strace or no device."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CALL = re.compile(r'^(\w+)\((.*)\)\s+= (-?\d+)')
PATH = re.compile(r'(?:(AT_FDCWD|\d+), )?"((?:[^"\\]|\\.)*)"')
OPENS = {"open", "openat", "openat2", "execve", "execveat"}


class Process:
    """A process and its threads, which share a working directory."""

    def __init__(self, folder, is_child):
        self.folder, self.is_child = folder, is_child


def read_trace(prefix, first, folder):
    """Of each file that a child asked for its name, and the path that it stands for."""
    asked = []
    known = {first: Process(folder, False)}
    todo = [first]
    while todo:
        number = todo.pop(0)
        file = Path(f"{prefix}.{number}")
        if not file.exists():
            continue
        process = known[number]
        for line in file.read_text(errors="replace").splitlines():
            match = CALL.match(line)
            if not match:
                continue
            name, arguments, result = match.group(1), match.group(2), int(match.group(3))
            if name in ("clone", "clone3", "fork", "vfork") and result > 0:
                is_thread = "CLONE_THREAD" in arguments
                known[result] = process if is_thread else Process(process.folder, True)
                todo.append(result)
                continue
            path = PATH.search(arguments)
            if path is None or path.group(1) not in (None, "AT_FDCWD"):
                continue
            text = path.group(2)
            if name == "chdir" and result == 0:
                process.folder = os.path.join(process.folder, text)
            elif name in OPENS and process.is_child:
                asked.append((text, os.path.normpath(os.path.join(process.folder, text))))
    return asked


def run(program, device, folder, cache, trace=None):
    command = [program, device]
    if trace is not None:
        command = ["strace", "-ff", "-qq", "-s", "4096", "-e", "trace=%file,%process,chdir", "-o", trace] + command
    environment = dict(os.environ, PATCHBAY_CACHE_DIR=str(cache), POCL_CACHE_DIR=str(cache / "pocl"))
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600,
                          check=False)


def skip(why):
    print(why)
    sys.exit(77)


def main():
    program, device = sys.argv[1:]
    if shutil.which("strace") is None:
        skip("no strace (apt-get install strace)")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name).resolve()
        caller, cache = work / "caller", work / "cache"
        caller.mkdir()
        cache.mkdir(mode=0o700)
        done = run(program, device, caller, cache, str(work / "trace"))
        if "ptrace" in done.stderr or not list(work.glob("trace.*")):
            skip("strace can't trace here: " + done.stderr.strip())
        if "no device" in done.stdout or "no backend" in done.stdout:
            skip(done.stdout.strip())
        assert done.stdout.strip() == "3", done.stdout + done.stderr
        first = min((int(file.suffix[1:]) for file in work.glob("trace.*")),
                    key=lambda number: (Path(f"{work}/trace.{number}").read_text().find(f'"{program}"') < 0, number))
        asked = read_trace(str(work / "trace"), first, str(caller))
        print(f"{device}: {len(asked)} files asked for by children")
        assert len(asked) > 100, "no child was seen"
        found = sorted({text for text, path in asked
                        if path == str(caller) or path.startswith(str(caller) + os.sep)})
        if not device.startswith("opencl"):
            assert not found, f"children look in the caller's folder: {found}"
            return
        for text in found:
            assert not os.path.isabs(text) and "/" not in text, f"not looked for before: {text}"
            print("planted:", text)
            (caller / text).write_text("garbage")
            fresh = work / f"cache of {text}"
            fresh.mkdir(mode=0o700)
            refused = run(program, device, caller, fresh)
            (caller / text).unlink()
            assert refused.returncode == 1, (text, refused.returncode, refused.stdout, refused.stderr)
            assert f"the OpenCL compiler would take '{text}' from the working directory" in refused.stdout, \
                (text, refused.stdout)


if __name__ == "__main__":
    main()
