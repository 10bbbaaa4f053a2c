"""Tests that a result file which states what its samples do not say is refused."""

import json
import sys
import tempfile
import unittest
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from spexreports.errors import DataError  # noqa: E402
from spexreports.recomputed import check_stated  # noqa: E402
from spexreports.result_files import parse_result, read_json  # noqa: E402
from spexreports.run_log import read_events  # noqa: E402

FILE = ROOT / "reports/tests/data/run/pipeline.json"
GOOD = json.loads(FILE.read_text())


class Refused(unittest.TestCase):
    """Each edit of a good file."""

    def refuse(self, text: str, edit: Callable[[dict], object]):
        """The edit makes the file one that is refused, for the reason that the text names."""
        data = deepcopy(GOOD)
        edit(data)
        with self.assertRaises(DataError) as caught:
            parse_result(FILE, data)
        message = str(caught.exception)
        self.assertIn(text, message)
        self.assertTrue(message.startswith(f"{FILE}: "))
        self.assertNotIn("\n", message)

    def test_good(self):
        """The file itself is read."""
        result = parse_result(FILE, GOOD)
        self.assertEqual(
            result.effective.seconds.value, GOOD["fom"]["effective"]["seconds"]["median"]
        )

    def test_speeds(self):
        """Medians, deviations, intervals, FPNH and samples that are not those of the runs."""
        for clock in ("effective", "extraction"):
            for kind in ("seconds", "fpnh", "frames_per_gpu_hour"):
                what = f"fom.{clock}.{kind}"

                def figure(data: dict, clock: str = clock, kind: str = kind) -> dict:
                    return data["fom"][clock][kind]

                self.refuse(
                    f"the median of {what}", lambda d, f=figure: f(d).update(median=99_999.0)
                )
                self.refuse(f"the deviation of {what}", lambda d, f=figure: f(d).update(mad=1e-9))
                self.refuse(f"a sample of {what}", lambda d, f=figure: f(d)["samples"].sort())
                self.refuse(f"{what} has 5", lambda d, f=figure: f(d)["samples"].pop())
                self.refuse(f"interval of {what}", lambda d, f=figure: f(d).update(low=0.0))
                self.refuse(f"{what} has half", lambda d, f=figure: f(d).update(high=None))

    def test_missing_speeds(self):
        """A figure of GPUs without one, and none with them."""
        self.refuse(
            "frames_per_gpu_hour", lambda d: d["fom"]["effective"].update(frames_per_gpu_hour=None)
        )
        self.refuse("GPUs", lambda d: d["fom"].update(gpus=1))
        self.refuse("nodes", lambda d: d["fom"].update(nodes=2))

    def test_edited_samples(self):
        """Samples that are edited without what follows from them, or beyond the other clock."""
        samples = GOOD["timing"]["samples"]
        self.refuse(
            "a sample of fom.effective.seconds",
            lambda d: d["timing"]["samples"][1].update(effective_s=samples[1]["effective_s"] * 2),
        )
        self.refuse(
            "the extraction clock", lambda d: d["timing"]["samples"][1].update(extraction_s=1e6)
        )
        self.refuse(
            "the extraction clock", lambda d: d["timing"]["samples"][1].update(extraction_s=-1.0)
        )

    def test_frames(self):
        """More frames than were looked at would be a higher speed."""
        self.refuse("fom.effective.fpnh", lambda d: d["fom"].update(frames_asked=30))
        self.refuse("are valid", lambda d: d["fom"].update(frames_valid=1))
        self.refuse("are valid", lambda d: d["validation"]["frames"].pop())

    def test_energy_and_roofline(self):
        """Joules and the roofline's seconds are medians of the samples."""
        self.refuse("joules", lambda d: d["energy"].update(joules_per_frame=1.0))
        self.refuse("seconds of spots", lambda d: d["roofline"][0].update(seconds=1e-6))
        self.refuse("bytes is 0", lambda d: d["roofline"][0].update(bytes=0))

    def test_validity(self):
        """No speed beside what failed, and nothing that passes with a part that does not."""

        def frame(data: dict) -> dict:
            return data["validation"]["frames"][0]

        self.refuse("one of its checks", lambda d: frame(d)["checks"][0].update({"pass": False}))
        self.refuse("with a frame or", lambda d: frame(d).update({"pass": False}))
        self.refuse("failed validation", lambda d: d["validation"].update({"pass": False}))
        self.refuse("failed validation", lambda d: d["verdict"].update(correctness="fail"))
        self.refuse("failed validation", lambda d: d.update(status="interrupted"))
        self.refuse(
            "failed validation", lambda d: d["timing"]["samples"][0].update(failure="killed")
        )

    def test_publication(self):
        """Three frames may not say that they may be published."""
        self.refuse("may be published", lambda d: d["fom"].update(published=True))

    def test_publication_against_what_is_stated(self):
        """Nor may an exposure from sources with changes, or with a reason against it."""
        files = sorted((ROOT / "reports/results").glob("*/pipeline.json"))
        newer = [json.loads(file.read_text()) for file in files]
        published = next(d for d in newer if d["schema"]["minor"] and d["fom"]["published"])
        parse_result(FILE, published)
        for part, key, value in (
            ("build", "dirty", True),
            ("fom", "not_published_because", ["two runs had the same inputs"]),
        ):
            data = deepcopy(published)
            data[part][key] = value
            with self.assertRaisesRegex(DataError, "may be published"):
                parse_result(FILE, data)
        data = deepcopy(published)
        data["schema"]["minor"] = 9
        data["build"]["sources_sha256"] = None
        data["inputs"] |= {"seeds": "drawn", "shared_with": []}
        parse_result(FILE, data)
        data["inputs"]["seeds"] = "plan"
        with self.assertRaisesRegex(DataError, "may be published .inputs of seeds"):
            parse_result(FILE, data)

    def test_files_that_are_read_in_two_ways(self):
        """Lists without end, numbers that are none, and members that are there twice."""
        good = FILE.read_text()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "result.json"
            for text, reason in (
                ("[" * 100000 + "]" * 100000, "has lists without end"),
                (good.replace('"status"', '"status": "failed", "status"', 1), "a member twice"),
                (good.replace('"minor": 1', '"minor": NaN', 1), "NaN is no number"),
            ):
                self.assertNotEqual(text, good)
                file.write_text(text)
                with self.assertRaisesRegex(DataError, reason):
                    read_json(file)

    def test_schema(self):
        """What the schema does not allow is named by its place."""
        self.refuse("fom.nodes", lambda d: d["fom"].update(nodes="one"))
        self.refuse("'launch' is a required property", lambda d: d.pop("launch"))
        self.refuse("schema.major", lambda d: d["schema"].update(major=2))
        self.refuse("milestone", lambda d: d.update(milestone="faster"))


class MinorVersion1(unittest.TestCase):
    """What results of minor version 1 state besides."""

    def setUp(self):
        """A good one: intervals with their coverage."""
        self.data = deepcopy(GOOD)
        for clock in ("effective", "extraction"):
            for found in self.data["fom"][clock].values():
                found["coverage"] = 1 - 2 / 2**6  # of the range of six

    def refuse(self, text: str):
        """The data are refused for the reason that the text names."""
        with self.assertRaises(DataError) as caught:
            check_stated(FILE, self.data)
        self.assertIn(text, str(caught.exception))

    def test_coverage(self):
        """The coverage is that of the ranks of the ends."""
        check_stated(FILE, self.data)
        found = self.data["fom"]["effective"]["fpnh"]
        found["coverage"] = 0.99
        self.refuse("coverage")
        found["coverage"] = 1 - 2 / 2**6
        found["low"] = sorted(found["samples"])[1]
        self.refuse("coverage")

    def test_clock_that_spex_bench_saw(self):
        """An extraction clock that is shorter than what was seen from outside is refused."""
        self.data["timing"]["samples"][0]["observed_s"] += 1.5
        check_stated(FILE, self.data)
        self.data["timing"]["samples"][0]["observed_s"] += 1
        self.refuse("that spex-bench saw")

    def test_throttled_runs_do_not_count(self):
        """A figure that counts one is refused."""
        self.data["timing"]["samples"][2]["throttled"] = True
        self.refuse("has 6 samples")

    def test_tier_ci_has_no_fpnh(self):
        """It may be left out there, and there alone."""
        for clock in ("effective", "extraction"):
            self.data["fom"][clock] |= {"fpnh": None, "frames_per_gpu_hour": None}
        self.refuse("fom.effective.fpnh is missing")
        self.data["tier"] = "ci"
        check_stated(FILE, self.data)

    def test_checks_of_all_frames_together(self):
        """They are parts of the validation."""
        self.data["validation"]["together"] = [{"pass": False}]
        self.refuse("all frames")


class RunLogs(unittest.TestCase):
    """The logs beside the results."""

    def read(self, **changes: object):
        """A log of one event with these changes."""
        event = {"rank": 0, "frame": 0, "camera": "r0", "stage": "read", "start": 0, "end": 1}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "log.json"
            file.write_text(json.dumps({"events": [event | changes]}))
            return read_events(file)

    def test_events(self):
        """A good one, and those that are refused."""
        (event,) = self.read()
        self.assertEqual((event.stage, event.end), ("read", 1))
        for changes in ({"stage": "sleep"}, {"rank": -1}, {"start": 2}, {"end": "late"}):
            with self.assertRaises(DataError):
                self.read(**changes)


if __name__ == "__main__":
    unittest.main()
