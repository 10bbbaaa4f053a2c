"""Runs that are interrupted, killed and resumed."""

import json
import signal
import subprocess
import time
from pathlib import Path

from bench_runs import Bench, BenchTest, entry


def about(process: Path, name: str) -> str:
    """The text of a file in a process's folder of /proc; empty once the process has ended."""
    try:
        return (process / name).read_text()
    except OSError:
        return ""


class Interrupts(BenchTest):
    """One short plan per test."""

    def test_an_interrupted_run_is_resumed(self):
        """SIGINT, or a reader that exits: a valid result; --resume adds the missing runs."""
        for reader_exits in (False, True):
            with (
                self.subTest(reader_exits=reader_exits),
                Bench([entry("one", repeats=1000)]) as bench,
            ):
                self.interrupt(bench, reader_exits)
                before = bench.result("one")
                self.assertEqual(before["status"], "interrupted")
                self.assertIsNone(before["fom"]["effective"])
                runs = len(before["timing"]["samples"])
                self.assertGreater(runs, 0)
                self.says(bench.run("--resume", "--repeats", str(runs + 1)), 0)
                after = bench.result("one")
                self.assertEqual(after["status"], "complete")
                seconds = [
                    [s["effective_s"] for s in one["timing"]["samples"]] for one in (before, after)
                ]
                self.assertEqual(seconds[1][:runs], seconds[0])
                self.assertTrue(all(s["compared"] for s in after["timing"]["samples"]))
                self.assertEqual(len(after["timing"]["samples"]), runs + 1)

    def interrupt(self, bench: Bench, reader_exits: bool) -> None:
        """Starts the plan, and ends it after the first timed run."""
        pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL}
        process = subprocess.Popen(bench.command(), text=True, **pipes)
        for line in process.stderr:
            if "one timed run 1 of" in line:
                break
        if reader_exits:
            process.stderr.close()
        else:
            process.send_signal(signal.SIGINT)
            self.assertIn("--resume", process.communicate()[1])
        self.assertEqual(process.wait(timeout=60), 1)

    def test_a_run_ends_with_a_killed_benchmark(self):
        """Otherwise it would disturb the next one, and write to its folder."""
        sleeper = """#!/usr/bin/env bash
[[ "$*" != *--events* ]] || exec sleep 1000
exec "${0%/*}/real-spex-cpu" "$@"
"""
        with Bench([entry("one")], extractor=sleeper) as bench:
            process = subprocess.Popen(bench.command(), stderr=subprocess.DEVNULL)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

            def sleeping() -> list[Path]:
                found = [Path("/proc") / child for child in children.read_text().split()]
                return [child for child in found if about(child, "comm") == "sleep\n"]

            while not (runs := sleeping()):
                self.assertIsNone(process.poll())
                time.sleep(0.05)
            process.kill()
            process.wait()
            end = time.monotonic() + 10
            while (status := about(runs[0], "status")) and "State:\tZ" not in status:
                self.assertLess(time.monotonic(), end, "it still runs")
                time.sleep(0.05)

    def test_dropped_runs_are_recorded(self):
        """Interrupted, failed and repeated, or added to a complete result."""
        flaky = """#!/usr/bin/env bash
here=${0%/*}
if [[ "$*" == *--events* ]]; then
  echo >>"$here/runs"
  if (($(wc -l <"$here/runs") == 2)); then exit 9; fi
  if (($(wc -l <"$here/runs") == 4)); then kill -9 "$PPID"; fi
fi
exec "$here/real-spex-cpu" "$@"
"""
        with Bench([entry("one")], extractor=flaky, repeats=3) as bench:
            self.says(bench.run(), 3)
            self.says(bench.run("--resume"), -9)
            self.says(bench.run("--resume"), 0)
            timing = bench.result("one")["timing"]
            self.assertEqual(len(timing["samples"]), 3)
            self.assertEqual([run["index"] for run in timing["dropped"]], [1, 2])
            self.assertIn("exit status 9", timing["dropped"][0]["reason"])
            self.assertIsNone(timing["dropped"][1]["seconds"])
            self.assertFalse(timing["extended"])
            unusual = " ".join(bench.result("one")["unusual"])
            self.assertIn("run 1 was begun and is no sample: exit status 9", unusual)
            self.assertIn("run 2 was begun and is no sample: was begun, and did not end", unusual)
            self.assertEqual(bench.run("--resume", "--repeats", "4")[0], 0)
            self.assertTrue(bench.result("one")["timing"]["extended"])

    def test_an_interrupt_during_simulation(self):
        """The entry is interrupted, not failed."""
        with Bench([entry("one")]) as bench:
            (bench.folder / "spex-sim").write_text("#!/bin/sh\nkill -INT $PPID\nsleep 5\n")
            text = self.says(bench.run(), 1)
            self.assertEqual(bench.result("one")["status"], "interrupted")
            self.assertIn("--resume continues the run", text.splitlines()[-1])

    def test_an_interrupt_keeps_the_results_that_are_resumed(self):
        """Results of the entries after the one whose golden cases run."""
        stopping = """#!/usr/bin/env bash
[[ ! -e ${0%/*}/stop ]] || kill -INT "$PPID"
exec "${0%/*}/real-spex-cpu" "$@"
"""
        entries = [entry("one"), entry("two")]
        with Bench(entries, extractor=stopping, goldens=["tiny-b"]) as bench:
            self.assertEqual(bench.run()[0], 0)
            (bench.folder / "out/one.json").unlink()
            (bench.folder / "stop").touch()
            self.says(bench.run("--resume"), 1)
            self.assertEqual(bench.result("two")["status"], "complete")

    def test_only_the_same_run_is_resumed(self):
        """The same plan, program, environment, entry and number; no edited file."""
        with Bench([entry("one"), entry("two")]) as bench:
            self.assertEqual(bench.run(OMP_NUM_THREADS="3")[0], 0)
            same = {"OMP_NUM_THREADS": "3"}
            one, two = (bench.folder / f"out/{name}.json" for name in ("one", "two"))
            first = one.read_text()
            for what, options, environment in (
                ("another command line or environment", (), {}),
                ("another number of warm-ups", ("--warmups", "1"), same),
                ("another inputs (--seeds)", ("--seeds", "drawn"), same),
            ):
                done = bench.run("--resume", "--repeats", "2", *options, **environment)
                self.says(done, 1, "was begun with " + what)
            two.write_text(first)
            self.says(bench.run("--resume", **same), 1, "two.json: was begun with another entry")
            two.unlink()
            result = json.loads(first)
            result["record"]["timing"]["samples"][0]["effective_s"] = 0.001
            one.write_text(json.dumps(result))
            self.says(bench.run("--resume", **same), 1, "by the record)")
            one.write_text(first)
            bench.plan["repeats"] = 2
            self.says(bench.run("--resume", **same), 2, "another plan")
