"""Long runs of spex-bench: exposures without a pause, each frame looked at and removed."""

import json
import shutil
import sys
import unittest
from functools import reduce
from operator import getitem

from archives import Files, listed, read, sealed, spex_bench, write
from bench_runs import Bench

# Ten fibers, eight patches: a few hundredths of a second. Three exposures of ten frames in turn.
OPTIONS = ["--wavelength", "5760,5895.2,0.8", "--bundlesize", "5", "--nspec", "10"]
OPTIONS += ["--nsubbundles", "1", "--method", "cholesky"]
CASE = {"cameras": "r0,r1,r2,r3,r4,r5,r6,r7,r8,r9", "size": "tiny", "seeds": 3}

SYSTEM = ("--system", "here")

# Runs the real extractor, and in the run that is timed does one thing wrong.
EXTRACTOR = f"""#!{sys.executable}
import json, os, shutil, signal, subprocess, sys, time
from pathlib import Path

here = Path(__file__).resolve().parent
arguments = sys.argv[1:]
fault = os.environ.get("TEST_FAULT", "")


def extract(arguments):
    return subprocess.run([here / "real-spex-cpu", *arguments], check=False).returncode


if "--events" not in arguments or not fault:
    sys.exit(extract(arguments))
place = arguments.index("--list") + 1
log = Path(arguments[arguments.index("--events") + 1])
rows = [row.split() for row in Path(arguments[place]).read_text().splitlines()]
if len(rows) < 80:  # a warm-up
    sys.exit(extract(arguments))

# The first pass on a machine that gives it a fifth of the time, in which it does what it must.
if fault == "is slowed down":
    extractor = subprocess.Popen([here / "real-spex-cpu", *arguments])
    folder, seen = Path(rows[0][3]).parent, ""
    while extractor.poll() is None and seen < Path(rows[30][3]).name:
        extractor.send_signal(signal.SIGSTOP)
        time.sleep(0.032)
        extractor.send_signal(signal.SIGCONT)
        time.sleep(0.008)
        seen = max([seen, *(path.name for path in folder.glob("frame-*.fits"))])
    sys.exit(extractor.wait())

# Extracts under names that are not taken away, each input or each frame, and gives the frames
# afterwards.
def key_of(row):
    return row[3] if fault == "holds frames back" else row[1]


chosen = {{key_of(row): row for row in reversed(rows)}}
made = {{key: Path(row[3]).with_name(f".made-{{i}}.fits")
         for i, (key, row) in enumerate(reversed(chosen.items()))}}
listed = here / "list.txt"
listed.write_text("".join(f"{{' '.join(chosen[key][:3])}} {{made[key]}}\\n" for key in made))
arguments[place] = str(listed)
status = extract(arguments)
if status != 0:
    sys.exit(status)
run = json.loads(log.read_text())
frames = {{frame["output"]: frame for frame in run["frames"]}}
run["frames"] = []
for place, row in enumerate(rows):
    source = made[key_of(row)]
    run["frames"].append(frames[str(source)])
    partial = Path(row[3]).with_name(".partial")
    shutil.copyfile(source, partial)
    if fault == "another byte" and place == 46:
        with partial.open("r+b") as file:
            file.seek(2879)
            file.write(b"x")
    os.rename(partial, row[3])
for path in made.values():
    path.unlink()
run["events"][-1]["end"] = time.time() - run["origin_unix"]
log.write_text(json.dumps(run))
"""


class Night(unittest.TestCase):
    """One long run a test, over inputs that are simulated once."""

    @classmethod
    def setUpClass(cls):
        """A folder for all, and a night that several tests look at."""
        entry = {
            "id": "night",
            "case": "small",
            "milestone": "cpu-refactor",
            "ranks": 1,
            "threads": 1,
            "options": OPTIONS,
        }
        cls.bench = Bench([entry], EXTRACTOR, tier="night", warmups=1, cases={"small": CASE})
        cls.plan_night({"frames": 80})
        cls.said = cls.bench.run_steadily("night", *SYSTEM)
        shutil.copytree(cls.bench.folder / "out", cls.bench.folder / "measured")

    def take_up(self) -> None:
        """The night that was measured, as if it had just been."""
        self.plan_night({"frames": 80})
        shutil.rmtree(self.bench.folder / "out", ignore_errors=True)
        shutil.copytree(self.bench.folder / "measured", self.bench.folder / "out")

    @classmethod
    def tearDownClass(cls):
        """Removes it."""
        cls.bench.__exit__()

    def run_night(self, sustain: dict, *options: str, fault: str = "", **plan) -> tuple[int, str]:
        """Status and output of a run of the plan with a long run as is asked."""
        self.plan_night(sustain, **plan)
        return self.bench.run(*options, TEST_FAULT=fault)

    @classmethod
    def plan_night(cls, sustain: dict, **plan) -> None:
        """A plan with a long run as is asked."""
        changed = cls.bench.plan | plan
        changed["entries"] = [cls.bench.plan["entries"][0] | {"sustain": sustain}]
        (cls.bench.folder / "plan.json").write_text(json.dumps(changed))

    def test_a_night_is_packed_with_its_series_and_held_to_it(self):
        """How the machine was over the run: of that run, as long as it, and not made up in part."""
        self.take_up()
        archive = self.bench.folder / "night.tar.gz"
        status, text = spex_bench(
            self.bench, "submit", self.bench.folder / "out", "--archive", archive
        )
        self.assertEqual(status, 6, text)
        self.assertIn("\nconsistent\ncomplete\n", text)
        files = read(archive)
        name = "results/night.series.json"
        self.assertIn(name, files)

        def twice_as_fast(data: dict) -> None:
            """The speed, and all that follows from it; not the seconds and frames."""
            one = data["timing"]["samples"][1]["sustained"]
            one["fpnh"] *= 2
            stated = data["sustained"]
            hours = 1000 / one["fpnh"]
            stated["fpnh"].update(median=one["fpnh"], samples=[one["fpnh"]])
            stated["night"].update(seconds=3600 * hours, node_hours=hours)

        def check(changed: Files) -> tuple[int, str]:
            write(archive, changed)
            return spex_bench(self.bench, "check", archive)

        status, text = check(listed({n: d for n, d in files.items() if n != name}))
        self.assertEqual(status, 1, text)
        self.assertIn(f"{name} is missing", text)
        for reason, edit in (
            ("schema is", lambda d: d["schema"].update(major=2)),
            ("run_id is", lambda d: d.update(run_id="of another day")),
            ("entry is", lambda d: d.update(entry="noon")),
            ("run is 0 (expected 1)", lambda d: d.update(run=0)),
            ("ends at", lambda d: d.update(seconds=[s / 10 for s in d["seconds"]])),
            ("seconds do not go on", lambda d: d["seconds"].reverse()),
            ("frames do not go on to at most 80", lambda d: d["frames"].append(81)),
            ("cpu_busy has", lambda d: d["cpu_busy"].pop()),
            ("power_w has", lambda d: d["node"]["power_w"].pop()),
            ("node", lambda d: d.pop("node")),
            ("is not what was written", lambda d: d.update(cpu_mhz=[1.0] * len(d["cpu_mhz"]))),
        ):
            with self.subTest(reason):
                status, text = check(sealed(files, name, edit))
                self.assertEqual(status, 3, text)
                self.assertIn(f"{name}: ", text)
                self.assertIn(reason, text)
        parts = ("timing", "samples", 1, "sustained", "blocks", 0)
        for reason, edit in (
            ("sustained FPNH is", twice_as_fast),
            ("its parts are not those of", lambda d: reduce(getitem, parts, d).update(seconds=9)),
        ):
            with self.subTest(reason):
                status, text = check(sealed(files, "results/night.json", edit))
                self.assertEqual(status, 3, text)
                self.assertIn(f"results/night.json: run 1: {reason}", text)

    def test_a_night_is_measured(self):
        """By a number of frames, all of them validated, none of them kept."""
        self.take_up()
        text = self.said
        result = self.bench.result("night")
        sample = result["timing"]["samples"][1]
        steady = sample["sustained"]
        self.assertEqual((steady["frames"], steady["inputs"]), (80, 30))
        self.assertEqual((steady["first"], steady["last"]), (8, 72))
        self.assertEqual(sum(block["frames"] for block in steady["blocks"]), 64)
        self.assertAlmostEqual(steady["fpnh"], 3600 * 64 / steady["seconds"])
        self.assertGreater(steady["drift_per_hour"]["coverage"], 0.95)
        self.assertEqual(steady["first_pass"]["frames"], 30)
        self.assertEqual(steady["first_pass"]["later_frames"], 42)
        night = result["sustained"]["night"]
        self.assertAlmostEqual(night["node_hours"], 1000 / steady["fpnh"])
        # Frames of two bundles are no frames.
        self.assertIn("sustained: parts of frames an hour:", text)
        self.assertNotIn("a night of 1000 frames", text)
        # Each input was compared in full once, and each frame had its bytes.
        frames = result["validation"]["frames"]
        self.assertEqual(sum(len(frame["outputs"]) for frame in frames), 10 + 30)
        self.assertTrue(all(frame["expected_from"] for frame in frames))
        self.assertEqual(result["fom"]["frames_valid"], 80)
        self.assertFalse(list((self.bench.folder / "data/outputs").rglob("*.fits")))
        self.assertGreater(sample["cpu_s"], 0)
        self.assertFalse(result["fom"]["published"])
        series = json.loads((self.bench.folder / "out/night.series.json").read_text())
        looks = len(series["seconds"])
        for key in ("frames", "cpu_busy", "cpu_mhz"):
            self.assertEqual(len(series[key]), looks)
        # The last look may come before the last frames are found.
        self.assertEqual(series["frames"], sorted(series["frames"]))
        self.assertLessEqual(series["frames"][-1], 80)
        self.assertTrue(all(0 <= busy <= 1 for busy in series["cpu_busy"] if busy is not None))
        # What is complete is not run again.
        status, text = self.bench.run("--resume", *SYSTEM)
        self.assertEqual(status, 0, text)
        self.assertEqual(self.bench.result("night")["timing"], result["timing"])

    def test_a_night_lasts_as_long_as_is_asked(self):
        """By the rate of the warm-ups: how long it then takes is the machine's."""
        self.run_night({"seconds": 1800}, "--duration", "1", "--warmups", "2")
        result = self.bench.result("night")
        self.assertEqual(result["sustained"]["asked_s"], 1)
        samples = result["timing"]["samples"]
        self.assertEqual([s["warmup"] for s in samples], [True, True, False])
        frames = [s["sustained"]["frames"] for s in samples]
        # Frames a second that are expected next; the whole run's and a quarter at most.
        rates = [
            s["sustained"]["fpnh"] / 3600 * min(1, 1.25 / s["sustained"]["gain"]) for s in samples
        ]

        def asked_for(some: int, wanted: float, least: int) -> None:
            """Whole exposures of ten frames, as few as are enough."""
            self.assertEqual(some % 10, 0)
            self.assertGreaterEqual(some * (1 + 1e-9), max(wanted, least))
            self.assertLess((some - 10) * (1 - 1e-9), max(wanted, least))

        # An exposure; a fifth of the time; the time and a tenth, with an exposure at either end,
        # and each input once.
        self.assertEqual(frames[0], 10)
        asked_for(frames[1], rates[0] / 5, 4)
        asked_for(frames[2], rates[1] * 1.1 + 2 * 30, 30)
        self.assertEqual(result["fom"]["frames_asked"], frames[2])
        self.assertIn("it lasted", " ".join(result["fom"]["not_published_because"]))
        # It may be handed in as what it is.
        archive = self.bench.folder / "short.tar.gz"
        _, text = spex_bench(self.bench, "submit", self.bench.folder / "out", "--archive", archive)
        self.assertIn("\nconsistent\ncomplete\n", text)
        # What was as long as was asked for is not taken for a longer one.
        status, text = self.bench.run("--resume", "--duration", "4", "--warmups", "2")
        self.assertEqual(status, 1, text)
        self.assertIn("was begun as a run of another length", text)

    def test_a_night_is_held_to_a_sustained_speed(self):
        """A lower bound; of long runs alone, and as long as the plan says."""
        thresholds = self.bench.folder / "thresholds.json"

        def asks(**limits: float) -> None:
            thresholds.write_text(json.dumps({"systems": {"here": {"test": {"night": limits}}}}))

        # What is complete is judged anew, and not run again.
        options = (*SYSTEM, "--thresholds", str(thresholds))
        self.take_up()
        asks(fpnh_sustained=1)
        status, text = self.bench.run("--resume", *options)
        self.assertEqual(status, 0, text)
        self.assertEqual(self.bench.result("night")["verdict"]["performance"], "pass", text)
        asks(fpnh_sustained=1e9)
        status, text = self.bench.run("--resume", *options)
        self.assertEqual(status, 4, text)
        verdict = self.bench.result("night")["verdict"]
        self.assertEqual(verdict["overall"], "slow")
        self.assertEqual(verdict["threshold"]["fpnh_sustained"], 1e9)
        self.assertIn("sustained FPNH", verdict["reasons"][-1])
        for sustain, more in (({"seconds": 1800}, ("--duration", "3")),):
            status, text = self.run_night(sustain, *options, *more)
            self.assertEqual(status, 2, text)
            self.assertIn("with a threshold of sustained FPNH (expected the 1800 s", text)

    def test_frames_that_were_not_extracted_in_their_turn_show(self):
        """Answers that are kept, frames that are held back, and one of other bytes."""
        for fault, words in (
            ("keeps answers", "times as fast"),
            ("holds frames back", "they were held back"),
            ("another byte", "has other bytes than the first of the same input"),
        ):
            with self.subTest(fault):
                status, text = self.run_night({"frames": 80}, fault=fault)
                self.assertEqual(status, 3, text)
                self.assertIn(words, text)
                self.assertIsNone(self.bench.result("night")["sustained"]["fpnh"])

    def test_a_machine_that_changes_its_speed_is_no_fault_of_the_frames(self):
        """Slow at first, as by its temperature: right, with its drift, as the work shows."""
        status, text = self.run_night({"frames": 80}, fault="is slowed down")
        self.assertEqual(status, 0, text)
        self.assertIn("sustained: ", text)
        sustained = self.bench.result("night")["timing"]["samples"][1]["sustained"]
        self.assertGreater(sustained["first_pass"]["gain"], 2)
        self.assertGreater(sustained["machine_speed"]["later"], 1.5)
        self.assertGreater(sustained["drift_per_hour"]["median"], 0)

    def test_wrong_plans_are_one_line(self):
        """Status 2."""
        for sustain, words in (
            ({}, "has not one of 'seconds' and 'frames'"),
            ({"seconds": 1, "frames": 80}, "has not one of 'seconds' and 'frames'"),
            ({"seconds": 0}, "'seconds' is 0"),
            ({"frames": 29}, "expected 30 or more"),
            ({"hours": 8}, "'hours' is unknown"),
        ):
            status, text = self.run_night(sustain)
            self.assertEqual(status, 2, text)
            self.assertIn(words, text)
        self.assertEqual(self.run_night({"frames": 80}, "--duration", "4")[0], 2)
        status, text = self.run_night({"frames": 80}, tier="acceptance", repeats=5)
        self.assertEqual(status, 2, text)
        self.assertIn("has 'sustain' (expected one in the tier night", text)


if __name__ == "__main__":
    unittest.main()
