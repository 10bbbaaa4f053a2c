"""`spex-bench accept`: target, verdict, files; quiet and disturbed machines."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
from bench_runs import PROGRAMS, ROOT, Bench, BenchTest, entry, output_of

PLAN = {"tier": "acceptance", "warmups": 1, "repeats": 5}
SCHEMA = json.loads((ROOT / "bench/acceptance.schema.json").read_text())

# Keeps a CPU busy.
BURNER = "while True: pass"


class Accept(BenchTest):
    """One short plan, judged by several targets."""

    def accept(self, bench: Bench, out: str, *options: str) -> tuple[int, str]:
        """The exit status and output."""
        return bench.spex_bench(
            "accept", bench.folder / "plan.json", "--out", bench.folder / out, *options
        )

    def files(self, folder: Path) -> tuple[dict, str, dict, ET.Element]:
        """The files of an acceptance, checked: JSON, page, CSV and JUnit."""
        found = json.loads((folder / "acceptance.json").read_text())
        jsonschema.validate(found, SCHEMA)
        lines = list(csv.DictReader((folder / "acceptance.csv").open()))
        self.assertEqual(len(lines), 1)
        junit = ET.parse(folder / "acceptance.xml").getroot()
        self.assertEqual(len(junit.findall("testcase")), int(junit.get("tests")))
        return found, (folder / "acceptance.md").read_text(), lines[0], junit

    def test_a_machine_is_accepted_and_judged_again(self):
        """The last line and all files have the verdict and its number; the trace stays."""
        with Bench([entry("one")], **PLAN) as bench:
            done = self.accept(bench, "out", "--target", "15min", "--system", "new node")
            text = self.says(done, 0, "takes about 1 min", "exposure of 30 frames within 900 s")
            last = text.splitlines()[-1]
            self.assertRegex(
                last,
                r"^ACCEPT: one: [\d.]+ s for 1 frame\(s\) \([\d.]+ to [\d.]+, 5 runs\), at most",
            )
            self.assertIn("note: the machine is", text)
            found, page, line, junit = self.files(bench.folder / "out")
            self.assertTrue(page.startswith("# ACCEPT: new node\n\n" + last), page)
            self.assertEqual(
                (line["verdict"], line["system"], line["runs"]), ("ACCEPT", "new node", "5")
            )
            self.assertEqual(junit.get("failures"), "0")
            self.assertGreater(found["system"]["cpus"], 0)
            self.assertIn("governor", found["system"]["facts"])
            before = bench.folder / "out/one.json"
            timing = json.loads(before.read_text())["record"]["timing"]

            done = self.accept(
                bench, "out", "--target", "0.001s", "--resume", "--system", "new node"
            )
            self.assertTrue(self.says(done, 4).splitlines()[-1].startswith("REJECT: one: "))
            found, page, line, junit = self.files(bench.folder / "out")
            self.assertEqual([j["word"] for j in found["judgments"]], ["ACCEPT", "REJECT"])
            self.assertIn("Judged before, ", page)
            self.assertEqual(line["verdict"], "REJECT")
            self.assertEqual(junit.get("failures"), "1")
            self.assertEqual(json.loads(before.read_text())["record"]["timing"], timing)
            # Another command does not change the results behind the page.
            again = bench.run_again("--out", str(bench.folder / "out"), "--resume")
            self.says(again, 2, "holds an acceptance")
            self.says(
                self.accept(bench, "out", "--target", "1h", "--resume", "--system", "x"),
                1,
                "was begun with another system (name new node, now x)",
            )

    def test_a_disturbed_machine_is_not_accepted(self):
        """Other programs take the CPUs: REPEAT, and no frame is wrong."""
        quiet = {"other_cpus": 0.05, "width": 0.1}
        busy = [
            subprocess.Popen([sys.executable, "-c", BURNER]) for _ in range(os.cpu_count() or 1)
        ]
        try:
            with Bench([entry("one")], quiet=quiet, **PLAN) as bench:
                done = self.accept(bench, "out", "--target", "15min", "--repeats", "2")
                text = self.says(done, 6, "does not count: other processes took")
                self.assertTrue(text.splitlines()[-1].startswith("REPEAT: one: "), text)
                record = json.loads((bench.folder / "out/one.json").read_text())
                self.assertEqual(record["derived"]["verdict"]["correctness"], "pass")
                self.assertIsNone(record["derived"]["fom"]["effective"])
                # A warm-up, and as many timed runs as were asked for, none of which counts.
                self.assertEqual(len(record["record"]["timing"]["samples"]), 3)
        finally:
            for one in busy:
                one.kill()
                one.wait()

    def test_a_wrong_frame_is_rejected(self):
        """However fast it was made."""
        wrong = """#!/usr/bin/env bash
"${0%/*}/real-spex-cpu" "$@" && [[ "$*" == *--events* ]] || exit 0
exit 1
"""
        with Bench([entry("one")], extractor=wrong, **PLAN) as bench:
            status, text = self.accept(bench, "out", "--target", "1h")
            self.assertNotEqual(status, 0)
            self.assertIn("REJECT", text)

    def test_a_wrong_target_ends_before_any_files_are_made(self):
        """An unknown word, a number without its unit, a result without FPNH, no result."""
        with Bench([entry("one")], **PLAN) as bench:
            (bench.folder / "none.json").write_text(json.dumps({}))
            for options in (
                ("--target", "fast"),
                ("--target", "15"),
                ("--target", "5parsecs"),
            ):
                status, text = self.accept(bench, "out", *options)
                self.assertEqual(status, 2, text)
                self.assertFalse((bench.folder / "out").exists())

    def test_a_missing_required_gpu_ends_before_any_files_are_made(self):
        """The shipped plan for GPUs is then used."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            options = ("--out", str(out), "--target", "15min", "--require-gpu")
            none = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
            done = output_of([PROGRAMS / "spex-bench", "accept", *options], env=none)
            self.says(done, 1, "no GPU found (expected 1 GPU(s)")
            self.assertFalse(out.exists())

    def test_gpus_are_used_together_and_each_alone(self):
        """On a node of four GPUs, by a library that pretends them; the target is the peer's."""
        path = ":".join(
            filter(None, [os.environ["SPEX_FAKE_NVML"], os.environ.get("LD_LIBRARY_PATH")])
        )
        fake = os.environ | {"LD_LIBRARY_PATH": path}
        text = self.says(output_of([PROGRAMS / "spex-bench", "accept", "--list"], env=fake), 0)
        rows = {
            line.split()[0]: line.split() for line in text.splitlines() if line.startswith("  ")
        }
        gpus = {name: cells[5] for name, cells in rows.items() if name != "entry"}
        alone = {f"gpu-{k}": "1" for k in range(4)}
        self.assertEqual(gpus, {"exposure": "4", "sustained": "4"} | alone)
        self.assertNotIn("SKIPPED", text)
        with tempfile.TemporaryDirectory() as folder:
            arguments = [PROGRAMS / "spex-bench", "accept", "--out", folder + "/out", "--against"]
            self.says(output_of([*arguments, "h201"], env=fake), 2, "or a peer: h200, h100")
