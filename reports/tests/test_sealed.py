"""Tests that results which were edited are refused by their seal, or by the files beside them."""

import json
import shutil
import sys
import tempfile
import unittest
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from spexreports.errors import DataError  # noqa: E402
from spexreports.result_files import read_results  # noqa: E402

MADE = ROOT / "reports/results/h200-1of2-b79cddf"  # has both a run log and a series
KEY = "0123456789abcdef"


def seal(file: Path) -> None:
    """As spex-bench does: a hash of the key and all else, without blanks."""
    data = json.loads(file.read_text(encoding="utf-8"))
    del data["seal"]
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    data["seal"] = sha256((KEY + text).encode()).hexdigest()
    file.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")


class Edited(unittest.TestCase):
    """A folder of spex-bench, with the key, of which one thing is another."""

    def setUp(self):
        """A good one."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "out"
        shutil.copytree(MADE, self.folder)
        self.result = self.folder / "sustained.json"
        seal(self.result)
        (self.folder / "logs").mkdir()
        (self.folder / "logs/seal-key.txt").write_text(KEY + "\n")

    def edit(self, change: Callable[[dict], object]) -> None:
        """Of the result, but for its seal."""
        data = json.loads(self.result.read_text(encoding="utf-8"))
        change(data)
        self.result.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")

    def refuse(self, reason: str) -> None:
        """One line that says so."""
        with self.assertRaises(DataError) as caught:
            read_results([self.folder])
        self.assertIn(reason, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_as_it_was(self):
        """It is read, with the key and without the logs, and without the files beside it."""
        self.assertEqual(len(read_results([self.folder])), 1)
        shutil.rmtree(self.folder / "logs")
        self.assertEqual(len(read_results([self.folder])), 1)
        for end in ("events", "series"):
            (self.folder / f"sustained.{end}.json").unlink()
        self.assertEqual(len(read_results([self.folder])), 1)

    def test_the_version_does_not_switch_the_seal_off(self):
        """An edit is found by the seal, and not hidden by a number that is edited too."""
        self.edit(lambda d: d["system"].update(cpu="another"))
        self.refuse("was changed since spex-bench wrote it")
        self.edit(lambda d: d["schema"].update(minor=3))
        self.refuse("is of minor version 3, whose seal is not of the whole file")

    def test_files_beside_it(self):
        """A run log or a series of another run, though JSON all the same."""
        for end in ("events", "series"):
            file = self.folder / f"sustained.{end}.json"
            kept = file.read_bytes()
            file.write_bytes(kept + b"\n")
            self.refuse(f"{file}: is not what sustained.json was written with")
            file.write_bytes(kept)

    def test_seconds_that_the_run_log_does_not_have(self):
        """Edited throughout, so that all figures follow, in a folder without the key."""
        shutil.rmtree(self.folder / "logs")
        result = self.folder / "direct-patch.json"
        made = ROOT / "reports/results/h100-1gpu-b79cddf"
        for end in (".json", ".events.json"):
            shutil.copy(made / f"direct-patch{end}", self.folder)
        data = json.loads(result.read_text(encoding="utf-8"))
        for sample in data["timing"]["samples"]:
            for clock in ("effective_s", "extraction_s", "launch_s", "observed_s"):
                sample[clock] *= 0.5
            for seconds in sample["phases"].values():
                seconds.update({kind: 0.5 * value for kind, value in seconds.items()})
        for clock in ("effective", "extraction"):
            for kind, factor in (("seconds", 0.5), ("fpnh", 2), ("frames_per_gpu_hour", 2)):
                figure = data["fom"][clock][kind]
                figure["samples"] = [factor * value for value in figure["samples"]]
                for name in ("median", "mad", "low", "high"):
                    figure[name] *= factor
        for point in data["roofline"]:
            point["seconds"] *= 0.5
        result.write_text(json.dumps(data), encoding="utf-8")
        self.refuse("direct-patch.events.json: ends at 0.851972 s, and the last run's extraction")


if __name__ == "__main__":
    unittest.main()
