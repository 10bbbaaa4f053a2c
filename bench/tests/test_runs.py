"""Runs of spex-bench as a user makes them: the plan, resuming, interrupts, thresholds, no GPU."""

import json
import signal
import subprocess
import time
import unittest

from bench_runs import Bench, entry


class Runs(unittest.TestCase):
    """One short plan a test."""

    def test_a_plan_gives_a_result_for_each_entry(self):
        """Ranks, schedules and golden cases; both clocks and all phases."""
        entries = [
            entry("alone"),
            entry("ranks", ranks=2, threads=1),
            entry("interleaved", ranks=3, threads=1, run_options=["--schedule", "interleave-io"]),
        ]
        ceilings = {"flops": 1e10, "bytes": 1e10, "source": "a test"}
        with Bench(entries, goldens=["tiny-b"], cpu_ceilings=ceilings) as bench:
            status, text = bench.run("--system", "test system")
            self.assertEqual(status, 0, text)
            for name, ranks, launcher in (
                ("alone", 1, "none"),
                ("ranks", 2, "mpirun"),
                ("interleaved", 3, "mpirun"),
            ):
                result = bench.result(name)
                self.assertEqual(result["launch"]["ranks"], ranks)
                self.assertEqual(result["launch"]["launcher"], launcher)
                self.assertEqual(result["system"]["name"], "test system")
                self.assertTrue(result["golden"][0]["pass"])
                sample = result["timing"]["samples"][0]
                self.assertGreater(sample["effective_s"], sample["extraction_s"])
                self.assertGreater(sample["launch_s"], 0)
                self.assertGreater(sample["phases"]["solve"]["sum"], 0)
                self.assertEqual(sample["patches"], 10)
                self.assertIsNone(result["energy"]["joules_per_frame"])
                self.assertTrue(result["energy"]["reason"])
                self.assertIn("solve", [point["stage"] for point in result["roofline"]])
                log = json.loads((bench.folder / "out" / f"{name}.events.json").read_text())
                self.assertEqual(len(log["ranks"]), ranks)
            hashes = {
                bench.result(n)["validation"]["frames"][0]["sha256"] for n in ("alone", "ranks")
            }
            self.assertEqual(len(hashes), 1)

    def test_an_interrupted_run_goes_on_where_it_was(self):
        """SIGINT leaves a valid result; --resume adds the runs that are missing, and no more."""
        with Bench([entry("one", repeats=30)]) as bench:
            result = bench.folder / "out/one.json"
            process = subprocess.Popen(bench.command(), stderr=subprocess.PIPE, text=True)
            deadline = time.time() + 120
            done = 0
            while done < 2 and time.time() < deadline:
                time.sleep(0.1)
                if result.exists():
                    done = len(json.loads(result.read_text())["timing"]["samples"])
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1)
            self.assertIn("--resume", errors)
            before = bench.result("one")
            self.assertEqual(before["status"], "interrupted")
            self.assertIsNone(before["fom"]["effective"])
            runs = len(before["timing"]["samples"])
            self.assertLess(runs, 30)
            refused, text = bench.run("--resume", "--repeats", str(runs + 1))
            after = bench.result("one")
            self.assertEqual(refused, 0, text)
            self.assertEqual(after["status"], "complete")
            self.assertEqual(after["timing"]["samples"][:runs], before["timing"]["samples"])
            self.assertEqual(len(after["timing"]["samples"]), runs + 1)

    def test_a_result_of_another_plan_is_not_resumed(self):
        """One line, and the result stays."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            bench.plan["repeats"] = 2
            (bench.folder / "plan.json").write_text(json.dumps(bench.plan))
            status, text = bench.run("--resume")
            self.assertEqual(status, 1)
            self.assertIn("is of another plan", text)
            self.assertEqual(bench.result("one")["status"], "complete")

    def test_too_slow_and_too_few_samples(self):
        """Performance is judged after correctness, one-sided."""
        with Bench([entry("one", repeats=3)]) as bench:
            thresholds = bench.folder / "thresholds.json"
            thresholds.write_text(json.dumps({"entries": {"one": {"fpnh_effective": 1e9}}}))
            status, text = bench.run("--thresholds", str(thresholds))
            self.assertEqual(status, 4, text)
            self.assertEqual(bench.result("one")["verdict"]["overall"], "slow")
            status, text = bench.run("--thresholds", str(thresholds), "--repeats", "1")
            self.assertEqual(status, 6, text)
            thresholds.write_text(json.dumps({"entries": {"one": {"fpnh_effective": 1}}}))
            self.assertEqual(bench.run("--thresholds", str(thresholds))[0], 0)

    def test_a_run_that_hangs_is_ended(self):
        """The time limit is a failed run, which is named."""
        hanging = '#!/usr/bin/env bash\nif [[ "$*" == *--milestone* ]]; then sleep 60; fi\n'
        hanging += 'exec "${0%/*}/real-spex-cpu" "$@"\n'
        with Bench([entry("one")], extractor=hanging, time_limit_s=1) as bench:
            start = time.time()
            status, text = bench.run()
            self.assertLess(time.time() - start, 50)
            self.assertEqual(status, 3, text)
            self.assertIn("time limit", bench.result("one")["verdict"]["reasons"][0])

    def test_without_a_gpu_an_entry_is_skipped_unless_it_is_required(self):
        """77, or 1; the JSON is written on both paths."""
        gpu = {"id": "gpu", "case": "small", "milestone": "pipeline", "gpus": 64}
        with Bench([gpu]) as bench:
            self.assertEqual(bench.run()[0], 77)
            result = bench.result("gpu")
            self.assertEqual(result["status"], "skipped")
            self.assertEqual(result["verdict"]["exit_status"], 77)
            self.assertEqual(bench.run("--require-gpu")[0], 1)

    def test_wrong_command_lines_are_one_line(self):
        """Status 2 and what was expected."""
        with Bench([entry("one")]) as bench:
            for options in (["--only", "two"], ["--nodes", "7"], ["--launcher", "rsh"]):
                status, text = bench.run(*options)
                self.assertEqual(status, 2, text)
                self.assertEqual(text.strip().count("\n"), 0, text)
            (bench.folder / "plan.json").write_text("{}")
            self.assertEqual(bench.run()[0], 2)


if __name__ == "__main__":
    unittest.main()
