"""`spex-bench accept`: target, verdict, page."""

import json
import os
import tempfile
from pathlib import Path

from bench_runs import PROGRAMS, Bench, BenchTest, entry, output_of

PLAN = {"tier": "acceptance", "warmups": 1, "repeats": 5}


class Accept(BenchTest):
    """One short plan, judged by several targets."""

    def accept(self, bench: Bench, out: str, *options: str) -> tuple[int, str]:
        """The exit status and output."""
        return bench.spex_bench(
            "accept", bench.folder / "plan.json", "--out", bench.folder / out, *options
        )

    def test_a_machine_is_accepted_or_rejected(self):
        """The page has the verdict, the target and the reason."""
        with Bench([entry("one")], **PLAN) as bench:
            done = self.accept(bench, "good", "--target", "15min", "--system", "new node")
            self.says(done, 0, "takes about 1 min", "ACCEPT: an exposure of 30 frames within 900 s")
            page = (bench.folder / "good/acceptance.md").read_text()
            self.assertTrue(page.startswith("# ACCEPT: new node"), page)
            self.assertIn("1 of 1", page)
            self.says(self.accept(bench, "slow", "--target", "0.001s"), 4)
            page = (bench.folder / "slow/acceptance.md").read_text()
            self.assertTrue(page.startswith("# REJECT"), page)
            self.assertIn("at most 0.00 wanted", page)

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
        """An unknown word, a result without FPNH, no result."""
        with Bench([entry("one")], **PLAN) as bench:
            (bench.folder / "none.json").write_text(json.dumps({}))
            for options in (
                ("--target", "fast"),
                ("--target", "-3"),
                ("--target", "5parsecs"),
                ("--against", str(bench.folder / "none.json")),
                ("--against", str(bench.folder / "nowhere")),
            ):
                status, text = self.accept(bench, "out", *options)
                self.assertIn(status, (1, 2), text)
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
