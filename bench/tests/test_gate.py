"""The gate of spex-bench: extractors that do wrong on purpose must each fail it."""

import json
import shutil
import sys
import unittest
from pathlib import Path

from bench_runs import Bench, entry

EXTRACTOR = f"#!{sys.executable}\n" + (Path(__file__).parent / "faulty_extractor.py").read_text()

# What the verdict then says.
FAULTS = {
    "nan": "r1: run 0: FLUX: not finite",
    "dropped fiber": "r1: run 0: IVAR",
    "shift": "r1: run 0: FLUX",
    "wrong ivar": "r1: run 0: IVAR",
    "five percent of ivar": "r1: run 0: IVAR",
    "noise of a tenth of sigma": "r1: run 0: FLUX",
    "one fiber off": "r1: run 0: FLUX",
    "half of the fibers": "r1: run 0: IVAR",
    "chi2pix": "r1: run 0: CHI2PIX",
    "resolution": "r1: run 0: RESOLUTION",
    "mask": "r1: run 0: MASK",
    "another HDU": "HDUs that are not those of the reference",
    "swapped bundles": "r1: run 0: FLUX",
    "all zero": "r1: run 0: IVAR",
    "missing": "r1: run 0: is missing",
    "never ran": "the run log's clock goes from -",
    "status": "exit status 9",
    "other bytes": "r1: run 1: has other bytes than run 0",
    "link": "r1: run 0: is a link",
    "second name": "r1: run 0: is a second name",
    "kept frame": "r1: run 0: was written before the run",
    "changed input": "preproc-r1-00000001.fits was changed since it was made",
    "clock that ends early": "after the run log's clock ended",
    "clock that begins late": "before the run log's clock began",
    "reads a PSF early": "before the run log's clock began",
    "clock beyond the run": "the run log's clock goes from",
    "negative time": "'start' is -1",
    "another milestone": "milestone baseline (expected cpu-refactor)",
    "log of another program": "is of spex-gpu (expected spex-cpu)",
    "fewer frames": "has the frames r0 (expected r0,r1)",
    "no frames": "has no frames",
    "patches failed": "patches failed (at most 0.1%)",
    "patches fell back": "patches fell back to eigh (at most 0.1%)",
    "log of nothing": "events.json",
    "log that is a list": "events.json",
    "no log": "there is no run log",
    "half a log": "is no JSON",
    "log that is a pipe": "is no file",
    "log without end": "is no file",
    "log of deep lists": "is no JSON",
    "another camera": "r1: run 0: CAMERA is 'z9' (expected r1)",
    "another exposure": "r1: run 0: HDU FLUX: EXPID is 7 (expected 1)",
    "another unit": "r1: run 0: HDU IVAR: BUNIT",
    "wrong sum": ": CHECKSUM or DATASUM is not that of its bytes",
    "no sum": "r1: run 0: HDU FLUX: CHECKSUM or DATASUM is missing",
    "reads the truth": "was opened meanwhile, with which the run has no business",
    "reads the reference": "was opened meanwhile, with which the run has no business",
    "writes the reference": "was opened meanwhile, with which the run has no business",
    "finished after the run": "after the run log's clock ended",
    "filled through memory": "after the run log's clock ended",
    "filled after the run": "after the run log's clock ended",
    "left behind": "left 1 process(es) behind",
    "works unseen": "spex-bench was stopped meanwhile",
    "another file system": "r0: run 0: is on another file system",
    "another program": "mps-wrapper was changed while it was measured",
    "exchanged at the end": "mps-wrapper was changed while it was measured",
    "words that are no text": "exit status 9: ",
    "another order": "r1: run 0: has the HDUs HDU FLUX, HDU RESOLUTION",
    "another fiber's name": "r1: run 0: FIBERMAP: rows are not those of the reference",
    "scores": "r1: run 0: SCORES: MEDIAN_RAW_COUNT_R of fiber 3",
    "unknown keyword": "r1: run 0: HDU FLUX: CDELT1 is 7.0 (expected none)",
    "scaled fibermap": "r1: run 0: HDU FIBERMAP: TSCAL4 is 1.0 (expected none)",
    "scaled scores": "r1: run 0: HDU SCORES: TSCAL1 is 2.0 (expected none)",
    "two exposures": "r1: run 0: HDU FLUX: EXPID is there twice",
    "frame of another milestone": "r1: run 0: MILESTNE is 'pipeline' (expected cpu-refactor)",
    "frame of another program": "r1: run 0: SPEXPROG is 'spex-gpu' (expected spex-cpu)",
    "frame of another method": "r1: run 0: METHOD is 'eigh' (expected cholesky)",
    "other failures than logged": "r1: run 0: NFAILED is 10 (expected 0, by the run log)",
    "log of other inputs": "r0: run 0: the run log has no frame of ",
    "flux in the dark": "r1: run 0: FLUX: values of bins with expected ivar 0",
    "ivar in the dark": "r1: run 0: IVAR: values of bins with expected ivar 0",
    "chi2pix in the dark": "r1: run 0: CHI2PIX: values of bins with expected ivar 0",
    "resolution in the dark": "r1: run 0: RESOLUTION: values of bins with expected ivar 0",
    "bytes behind": "r1: run 0: has",
    "zipped": "r1: run 0: has",
    "exchanges the reference": ".fits was moved or replaced meanwhile",
    "kept answers": "preproc-r0-00000001.fits was not opened",
    "kept answers of one": "preproc-r1-00000001.fits was not opened",
    "patches that are not there": "patches (expected 20)",
    "more ranks": "the run log is of 2 ranks (expected 1)",
}


# Those that meet every entry of a campaign, and have one of their own.
OF_A_CAMPAIGN = (
    "changed input",
    "exchanges the reference",
    "another program",
    "exchanged at the end",
)
# What is done in the first run, and in the second, where that is not the fault alone.
IN_TWO_RUNS = {"other bytes": ("", "other bytes")}
MOVES = "exchanges the reference"
RIGHT = "right"


def same_device(one: Path | str, other: Path | str) -> bool:
    """Whether two folders are on one file system."""
    return Path(one).stat().st_dev == Path(other).stat().st_dev


def name_of(fault: str) -> str:
    """A name for the entry with this fault."""
    return fault.replace(" ", "-").replace("'", "").lower()


class Gate(unittest.TestCase):
    """Each fault in a run of its own, over inputs that are simulated once."""

    @classmethod
    def setUpClass(cls):
        """Runs of two frames."""
        cls.bench = Bench([entry(RIGHT)], extractor=EXTRACTOR)
        cls.bench.plan["cases"] = {"small": {"cameras": "r0,r1", "size": "bundle"}}
        cls.bench.plan["cpu_ceilings"] = {"flops": 1e10, "bytes": 1e10, "source": "a test"}

    @classmethod
    def tearDownClass(cls):
        """Removes its folder, and what a fault has put elsewhere."""
        elsewhere = cls.bench.folder / "elsewhere"
        if elsewhere.exists():
            shutil.rmtree(elsewhere.read_text())
        cls.bench.__exit__()

    def run_with(self, faults: list[str]) -> tuple[int, str]:
        """Status and output of a campaign of an entry for each fault, after one that is right."""
        runs = {RIGHT: ("", "")} | {f: IN_TWO_RUNS.get(f, (f,)) for f in faults}
        self.bench.plan["entries"] = [
            entry(name_of(fault), repeats=len(made)) for fault, made in runs.items()
        ]
        (self.bench.folder / "plan.json").write_text(json.dumps(self.bench.plan))
        # Round after round, every entry in turn.
        rounds = [[made[k] for made in runs.values() if len(made) > k] for k in range(2)]
        text = "".join(fault + "\n" for one in rounds for fault in one)
        (self.bench.folder / "faults").write_text(text)
        return self.bench.run()

    def check_that_all_were_made(self) -> None:
        """No run was left out."""
        self.assertEqual((self.bench.folder / "faults").read_text(), "", "not all runs were made")

    def check_that_it_failed(self, fault: str, reason: str) -> None:
        """Incorrect, for that reason; no speed is a result unless the frames are right."""
        result = self.bench.result(name_of(fault))
        self.assertEqual(result["verdict"]["overall"], "incorrect")
        self.assertEqual(result["verdict"]["exit_status"], 3)
        self.assertEqual(result["status"], "failed")
        self.assertIn(reason, " ".join(result["verdict"]["reasons"]))
        self.assertIsNone(result["fom"]["effective"])
        self.assertIsNone(result["fom"]["extraction"])
        self.assertEqual(result["roofline"], [])

    def check_that_it_passed(self, text: str) -> None:
        """By the reference, in both runs; seconds, and no figure of merit of two bundles."""
        result = self.bench.result(RIGHT)
        self.assertEqual(result["verdict"]["overall"], "pass", text)
        for frame in result["validation"]["frames"]:
            self.assertEqual(frame["expected_from"], "spex-cpu")
            self.assertEqual(frame["identical"], 2)
        sample = result["timing"]["samples"][0]
        self.assertLess(sample["observed_s"], sample["extraction_s"])
        self.assertGreater(sample["observed_s"], 0)
        self.assertTrue(result["roofline"])
        self.assertGreater(result["fom"]["effective"]["seconds"]["median"], 0)
        self.assertIsNone(result["fom"]["effective"]["fpnh"])
        self.assertNotIn("FPNH effective", text)
        self.assertFalse(result["fom"]["published"])
        self.assertIn("the tier is ci", result["fom"]["not_published_because"])

    def test_every_fault_fails_alone(self):
        """Beside one another in a campaign, and beside a right one, which passes."""
        faults = [fault for fault in FAULTS if fault not in OF_A_CAMPAIGN]
        if same_device("/dev/shm", self.bench.folder):
            faults.remove("another file system")
        status, text = self.run_with(faults)
        self.check_that_all_were_made()
        self.assertEqual(status, 3, text)
        self.check_that_it_passed(text)
        for fault in faults:
            with self.subTest(fault):
                self.check_that_it_failed(fault, FAULTS[fault])

    def test_faults_that_meet_every_entry(self):
        """Files that all runs share."""
        for fault in OF_A_CAMPAIGN:
            with self.subTest(fault):
                status, text = self.run_with([fault])
                self.check_that_it_failed(fault, FAULTS[fault])
                if fault == MOVES:
                    # Nobody can say what a later run opens.
                    self.assertEqual(status, 1, text)
                    reasons = " ".join(self.bench.result(RIGHT)["verdict"]["reasons"])
                    self.assertIn("was moved or replaced between two runs", reasons)
                else:
                    self.check_that_all_were_made()
                    self.assertEqual(status, 3, text)


if __name__ == "__main__":
    unittest.main()
