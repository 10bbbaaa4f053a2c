"""Tests of reading: results, trees of results, run logs, checks, kernels, thresholds."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from samples import DATA, RESULTS, ROOT, committed, data, faster, result, run
from spexreports.errors import DataError, UsageError
from spexreports.results.checks import read_checks, read_kernel_times
from spexreports.results.compare import ratio
from spexreports.results.keep import drop_unread, keep, keep_worst_checks
from spexreports.results.micro import read_bundles, read_kernels
from spexreports.results.read import find, newest, read_results
from spexreports.results.result import CLOCKS, KERNELS, STAGES
from spexreports.results.run_log import WALL, read_events, wall_parts
from spexreports.results.sources import check_commit, full_name, hash_of_commit
from spexreports.results.thresholds import thresholds_text
from spexreports.results.work import PRODUCTION, SCRIPT, ladder_results, settings, standard


class Scratch(unittest.TestCase):
    """A folder for files that a test writes."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)

    def write(self, name: str, content: object) -> Path:
        file = self.path / name
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file


class Reading(Scratch):
    def test_statistics_are_those_of_spex_bench(self):
        found, derived = result("pipeline"), data("pipeline")["derived"]["fom"]
        self.assertEqual(found.effective.fpnh.value, derived["effective"]["fpnh"]["median"])
        self.assertEqual(found.extraction.seconds.low, derived["extraction"]["seconds"]["low"])
        edited = data("pipeline")
        edited["derived"]["fom"]["effective"]["fpnh"]["median"] = 1.0
        self.assertEqual(result("pipeline", edited).effective.fpnh.value, 1.0)

    def test_seconds_of_stages_are_medians_a_frame(self):
        found = result("pipeline")
        sums = sorted(s["phases"]["solve"]["sum"] for s in found.timed)
        self.assertEqual(found.stage_seconds["solve"], sums[len(sums) // 2] / 30)
        self.assertEqual(len(found.timed), 5)

    def test_stages_are_those_of_the_programs(self):
        source = (ROOT / "reference/core/stage_times.cpp").read_text()
        names = re.findall(r'case Stage::\w+:\s+return "([a-z-]+)"', source)
        self.assertEqual(list(STAGES), ["start", *names])

    def test_what_is_no_result(self):
        old = data("pipeline")
        old["schema"] = {"name": "spexbench-result", "major": 1, "minor": 9}
        short = data("pipeline")
        del short["derived"]["fom"]
        for name, content, reason in (
            ("old", old, "was expected (a result of spex-bench"),
            ("short", short, "'fom' is a required property"),
            ("text", "{ not JSON", "is not JSON"),
            ("list", "[]", "is not of type 'object'"),
        ):
            with self.subTest(name):
                status, _, err = run("bench", self.write(f"{name}.json", content), "--out", "x")
                self.assertEqual((status, err.count("\n")), (1, 1), err)
                self.assertIn(f"{name}.json: ", err)
                self.assertIn(reason, err)

    def test_folders_are_searched(self):
        found = committed()
        self.assertEqual(found.results, sorted(found.results, key=lambda r: r.start))
        self.assertGreater(len(found.kernels), 1)
        self.assertEqual(len(found.bundles), 1)
        self.write("other.json", {"a": 1})
        self.write("pipeline.json", data("pipeline"))
        self.assertEqual([r.entry for r in find([self.path, self.path]).results], ["pipeline"])
        # Files within a folder of results are not read.
        (self.path / "logs").mkdir()
        self.write("logs/plan.json", "// a plan may hold comments")
        self.assertEqual([r.entry for r in find([self.path]).results], ["pipeline"])
        (self.path / "logs/plan.json").unlink()
        (self.path / "pipeline.json").unlink()
        with self.assertRaisesRegex(DataError, "holds no results"):
            find([self.path])

    def test_newest_of_an_entry(self):
        later = data("pipeline")
        later["record"] |= {"run_id": "later", "start_utc": "2027-01-01T00:00:00Z"}
        found = newest([result("pipeline"), result("pipeline", later), result("night")])
        self.assertEqual([r.run_id == "later" for r in found], [True, False])

    def test_work(self):
        edited = data("pipeline")
        argv = edited["record"]["launch"]["argv"]
        self.assertEqual(settings(result("pipeline")), PRODUCTION)
        argv += ["--nwavestep", "30", "--wavepad-frac=0", "--pixpad-frac", "0"]
        self.assertEqual(settings(result("pipeline", edited)), SCRIPT)
        self.assertFalse(standard(result("pipeline", edited)))
        argv += ["--flux", "frame"]
        self.assertIn("flux frame", settings(result("pipeline", edited)))
        self.assertEqual(ladder_results([result("pipeline", edited), result("night")]), [])
        # An option that nobody thought of is no option of production.
        argv += ["--mask-bits", "all"]
        self.assertIn("mask-bits all", settings(result("pipeline", edited)))
        # Newer results state what differs from the defaults.
        edited["record"]["work"]["options"] = {"psferr": "0.5"}
        self.assertEqual(settings(result("pipeline", edited)), "psferr 0.5")
        self.assertFalse(standard(result("pipeline", edited)))
        edited["record"]["work"]["options"] = {}
        self.assertEqual(settings(result("pipeline", edited)), PRODUCTION)


class RunLogs(Scratch):
    def test_wall_time_is_taken_apart(self):
        found = result("pipeline")
        parts = wall_parts(found)
        self.assertEqual(list(parts), list(WALL))
        last = found.timed[-1]
        self.assertAlmostEqual(sum(parts.values()), last["effective_s"], delta=1e-6)
        self.assertEqual(parts["launch"], last["launch_s"])
        self.assertGreater(parts["compute"], parts["read"])

    def test_compute_hides_reading(self):
        edited = data("pipeline")
        last = edited["record"]["timing"]["samples"][-1]
        last |= {"launch_s": 1.0, "extraction_s": 10.0, "effective_s": 12.0}
        spans = [
            ("start", 0, 2),
            ("read", 0, 3),
            ("extract", 3, 7),
            ("read", 3, 8),
            ("write", 7, 9),
        ]
        events = [{"rank": 0, "frame": 0, "stage": s, "start": a, "end": b} for s, a, b in spans]
        self.write("pipeline.json", edited)
        self.write("pipeline.events.json", {"events": events})
        [found] = read_results([self.path])
        expected = {"launch": 1, "GPU start": 2, "read": 2, "compute": 4, "write": 1, "wait": 1}
        self.assertEqual(wall_parts(found), expected | {"exit": 1})
        (self.path / "pipeline.events.json").unlink()
        self.assertIsNone(wall_parts(found))

    def test_broken_logs(self):
        event = {"rank": 0, "frame": 0, "stage": "read", "start": 2.0, "end": 1.0}
        for content, reason in (
            ({"events": [event]}, "ends before it starts"),
            ({"events": [event | {"stage": "nap"}]}, "has the stage nap"),
            ({}, "is broken: 'events'"),
        ):
            with self.assertRaisesRegex(DataError, reason):
                read_events(self.write(f"{reason[:4]}.events.json", content))


class Keeping(Scratch):
    def test_a_tree_of_the_newest(self):
        first, second = self.path / "first", self.path / "second"
        later = faster(data("pipeline"), 2)
        later["record"]["start_utc"] = "2027-01-01T00:00:00Z"
        for folder, sample in ((first, data("pipeline")), (second, later)):
            folder.mkdir()
            (folder / "pipeline.json").write_text(json.dumps(sample, indent=1))
            (folder / "pipeline.events.json").write_text('{"events": []}')
        tree = self.path / "tree"
        [kept, log] = keep([first], tree, "a-system", events=True)[::-1][:2][::-1]
        self.assertEqual(kept, tree / "a-system/rungs-1gpu/pipeline.json")
        self.assertTrue(log.exists())
        text = kept.read_text()
        self.assertLess(len(text), 0.8 * (first / "pipeline.json").stat().st_size)
        expected = data("pipeline")
        expected["record"]["system"]["name"] = "a-system"
        warmup, *timed = expected["record"]["timing"]["samples"]
        warmup["phases"] = {}
        for sample in timed:
            sample["phases"] = {k: {"sum": v["sum"]} for k, v in sample["phases"].items()}
        for frame in expected["record"]["validation"]["frames"]:
            frame["truth"] = None
            frame["checks"] = [check for check in frame["checks"] if check["largest"] > 0]
        self.assertEqual(json.loads(text), expected)
        self.assertEqual(run("keep", second, "--into", tree, "--system", "a-system")[0], 0)
        self.assertEqual(json.loads(kept.read_text())["derived"], later["derived"])
        self.assertFalse(log.exists())
        self.assertEqual(sorted(p.name for p in tree.rglob("*.*")), ["pipeline.json"])

    def test_the_worst_of_each_check(self):
        result = data("pipeline")
        frames = result["record"]["validation"]["frames"][:2]
        check = {"hdu": "FLUX", "what": "pull", "limit": 1.0, "compared": 9, "bad": 0}
        frames[0]["checks"] = [check | {"largest": 0.25}, check | {"hdu": "IVAR", "largest": 0.5}]
        equal = check | {"what": "rows that differ", "limit": 0.0, "largest": 0.0}
        frames[1]["checks"] = [check | {"largest": 0.75}, equal]
        keep_worst_checks(result)
        self.assertEqual([c["largest"] for c in frames[0]["checks"]], [0.75, 0.5])
        self.assertEqual(frames[1]["checks"], [])
        frames[1]["checks"] = [check | {"largest": 2.0, "bad": 1}]
        keep_worst_checks(result)
        self.assertEqual(len(frames[1]["checks"]), 1)

    def test_the_errors_of_a_wrong_frame_stay(self):
        record = data("pipeline")["record"]
        right, wrong = record["validation"]["frames"][:2]
        wrong["failure"] = "pulls are too large"
        truth = wrong["truth"]
        drop_unread(record)
        self.assertIsNone(right["truth"])
        self.assertEqual(wrong["truth"], truth)
        self.assertIsNotNone(truth)

    def test_names_that_leave_the_tree(self):
        for name in ("../out", "", "a b", ".hidden"):
            edited = data("pipeline")
            edited["record"]["system"]["name"] = name
            self.write("pipeline.json", edited)
            with self.assertRaisesRegex(UsageError, "cannot name a file"):
                keep([self.path], self.path / "tree", None, events=False)
        self.assertFalse((self.path / "tree").exists())

    def test_sources_of_another_commit(self):
        """The hash of the sources decides."""
        head = full_name("HEAD")
        if not head or not hash_of_commit(head):
            self.skipTest("these sources are no checkout of git")
        edited, tree = data("pipeline"), self.path / "tree"
        edited["record"]["build"] |= {"commit": head, "sources_sha256": "0" * 64}
        self.write("pipeline.json", edited)
        with self.assertRaisesRegex(DataError, f"not those of commit {head[:10]}"):
            keep([self.path], tree, "a-system", events=False)
        for commit in (head, "no-commit"):
            with self.assertRaisesRegex(DataError, f"was not built from commit {commit}"):
                keep([self.path], tree, "a-system", events=False, commit=commit)
        self.assertFalse(tree.exists())
        edited["record"]["build"] |= {"commit": "0" * 40, "sources_sha256": hash_of_commit(head)}
        self.write("pipeline.json", edited)
        [kept] = keep([self.path], tree, "a-system", events=False, commit=head[:12])
        self.assertEqual(json.loads(kept.read_text())["record"]["build"]["commit"], head)


class Committed(unittest.TestCase):
    """The folder reports/results."""

    def test_layout(self):
        found = committed().results
        for r in found:
            self.assertEqual(r.file, RESULTS / r.system / r.plan / f"{r.entry}.json")
        self.assertLessEqual(len({r.system for r in found}), 5)
        self.assertEqual({r.overall for r in found}, {"pass"})

    def test_size(self):
        self.assertLess(sum(f.stat().st_size for f in RESULTS.rglob("*") if f.is_file()), 3_000_000)

    def test_all_are_of_clean_commits(self):
        self.assertFalse(any(r.json["build"]["dirty"] for r in committed().results))

    def test_sources_are_those_of_the_commits(self):
        results = [r for r in committed().results if r.json["build"]["sources_sha256"]]
        if not all(hash_of_commit(r.json["build"]["commit"]) for r in results):
            self.skipTest("git lacks a commit of the results (expected a full clone)")
        for r in results:
            check_commit(r.file, r.json["build"])


class Comparing(Scratch):
    def test_intervals(self):
        """Exact if one run is a multiple of the other; four samples each cover 97%."""
        bottom = (1.0, 1.1, 1.2, 1.3)
        found = ratio(tuple(2 * x for x in bottom), bottom)
        self.assertAlmostEqual(found.value, 2)
        self.assertLess(found.low, 2)
        self.assertGreater(found.high, 2)
        self.assertAlmostEqual(found.coverage, 1 - 2 / 70)
        self.assertEqual(ratio((1.0,), (2.0,)).coverage, 0)

    def test_words(self):
        answers = ((1, "SAME", 0), (2, "FASTER", 0), (0.5, "SLOWER", 4), (1.03, "UNDECIDED", 6))
        for factor, word, expected in answers:
            steady = data("pipeline")
            other = faster(steady, factor)
            for sample in (steady, other):
                for clock in CLOCKS:
                    seconds = sample["derived"]["fom"][clock]["seconds"]
                    middle = seconds["median"]
                    seconds["samples"] = [middle * (1 + 0.005 * k) for k in (-2, -1, 0, 1, 2)]
            a, b = self.write("a.json", steady), self.write("b.json", other)
            status, out, _ = run("compare", a, b)
            self.assertEqual((status, out.count("\n")), (expected, 3))
            self.assertIn("speed B / A", out)
            self.assertEqual(out.count(word), 2, out)
            # Where other programs took the CPUs, nothing is decided.
            one = other["record"]["timing"]["samples"][-1]
            one["other_cpu_s"] = 0.51 * one["effective_s"] * other["record"]["system"]["cpus"]
            status, out, _ = run("compare", a, self.write("busy.json", other))
            self.assertEqual(status, 6)
            self.assertEqual(
                out.count("UNDECIDED: other processes took 51% of the CPU time in B"), 2
            )

    def test_what_cannot_be_compared(self):
        a, b = self.write("a.json", data("pipeline")), self.write("b.json", data("night"))
        status, _, err = run("compare", a, b)
        self.assertEqual((status, err.count("\n")), (1, 1))
        self.assertIn("other work", err)
        self.assertEqual(run("compare", a, a, "--margin", "2")[0], 2)
        status, out, _ = run("compare", DATA, DATA)
        self.assertIn(status, (0, 6))
        self.assertEqual(out.count("SAME") + out.count("UNDECIDED"), 6, out)

    def test_all_committed_results_can_be_compared(self):
        """Each with itself, by one call a plan."""
        for folder in {r.file.parent for r in committed().results}:
            status, out, err = run("compare", folder, folder)
            self.assertIn((status, err), ((0, ""), (6, "")), folder)
            self.assertNotIn("FASTER", out)


class Others(Scratch):
    def test_gpu_checks(self):
        found = read_checks(committed().checks)
        for check in found:
            self.assertTrue(check.kernels)
            for row in check.kernels:
                self.assertAlmostEqual(sum(row["stages"].values()), row["seconds"], delta=0.001)
        check = {"step": "golden", "check": "golden.tiny-b.direct", "ok": True, "detail": ""}
        system = {"build": ["spex-gpu 0.1.0, commit 0123456789"], "utc": "2026-11-23T20:26:46Z"}
        stages = {"spots": 0.01, "solve": 0.02}
        made = {"system": system | {"gpus": ["name", "NVIDIA H200, x"]}, "checks": [check]}
        made["kernels"] = [{"what": "direct (b, r, z)", "seconds": 0.03, "stages": stages}]
        [found] = read_checks([self.write("a.json", made)])
        self.assertEqual(
            (found.commit, found.gpus, found.failed), ("0123456", ("NVIDIA H200",), ())
        )
        self.assertEqual(found.kernels[0]["stages"], stages)
        made["checks"] = [check | {"ok": False}]
        [found] = read_checks([self.write("b.json", made)])
        self.assertEqual(found.failed, ("golden.tiny-b.direct",))
        for broken in (made | {"checks": [1]}, made | {"kernels": [1]}, {"checks": []}):
            with self.assertRaisesRegex(DataError, "c.json: is broken"):
                read_checks([self.write("c.json", broken)])

    def test_kernel_times(self):
        found, *_ = read_kernel_times(committed().checks)
        self.assertGreater(dict(found.kernels)["spots_kernel"]["b"], 0)
        # A file of ci/gpu-check has kernel times if there was a profiler.
        times = {"commit": "0123456", "gpu": "H200", "date": "2026-11-24", "milestone": "direct"}
        times["kernels"] = [{"kernel": "x", "b": 1, "r": 2, "z": 3}]
        with_times = self.write("b.json", {"checks": [], "kernels": [], "kernel_times": times})
        without = self.write("c.json", {"checks": [], "kernels": [], "kernel_times": None})
        [found] = read_kernel_times([with_times, without])
        self.assertEqual(found.kernels, (("x", {"b": 1.0, "r": 2.0, "z": 3.0}),))
        with self.assertRaisesRegex(DataError, "is broken"):
            read_kernel_times([self.write("a.json", {"kernels": [{"kernel": "x"}]})])

    def test_micro_benchmarks(self):
        rows = [
            {"name": "eigh/single/350/manual_time", "real_time": 2.0, "cpu_time": 3.0},
            {"name": "eigh/xsyev/350/47/manual_time", "real_time": 47.0, "cpu_time": 50.0},
        ]
        rows = [row | {"time_unit": "ms", "run_type": "iteration"} for row in rows]
        file = self.write("a.json", {"context": {"gpu": "NVIDIA H200"}, "benchmarks": rows})
        found = read_kernels([file])
        self.assertEqual([k.parts[1:] for k in found], [("single", [350]), ("xsyev", [350, 47])])
        self.assertAlmostEqual(found[1].each, 1e-3)
        for broken in ("{}", "text", json.dumps({"context": {}, "benchmarks": [{"name": "a"}]})):
            file = self.write("b.json", broken)
            status, _, err = run("bench", DATA, "--micro", file, "--out", self.path / "out")
            self.assertEqual((status, err.count("\n")), (1, 1), err)
            self.assertIn("b.json", err)

    def test_bundles(self):
        found = read_bundles(committed().bundles)
        self.assertEqual({b.method for b in found}, {"eigh", "cholesky"})
        for b in found:
            self.assertLess(sum(b.stages[s] for s in KERNELS), b.seconds)


class Thresholds(Scratch):
    def test_those_that_are_shipped(self):
        text = (ROOT / "bench/thresholds.json").read_text()
        self.assertEqual(text, thresholds_text(committed().results), "make it anew: see its head")
        systems = json.loads("".join(line for line in text.splitlines() if line[:2] != "//"))
        self.assertIn("plain-30", systems["systems"]["h200"]["files-1gpu"])

    def test_command(self):
        made = self.path / "made.json"
        self.assertEqual(run("thresholds", DATA, "--out", made)[0], 0)
        found = json.loads("".join(x for x in made.read_text().splitlines() if x[:2] != "//"))
        asked = found["systems"]["h200"]["rungs-1gpu"]["pipeline"]
        self.assertEqual(asked, {"fpnh_effective": 54140.0, "fpnh_extraction": 70840.0})
        self.assertIn("its seeds are the plan's", made.read_text())
        made.write_text("someone's")
        status, _, err = run("thresholds", DATA, "--out", made)
        self.assertEqual(status, 2)
        self.assertIn("is not a thresholds file", err)
        self.assertEqual(made.read_text(), "someone's")
        few = faster(data("pipeline"), 1)
        for clock in ("effective", "extraction"):
            few["derived"]["fom"][clock]["fpnh"]["coverage"] = 0.75
        file = self.write("few.json", few)
        self.assertIn("no result has", run("thresholds", file, "--out", self.path / "no")[2])


if __name__ == "__main__":
    unittest.main()
