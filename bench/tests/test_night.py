"""Long runs of spex-bench: exposures without a pause; each frame is inspected and removed."""

import json
import shutil
import sys

from bench_runs import Bench, BenchTest, entry

# Ten fibers, eight patches: a few hundredths of a second. Three alternating exposures of ten
# frames.
OPTIONS = ["--wavelength", "5760,5895.2,0.8", "--bundlesize", "5", "--nspec", "10"]
OPTIONS += ["--nsubbundles", "1", "--method", "cholesky"]
CASE = {"cameras": "r0,r1,r2,r3,r4,r5,r6,r7,r8,r9", "size": "tiny", "seeds": 3}
ENTRY = entry("night", options=OPTIONS)

SYSTEM = ("--system", "here")

# Runs the real extractor. TEST_FAULT changes what it does:
#   another byte  a byte of one frame of the timed run differs
#   ends early    the timed run fails after half of its frames
#   stuck         the timed run makes half of its frames, and is interrupted
#   ever faster   each longer run is faster: frames appear every 0.1 s, 0.014 s, and 0.001 s
EXTRACTOR = f"""#!{sys.executable}
import os, signal, subprocess, sys, time
from pathlib import Path

here = Path(__file__).resolve().parent
arguments = sys.argv[1:]


def extract():
    return subprocess.run([here / "real-spex-cpu", *arguments], check=False).returncode


if "--events" not in arguments or not os.environ.get("TEST_FAULT"):
    sys.exit(extract())
place = arguments.index("--list") + 1
listed = Path(arguments[place]).read_text()
rows = listed.splitlines()
if os.environ["TEST_FAULT"] == "ever faster":
    # Extracts to names that spex-bench ignores, and then renames the frames one by one.
    frames = [Path(row.split()[3]) for row in rows]
    hidden = [frame.with_name("." + frame.name) for frame in frames]
    for frame, other in zip(frames, hidden):
        listed = listed.replace(str(frame), str(other))
    arguments[place] = str(here / "list.txt")
    Path(arguments[place]).write_text(listed)
    status = extract()
    for frame, other in zip(frames, hidden):
        time.sleep(0.1 if len(rows) == 10 else 0.014 if len(rows) == 90 else 0.001)
        other.rename(frame)
    sys.exit(status)
if len(rows) < 80:  # a warm-up
    sys.exit(extract())
if os.environ["TEST_FAULT"] in ("ends early", "stuck"):
    half = rows[: len(rows) // 2]
    arguments[place] = str(here / "list.txt")
    Path(arguments[place]).write_text("\\n".join(half) + "\\n")
    if os.environ["TEST_FAULT"] == "stuck":
        time.sleep(5)  # progress is logged after 5 s
    extract()
    if os.environ["TEST_FAULT"] == "ends early":
        sys.exit(9)
    while any(Path(row.split()[3]).exists() for row in half):  # spex-bench has not seen all
        time.sleep(0.01)
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(1000)

# Extracts one frame to a name that spex-bench ignores, changes it, and then renames it.
frame = Path(rows[46].split()[3])
made = frame.with_name(".made.fits")
arguments[place] = str(here / "list.txt")
Path(arguments[place]).write_text(listed.replace(str(frame), str(made)))
status = extract()
with made.open("r+b") as file:
    file.seek(2879)
    file.write(b"x")
made.rename(frame)
sys.exit(status)
"""


class Night(BenchTest):
    """One long run per test, over inputs that are simulated once."""

    @classmethod
    def setUpClass(cls):
        """One folder, and a night that several tests use."""
        cls.bench = Bench([ENTRY], EXTRACTOR, warmups=1, cases={"small": CASE})
        cls.plan_night({"frames": 80})
        status, cls.said = cls.bench.run("--seeds", "plan", *SYSTEM)
        assert status == 0, cls.said
        shutil.copytree(cls.bench.folder / "out", cls.bench.folder / "measured")

    def restore_night(self) -> None:
        """Restores the plan and the results of the measured night."""
        self.plan_night({"frames": 80})
        shutil.rmtree(self.bench.folder / "out", ignore_errors=True)
        shutil.copytree(self.bench.folder / "measured", self.bench.folder / "out")

    @classmethod
    def tearDownClass(cls):
        """Removes the folder."""
        cls.bench.__exit__()

    def run_night(self, sustain: dict, *options: str, fault: str = "", **plan) -> tuple[int, str]:
        """Status and output of a plan with such a long run."""
        self.plan_night(sustain, **plan)
        return self.bench.run("--seeds", "plan", *options, TEST_FAULT=fault)

    @classmethod
    def plan_night(cls, sustain: dict, **plan) -> None:
        """Makes a plan with such a long run."""
        entries = [ENTRY | {"sustain": sustain}]
        cls.bench.plan |= {"tier": "night", "repeats": 1, "entries": entries} | plan

    def test_a_night_is_measured(self):
        """With a number of frames: all are validated, none is kept."""
        self.restore_night()
        text = self.said
        result = self.bench.result("night")
        sample = result["timing"]["samples"][1]
        steady = sample["sustained"]
        self.assertEqual((steady["frames"], steady["inputs"]), (80, 30))
        self.assertEqual((steady["soak"]["first"], steady["soak"]["last"]), (8, 72))
        self.assertEqual((steady["distinct"]["first"], steady["distinct"]["last"]), (3, 27))
        self.assertEqual(sum(block["frames"] for block in steady["soak"]["blocks"]), 64)
        # The speed is that over distinct inputs.
        fpnh = result["sustained"]["fpnh"]["median"]
        self.assertAlmostEqual(fpnh, 3600 * 24 / steady["distinct"]["seconds"])
        self.assertGreater(result["sustained"]["drift_per_hour"]["coverage"], 0.95)
        self.assertAlmostEqual(result["sustained"]["night"]["node_hours"], 1000 / fpnh)
        # Frames of two bundles have no FPNH.
        self.assertIn("sustained: parts of frames per hour:", text)
        self.assertNotIn("a night of 1000 frames", text)
        # Each input was compared once, and every frame had the bytes of its input's first.
        frames = result["validation"]["frames"]
        self.assertEqual(sum(frame["compared"] for frame in frames), 10 + 30)
        self.assertTrue(all(frame["reference"] for frame in frames))
        self.assertEqual(result["fom"]["frames_valid"], 80)
        self.assertFalse(list((self.bench.folder / "data/outputs").rglob("*.fits")))
        self.assertGreater(sample["cpu_s"], 0)
        self.assertFalse(result["fom"]["complete"])
        series = json.loads((self.bench.folder / "out/night.series.json").read_text())
        nsamples = len(series["seconds"])
        for key in ("frames", "cpu_busy", "cpu_mhz"):
            self.assertEqual(len(series[key]), nsamples)
        # The last sample may come before the last frames are found.
        self.assertEqual(series["frames"], sorted(series["frames"]))
        self.assertLessEqual(series["frames"][-1], 80)
        self.assertTrue(all(0 <= busy <= 1 for busy in series["cpu_busy"] if busy is not None))
        # A complete result is not run again.
        self.says(self.bench.run("--resume", "--seeds", "plan", *SYSTEM), 0)
        self.assertEqual(self.bench.result("night")["timing"], result["timing"])

    def test_a_night_has_the_requested_duration(self):
        """The warm-ups' rate gives the number of frames; its time depends on the machine."""
        self.run_night({"seconds": 1800}, "--duration", "1", "--warmups", "2")
        result = self.bench.result("night")
        self.assertEqual(result["sustained"]["asked_s"], 1)
        samples = result["timing"]["samples"]
        self.assertEqual([s["warmup"] for s in samples], [True, True, False])
        frames = [s["sustained"]["frames"] for s in samples]
        # Expected frames per second of the next run, at most twice the mean rate.
        rates = []
        for sample in samples:
            soak = sample["sustained"]["soak"]
            rate = (soak["last"] - soak["first"]) / soak["seconds"]
            rates.append(min(rate, 2 * sample["sustained"]["frames"] / sample["extraction_s"]))

        def check_frames(frames: int, wanted: float, minimum: int) -> None:
            """The smallest sufficient number of whole exposures of ten frames."""
            self.assertEqual(frames % 10, 0)
            self.assertGreaterEqual(frames * (1 + 1e-9), max(wanted, minimum))
            self.assertLess((frames - 10) * (1 - 1e-9), max(wanted, minimum))

        # An exposure; a fifth of the duration; 1.2 times the duration with an exposure at each end,
        # and at least each input once.
        self.assertEqual(frames[0], 10)
        check_frames(frames[1], rates[0] / 5, 4)
        wanted = rates[1] * 1.2 + 2 * 30
        if result["timing"]["dropped"]:  # faster than the warm-up: repeated with more frames
            self.assertGreater(frames[2], wanted)
        else:
            check_frames(frames[2], wanted, 30)
        self.assertEqual(result["fom"]["frames_asked"], frames[2])
        self.assertIn("it lasted", " ".join(result["fom"]["incomplete_because"]))
        # A result of one duration is not resumed with another.
        options = ("--resume", "--seeds", "plan", "--duration", "4", "--warmups", "2")
        self.says(self.bench.run(*options), 1, "was begun with another work or length")

    def test_a_part_of_a_night_is_counted(self):
        """In the log meanwhile, and in the record of a run that was interrupted or failed."""
        self.says(self.run_night({"frames": 80}, fault="stuck"), 1, "night: 40/80 frames")
        [stuck] = self.bench.result("night")["timing"]["dropped"]
        self.assertEqual(stuck["reason"], "was interrupted; 40 of 80 frames were written")
        self.run_night({"frames": 80}, fault="ends early")
        failure = self.bench.result("night")["timing"]["samples"][1]["failure"]
        self.assertRegex(failure, "^exit status 9.*; 40 of 80 frames were written$")

    def test_a_night_that_is_too_short_is_repeated(self):
        """Once, with as many frames as its own rate needs, and by --resume."""
        duration = ("--duration", "2", "--warmups", "2")
        _, text = self.run_night({"seconds": 1800}, *duration, fault="ever faster")
        self.assertIn("the run is repeated with more frames", text)
        result = self.bench.result("night")
        timing = result["timing"]
        # Ten frames a second in the warm-ups give 2 s * 1.2 * 10 and two exposures of 30 frames.
        self.assertEqual([sample["index"] for sample in timing["samples"]], [0, 1, 2])
        self.assertGreater(timing["samples"][2]["sustained"]["frames"], 90)
        [short] = timing["dropped"]
        self.assertEqual(short["index"], 2)
        self.assertIn("s, not the 2 requested", short["reason"])
        self.assertIn(short["reason"], " ".join(result["unusual"]))
        # The repetition was too short, too.
        self.bench.run("--resume", "--seeds", "plan", *duration)
        again = self.bench.result("night")["timing"]
        self.assertEqual(again["dropped"][0], short)
        self.assertEqual(again["dropped"][1]["start_utc"], timing["samples"][2]["start_utc"])
        self.assertIn("s, not the 2 requested", again["dropped"][1]["reason"])
        self.assertNotEqual(again["samples"], timing["samples"])

    def test_a_night_has_a_threshold_of_sustained_speed(self):
        """A lower limit, only of long runs, and only for the plan's duration."""
        thresholds = self.bench.folder / "thresholds.json"

        def write_limits(**limits: float) -> None:
            thresholds.write_text(json.dumps({"systems": {"here": {"test": {"night": limits}}}}))

        # A complete result is judged again, but not run again.
        options = (*SYSTEM, "--thresholds", str(thresholds))
        self.restore_night()
        write_limits(fpnh_sustained=1)
        text = self.says(self.bench.run("--resume", "--seeds", "plan", *options), 0)
        self.assertEqual(self.bench.result("night")["verdict"]["performance"], "pass", text)
        write_limits(fpnh_sustained=1e9)
        self.says(self.bench.run("--resume", "--seeds", "plan", *options), 4)
        verdict = self.bench.result("night")["verdict"]
        self.assertEqual(verdict["overall"], "slow")
        self.assertEqual(self.bench.result("night")["threshold"]["fpnh_sustained"], 1e9)
        self.assertIn("sustained FPNH", verdict["reasons"][-1])
        done = self.run_night({"seconds": 1800}, *options, "--duration", "3")
        self.says(done, 2, "with a threshold of sustained FPNH (expected the 1800 s")

    def test_other_bytes_in_a_later_pass_are_found(self):
        """Each later frame must have the bytes of the first of its input."""
        done = self.run_night({"frames": 80}, fault="another byte")
        self.says(done, 3, "has other bytes than the first of the same input")
        self.assertIsNone(self.bench.result("night")["sustained"]["fpnh"])

    def test_wrong_plans_are_one_line(self):
        """Status 2."""
        for sustain, text in (
            ({}, "has not one of 'seconds' and 'frames'"),
            ({"seconds": 1, "frames": 80}, "has not one of 'seconds' and 'frames'"),
            ({"seconds": 0}, "'seconds' is 0"),
            ({"frames": 29}, "expected 30 or more"),
            ({"hours": 8}, "'hours' is unknown"),
        ):
            self.says(self.run_night(sustain), 2, text)
        self.assertEqual(self.run_night({"frames": 80}, "--duration", "4")[0], 2)
        done = self.run_night({"frames": 80}, tier="production", repeats=5)
        self.says(done, 2, "has 'sustain' (expected none outside the tiers night")
