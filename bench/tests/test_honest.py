"""Honest runs are never called incorrect, whatever else the machine does."""

import shutil
import subprocess
import sys

from bench_runs import OPTIONS, ROOT, Bench, BenchTest, entry, output_of

# Reads every file of the folders repeatedly, as a backup does.
READER = """
import sys, time
from pathlib import Path
while True:
    for folder in sys.argv[1:]:
        for path in list(Path(folder).rglob("*")):
            try:
                path.is_file() and path.read_bytes()
            except OSError:
                pass
    time.sleep(0.01)
"""


class Honest(BenchTest):
    """Campaigns with the correct extractor."""

    def test_another_process_reads_all_files(self):
        """All files of data, results, references and goldens, repeatedly."""
        with Bench([entry("one", repeats=2)], goldens=["tiny-b"]) as bench:
            goldens = bench.folder / "golden"
            shutil.copytree(ROOT / "golden", goldens)
            folders = [str(bench.folder / name) for name in ("data", "out", "references", "golden")]
            reader = subprocess.Popen([sys.executable, "-c", READER, *folders])
            try:
                for seeds in ("plan", "drawn"):
                    self.says(
                        bench.run("--goldens", str(goldens / "cases.json"), "--seeds", seeds), 0
                    )
                    self.assertEqual(bench.result("one")["verdict"]["overall"], "pass")
            finally:
                reader.kill()
                reader.wait()

    def test_a_machine_whose_speed_changes_is_noisy(self):
        """One run takes more than twice as long: unusual, but correct."""
        slow = """#!/usr/bin/env bash
here=${0%/*}
if [[ "$*" == *--events* ]]; then
  echo >>"$here/runs"
  if (($(wc -l <"$here/runs") == 2)); then sleep 5; fi
fi
exec "$here/real-spex-cpu" "$@"
"""
        with Bench([entry("one", repeats=3)], extractor=slow) as bench:
            text = self.says(bench.run(), 0)
            result = bench.result("one")
            self.assertEqual(result["verdict"]["overall"], "pass")
            self.assertIn("noisy: the longest run took", " ".join(result["unusual"]))
            self.assertIn("noisy: the longest run took", text)

    def test_a_missing_required_gpu_is_reported_first(self):
        """Before any files are made."""
        gpu = {"id": "gpu", "case": "small", "milestone": "pipeline", "gpus": 64}
        gpu["options"] = OPTIONS
        with Bench([entry("one"), gpu]) as bench:
            text = self.says(bench.run("--require-gpu"), 1, "no GPU found (expected 64 GPU(s)")
            self.assertEqual(text.strip().count("\n"), 0, text)
            self.assertEqual(text.count("--require-gpu"), 1, text)
            self.assertFalse((bench.folder / "out").exists())
            self.assertFalse((bench.folder / "data").exists())
            self.assertEqual(bench.run("--require-gpu", "--only", "one")[0], 0)

    def test_a_machine_without_inotify_has_one_clock(self):
        """Without inotify instances: a warning, and only the effective clock."""
        blind = 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"'
        shell = ["unshare", "-Ur", "sh", "-c", blind, "sh"]
        if output_of([*shell, "true"])[0] != 0:
            self.skipTest("no user namespace in which inotify could be shut off")
        with Bench([entry("one")]) as bench:
            self.says(output_of([*shell, *bench.command()]), 0)
            result = bench.result("one")
            self.assertIsNone(result["fom"]["extraction"])
            self.assertIsNotNone(result["fom"]["effective"])
            self.assertIn("files cannot be watched", " ".join(result["unusual"]))
