"""Runs of spex-bench as a user makes them: plan, thresholds, no GPU."""

import json
import os
import shutil
import statistics
import subprocess

from bench_runs import OPTIONS, PROGRAMS, ROOT, Bench, BenchTest, entry, output_of


class Runs(BenchTest):
    """One short plan per test."""

    def test_a_plan_gives_a_result_for_each_entry(self):
        """Ranks, schedules and golden cases; both clocks and all stages."""
        entries = [
            entry("alone"),
            entry("ranks", ranks=2, threads=1),
            entry("interleaved", ranks=3, threads=1, run_options=["--schedule", "interleave-io"]),
        ]
        with Bench(entries, goldens=["tiny-b"]) as bench:
            text = self.says(bench.run("--system", "test system"), 0)
            for name, ranks, launcher in (
                ("alone", 1, "none"),
                ("ranks", 2, "mpirun"),
                ("interleaved", 3, "mpirun"),
            ):
                result = bench.result(name)
                self.assertEqual(result["launch"]["ranks"], ranks)
                self.assertEqual(result["launch"]["launcher"], launcher)
                self.assertEqual(result["system"]["name"], "test system")
                self.assertIsNone(result["golden"][0]["failure"])
                sample = result["timing"]["samples"][0]
                self.assertGreater(sample["effective_s"], sample["extraction_s"])
                self.assertGreater(sample["launch_s"], 0)
                self.assertGreater(sample["phases"]["solve"]["sum"], 0)
                self.assertEqual(sample["patches"], 10)
                self.assertIsNone(result["energy"]["joules_per_frame"])
                self.assertTrue(result["energy"]["reason"])
                self.assertEqual(result["roofline"], [])
                log = json.loads((bench.folder / "out" / f"{name}.events.json").read_text())
                self.assertEqual(len(log["ranks"]), ranks)
            cfitsio = bench.result("alone")["build"]["cfitsio"]
            version = [bench.folder / "spex-cpu", "--version"]
            self.assertIn(f"; {cfitsio};", subprocess.check_output(version, text=True))
            self.assertIn("alone timed run 1 of 1: ", text)
            hashes = {
                bench.result(n)["timing"]["samples"][0]["outputs_sha256"]
                for n in ("alone", "ranks", "interleaved")
            }
            self.assertEqual(len(hashes), 1)

    def test_a_run_of_many_frames_repeats_exposures(self):
        """Two exposures twice, .fits.gz in and out; frames of repeated inputs are removed."""
        cases = {"small": {"cameras": "r0", "size": "tiny", "seeds": 2, "compress": "gz"}}
        many = entry("many", frames=4, compress="gz", repeats=2)
        with Bench([many, entry("one")], cases=cases) as bench:
            self.says(bench.run("--seeds", "drawn"), 0)
            result = bench.result("many")
            self.assertEqual(result["fom"]["frames_asked"], 4)
            self.assertEqual(result["fom"]["frames_valid"], 4)
            self.assertEqual(result["work"]["compression"], "gz")
            first, second = result["timing"]["samples"]
            self.assertEqual(first["patches"], 40)
            self.assertEqual(first["outputs_sha256"], second["outputs_sha256"])
            self.assertEqual(result["validation"]["frames"][0]["compared"], 2)
            self.assertEqual(bench.result("one")["work"]["compression"], "none")

    def test_runs_end_when_the_interval_is_narrow(self):
        """Or at the maximum number of runs; each run has its own inputs."""
        plan = {"tier": "acceptance", "warmups": 1, "repeats": 5}
        plan["until"] = {"width": 1e-9, "max_runs": 6}
        with Bench(
            [entry("one"), entry("two", until={"width": 0.999, "max_runs": 6})], **plan
        ) as bench:
            self.says(bench.run(), 0)
            result = bench.result("one")
            self.assertEqual(result["timing"]["until"], {"width": 1e-9, "max_runs": 6})
            seeds = [s["seed"] for s in result["timing"]["samples"]]
            self.assertEqual(len(set(seeds)), 7)
            self.assertEqual(len(result["fom"]["effective"]["seconds"]["samples"]), 6)
            # The interval after 5 samples misses with probability 1/16, and no later one may add to
            # that.
            self.assertEqual(result["fom"]["effective"]["seconds"]["coverage"], 0.9375)
            timed = [s for s in bench.result("two")["timing"]["samples"] if not s["warmup"]]
            # On a busy machine the slowest run may take twice as long as the median.
            narrow = True
            for clock in ("effective_s", "extraction_s"):
                first = [s[clock] for s in timed[:5]]
                narrow = narrow and max(first) - min(first) <= 0.999 * statistics.median(first)
            self.assertEqual(len(timed) == 5, narrow)

    def test_too_slow_and_too_few_samples(self):
        """Performance is judged after correctness, one-sided; all runs have different inputs."""
        with Bench([entry("one")], tier="acceptance", warmups=1, repeats=5) as bench:
            thresholds = bench.folder / "thresholds.json"

            def run_with(limits: dict, *options: str) -> tuple[int, str]:
                thresholds.write_text(json.dumps(limits))
                return bench.run("--thresholds", str(thresholds), *options)

            any_system = {"entries": {"one": {"seconds_effective": 1e-3}}}
            our_system = {"systems": {"ours": {"test": {"one": {"seconds_effective": 1e-4}}}}}
            message = "has no thresholds for system '' (--system) and plan test, only for"
            text = self.says(run_with(any_system | our_system), 4, message)
            result = bench.result("one")
            self.assertEqual(result["verdict"]["overall"], "slow")
            self.assertEqual(len({s["seed"] for s in result["timing"]["samples"]}), 6)
            outputs = {sample["outputs_sha256"] for sample in result["timing"]["samples"]}
            self.assertEqual(len(outputs), 6)
            self.assertEqual(result["fom"]["effective"]["seconds"]["coverage"], 0.9375)
            self.assertIn("93.8%", text)
            reasons = " ".join(result["fom"]["incomplete_because"])
            for reason in ("not the 30 of an exposure", "options change", "no golden cases"):
                self.assertIn(reason, reasons)
            # A complete result is judged again, but not run again.
            slower = {"entries": {"one": {"seconds_effective": 900}}}
            self.says(run_with(slower, "--resume"), 0)
            self.assertEqual(bench.result("one")["timing"], result["timing"])
            # Parts of a frame have no FPNH: neither in the table, nor in the result, nor as a
            # threshold.
            self.assertNotIn("FPNH effective", text)
            self.assertIn("parts of frames, and a frame alone, have seconds and no FPNH", text)
            for clock in ("effective", "extraction"):
                self.assertIsNone(result["fom"][clock]["fpnh"])
                self.assertIsNone(result["fom"][clock]["frames_per_gpu_hour"])
            message = "one: FPNH is required of parts of frames"
            self.says(run_with({"entries": {"one": {"fpnh_effective": 1}}}), 2, message)
            self.says(run_with(slower, "--repeats", "1", "--warmups", "0"), 6)

    def test_missing_launchers_and_goldens_are_reported_first(self):
        """A missing launcher, and unreadable goldens: one line before anything runs."""
        with Bench([entry("one", ranks=2, threads=1)]) as bench:
            self.says(bench.run(PATH="/nowhere"), 2, "--launcher: none of mpi")
            self.assertFalse((bench.folder / "out").exists())
            done = bench.run("--launcher", "mpirun", PATH="/nowhere")
            self.says(done, 2, "--launcher: mpirun is not on the PATH")
            self.assertFalse((bench.folder / "out").exists())
            for option in ("--goldens", "--thresholds"):
                bench.plan["goldens"], bench.plan["tier"] = ["tiny-b"], "ci"
                if option == "--thresholds":
                    bench.plan |= {"tier": "acceptance", "repeats": 5, "warmups": 1}
                status, text = bench.run(option, str(bench.folder))
                self.assertNotEqual(status, 0, text)
                self.assertIn(f"{bench.folder}: cannot be read", text)
            bench.plan |= {"tier": "ci", "repeats": 1, "warmups": 0, "goldens": ["tiny-b"]}
            for name in ("psf.fits", "preproc.fits", "frame-tiny-b.fits"):
                goldens = bench.folder / "golden"
                shutil.copytree(ROOT / "golden", goldens)
                os.truncate(goldens / "tiny-b" / name, 9000)
                done = bench.run("--goldens", str(goldens / "cases.json"))
                self.says(done, 1, f"{name}: is cut short")
                shutil.rmtree(goldens)
            bench.plan["goldens"] = ["tiny-x"]
            text = self.says(bench.run(), 2, "plan.json: 'goldens' has tiny-x, which is not in")
            self.assertEqual(text.strip().count("\n"), 0, text)
            self.assertFalse((bench.folder / "out").exists())

    def test_the_signal_that_ended_a_program_is_named(self):
        """Of a program without output."""
        with Bench([entry("one")]) as bench:
            (bench.folder / "spex-sim").write_text("#!/bin/sh\nkill -XCPU $$\n")
            self.says(bench.run(), 1, "spex-sim failed, exit status 152 (CPU time limit exceeded)")
            # The result of an entry that never started is valid.
            self.assertEqual(bench.result("one")["timing"]["samples"], [])

    def test_wrong_extractor_options_are_reported_first(self):
        """Before inputs and reference frames are made; also those of the last entry."""
        wrong = entry("two", alone=True, run_options=["--schedule", "pipeline"])
        with Bench([entry("one"), wrong]) as bench:
            for done in (bench.run("--list"), bench.run()):
                text = self.says(done, 2, "'alone' with --schedule")
                self.assertEqual(text.strip().count("\n"), 0, text)
            self.assertFalse((bench.folder / "out").exists())
        own = entry("own", run_options=["--its-own"])
        with Bench([own], division="optimized") as bench:
            self.assertEqual(bench.run("--list")[0], 0)

    def test_a_run_that_hangs_is_ended(self):
        """A run beyond the time limit has failed, with that reason."""
        hanging = '#!/usr/bin/env bash\n[[ "$*" != *--events* ]] || sleep infinity\n'
        hanging += 'exec "${0%/*}/real-spex-cpu" "$@"\n'
        with Bench([entry("one")], extractor=hanging, time_limit_s=1) as bench:
            self.says(bench.run(), 3)
            self.assertIn("time limit", bench.result("one")["verdict"]["reasons"][0])

    def test_a_plan_is_run_in_parts(self):
        """By the groups of its entries, with results in one folder."""
        entries = [entry("one", group="first"), entry("two", group="last"), entry("three")]
        with Bench(entries) as bench:
            self.assertEqual(bench.run("--only", "first,three")[0], 0)
            names = {path.name for path in (bench.folder / "out").glob("*.json")}
            self.assertEqual(
                {name for name in names if "events" not in name}, {"one.json", "three.json"}
            )
            self.says(bench.run_again("--only", "last"), 0)
            self.assertEqual(bench.result("two")["status"], "complete")
            done = bench.run_again("--only", "middle")
            self.says(done, 2, "an entry, sweep or group of the plan")

    def test_a_plan_lists_its_needs(self):
        """Ranks, GPUs, runs, frames and disk; a sweep can be chosen by its id."""
        sweep = {"name": "threads", "kind": "threads", "values": [1, 2]}
        with Bench([entry("one", repeats=3), entry("many", sweep=sweep)]) as bench:
            text = self.says(bench.run("--list", "--json"), 0)
            entries = {item["entry"]: item for item in json.loads(text)["entries"]}
            self.assertEqual(list(entries), ["one", "many-1", "many-2"])
            self.assertEqual((entries["one"]["ranks"], entries["one"]["repeats"]), (1, 3))
            self.assertGreater(entries["one"]["disk_gb"], 0)
            self.assertIn("0+3", bench.run("--list")[1])
            text = self.says(bench.run("--only", "many", "--list", "--json"), 0)
            self.assertEqual(len(json.loads(text)["entries"]), 2)

    def test_shipped_plans_are_listed(self):
        """Without a plan, --list prints all; other command lines refer to --list."""
        names = sorted(path.stem for path in (ROOT / "bench/plans").glob("*.json"))
        text = self.says(output_of([PROGRAMS / "spex-bench", "--list"]), 0)
        self.assertEqual([line.split()[0] for line in text.splitlines()], names)
        self.assertIn("ci                 bundles on the CPU", text)
        self.says(output_of([PROGRAMS / "spex-bench"]), 2, "plan: is missing", "--list")

    def test_only_the_programs_of_the_entries_must_exist(self):
        """A CPU entry needs no spex-gpu, and neither does a GPU entry on a machine without GPUs."""
        gpu = {"id": "gpu", "case": "small", "milestone": "pipeline", "gpus": 64, "mps": True}
        gpu["options"] = OPTIONS
        with Bench([entry("one"), gpu]) as bench:
            for name in ("spex-gpu", "mps-wrapper"):
                (bench.folder / name).unlink()
            self.says(bench.run("--only", "one"), 0)
            self.assertNotIn("spex-gpu", bench.result("one")["programs"])
            self.says(bench.run("--only", "gpu"), 77)
            (bench.folder / "spex-cpu").unlink()
            self.says(bench.run("--only", "one"), 1, "spex-cpu: is missing")

    def test_wrong_command_lines_are_one_line(self):
        """Status 2 and what was expected."""
        with Bench([entry("one")]) as bench:
            for options in (
                ["--only", "two"],
                ["--nodes", "7"],
                ["--launcher", "rsh"],
                ["--system", "two\nlines"],
                ["--data", f"{bench.folder}/my data"],
                ["--references", f"{bench.folder}/#1"],
                ["--system", "\x1b[2J"],
                ["--system", "x" * 101],
            ):
                text = self.says(bench.run(*options), 2)
                self.assertEqual(text.strip().count("\n"), 0, text)
            bench.plan = {}
            self.assertEqual(bench.run()[0], 2)
