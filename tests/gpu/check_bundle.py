#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Makes a small bundle, unpacks it elsewhere and runs lines of each part on the simulated card.

  check_bundle.py ROOT BUILD      77: this build makes no bundle
"""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])
SKIP = 77
# Lines that take seconds; the names of all that must pass, by part.
LINES = {1: ["machine", "driver times", "devices", "plugins", "start"],
         2: ["products", "two streams", "free memory", "training", "rows"],
         3: ["fork", "interrupt", "exit with work", "out of bounds", "start after it"]}


def run(folder, part, *more, names=None):
    out = folder / f"out{part}"
    names = "|".join(names or LINES[part])
    finished = subprocess.run(
        [str(folder / "patchbay-gpu/run-on-gpu"), "--part", str(part), "--simulate", "--out",
         str(out), "--only", f"^({names})$", *more],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=3000, check=False)
    report = out / f"part{part}.json"
    return finished, json.loads(report.read_text()) if report.exists() else None, out


class BundleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory(prefix="patchbay-bundle-test-")
        cls.folder = pathlib.Path(cls.work.name)
        archive = cls.folder / "gpu-bundle.tar.xz"
        subprocess.run([str(ROOT / "scripts/gpu-bundle"), "--no-build", "--small", "--out",
                        str(archive)], check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(archive) as file:
            file.extractall(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def check_part(self, part):
        finished, report, out = run(self.folder, part)
        self.assertEqual(finished.returncode, 0, finished.stdout)
        results = {line["name"]: line["result"] for line in report["lines"]}
        self.assertEqual(results, {name: "passed" for name in LINES[part]}, finished.stdout)
        self.assertEqual(report["device"], "Simulated card 0")
        self.assertEqual(report["driver"], "13.0")
        self.assertTrue(report["simulated"])
        table = (out / f"part{part}.md").read_text()
        for name in LINES[part]:
            self.assertIn(f"| {name} | passed |", table)
        return {line["name"]: line["data"] for line in report["lines"]}

    def test_part_1(self):
        data = self.check_part(1)
        steps = data["driver times"]["objects"][0]["steps"]
        self.assertEqual([step["code"] for step in steps.values()], [0, 0])
        self.assertGreater(data["start"]["objects"][0]["first_product_ms"], 0)

    def test_part_2(self):
        data = self.check_part(2)
        checks = data["products"]["objects"]
        self.assertEqual(len(checks), 7)
        self.assertTrue(all(check["passed"] for check in checks), checks)

    def test_cards_of_amd(self):
        if not list((self.folder / "patchbay-gpu/tree/build/release/lib").rglob("patchbay-hip.so")):
            self.skipTest("the plugin hip is not built")
        names = ["products", "two streams", "driver times", "rows"]
        finished, report, _ = run(self.folder, 2, "--device", "hip:0", "--rows", "^add/", names=names)
        self.assertEqual(finished.returncode, 0, finished.stdout)
        results = {line["name"]: line["result"] for line in report["lines"]}
        self.assertEqual(results, {name: "passed" for name in names} | {"driver times": "skipped"})
        self.assertEqual(report["device"], "Simulated card 0")

    def test_devices_that_it_does_not_know(self):
        finished, _, _ = run(self.folder, 2, "--device", "cpu:0")
        self.assertEqual(finished.returncode, 2)
        self.assertIn("no device cpu:0: expected one of cuda, hip", finished.stdout)

    def test_part_3(self):
        data = self.check_part(3)
        steps = {one["step"]: one for one in data["out of bounds"]["objects"] if "step" in one}
        self.assertEqual(steps["synchronize"]["code"], "device_lost")
        self.assertEqual(steps["synchronize"]["driver_code"], 719)
        self.assertEqual(data["interrupt"]["exit_status"], -2)

    def test_lines_without_their_tool_are_skipped(self):
        _, report, _ = run(self.folder, 2, "--only", "^(memcheck|two streams)$")
        lines = {line["name"]: line for line in report["lines"]}
        if lines["memcheck"]["result"] != "skipped":
            self.skipTest("compute-sanitizer is installed")
        self.assertEqual(lines["memcheck"]["text"], "compute-sanitizer is not installed")

    def test_a_line_ends_with_its_limit(self):
        sys.path.append(str(self.folder / "patchbay-gpu"))  # of the modules beside the program
        loader = importlib.machinery.SourceFileLoader(
            "run_on_gpu", str(self.folder / "patchbay-gpu/run-on-gpu"))
        module = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("run_on_gpu", loader))
        loader.exec_module(module)
        line = module.Line("sleeps", 1, module.command("sleep", "60"))

        class Context:  # pylint: disable=too-few-public-methods
            environment = dict(os.environ)

        outcome, seconds = module.run_line(line, Context, 60)
        self.assertEqual(outcome.result, "timed out")
        self.assertLess(seconds, 30)
        outcome, _ = module.run_line(line, Context, 4)
        self.assertEqual((outcome.result, outcome.text), ("skipped", "the part's time was over"))


if __name__ == "__main__":
    if pathlib.Path(sys.argv[2]).resolve() != (ROOT / "build/release").resolve():
        print("bundles are made of build/release alone")
        sys.exit(SKIP)
    unittest.main(argv=sys.argv[:1], verbosity=2)
