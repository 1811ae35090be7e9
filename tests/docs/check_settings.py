# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Every plugin declares the settings that its sources ask for, and docs/settings.md, or the README of
the plugin, describes every setting."""

import pathlib
import re
import sys

ASKED = re.compile(r"""\boption\(\s*"([a-z0-9_]+)"|_option\(\s*host_?,\s*"([a-z0-9_]+)\"""")
DECLARED = re.compile(r"PATCHBAY_PLUGIN_SETTINGS\(((?:\s*\"[^\"]*\")+)\s*\)")


def text_of(folder):
    return "\n".join(path.read_text() for path in sorted(folder.rglob("*.[ch]pp")))


def asked_in(text):
    return {first or second for first, second in ASKED.findall(text)}


def declared_in(text):
    match = DECLARED.search(text)
    return set(" ".join(re.findall(r'"([^"]*)"', match.group(1))).split()) if match else None


def own_settings(root):
    text = (root / "core/runtime/search/vocabulary.cpp").read_text()
    return set(re.findall(r'"(\w+)"', text.split("kOwnSettings[] = {")[1].split("}")[0]))


def described_in(root):
    pages = [root / "docs/settings.md", *sorted((root / "plugins").glob("*/README.md"))]
    text = "\n".join(page.read_text() for page in pages)
    words = set(re.findall(r"\w+", text))
    calls = re.search(r"`fake_fail_<call>=w`.*calls: `([^`]*)`", text)
    words |= {"fake_fail_" + call for call in calls.group(1).split()} if calls else set()
    return words


def main():
    root = pathlib.Path(sys.argv[1])
    own, described = own_settings(root), described_in(root)
    executor = asked_in(text_of(root / "kit/executor"))
    problems, known = [], set(own)
    plugins = sorted((root / "plugins").glob("*/CMakeLists.txt"))
    for plugin in (path.parent for path in plugins):
        declared = declared_in(text_of(plugin))
        if declared is None:
            problems.append(f"{plugin.name} has no PATCHBAY_PLUGIN_SETTINGS")
            continue
        known |= declared
        asked = asked_in(text_of(plugin))
        if "executor" in (plugin / "CMakeLists.txt").read_text():
            asked |= executor
        for name in sorted(asked - declared - own):
            problems.append(f"{plugin.name} asks for {name} and does not declare it")
    for name in sorted(known):
        if name not in described and "PATCHBAY_" + name.upper() not in described:
            problems.append(f"docs/settings.md does not describe the setting {name}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
