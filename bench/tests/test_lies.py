"""Faults of an extractor: each is found in its frames or observed from outside."""

import shutil
import subprocess
import sys
from pathlib import Path

from bench_runs import Bench, BenchTest, entry
from frame_faults import FrameEditor

EXTRACTOR = f"#!{sys.executable}\n" + (Path(__file__).parent / "faulty_extractor.py").read_text()

# Reasons in the verdicts.
LIES = {
    # Values.
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
    "swapped bundles": "r1: run 0: FLUX",
    "all zero": "r1: run 0: IVAR",
    "flux in the dark": "r1: run 0: FLUX: values of bins with expected ivar 0",
    "ivar in the dark": "r1: run 0: IVAR: values of bins with expected ivar 0",
    "chi2pix in the dark": "r1: run 0: CHI2PIX: values of bins with expected ivar 0",
    "resolution in the dark": "r1: run 0: RESOLUTION: values of bins with expected ivar 0",
    "other options": "run 0: ",
    "swapped cameras": "r0: run 0: ",
    # HDUs, headers, tables.
    "another HDU": "HDUs that differ from the reference",
    "another order": "has the HDUs HDU FLUX, HDU RESOLUTION",
    "another camera": "CAMERA is 'z9' (expected r1)",
    "another exposure": "HDU FLUX: EXPID is 7 (expected 1)",
    "another unit": "HDU IVAR: BUNIT",
    "wrong sum": "HDU FLUX does not have the checksum that its DATASUM states",
    "no sum": "HDU FLUX: CHECKSUM or DATASUM is missing",
    "another fiber's name": "FIBERMAP: rows differ from the reference",
    "scores": "SCORES: MEDIAN_RAW_COUNT_R of fiber 3",
    "unknown keyword": "HDU FLUX: CDELT1 is 7.0 (expected none)",
    "patches that failed": "HDU FLUX: NFAILED is 3 (expected 0)",
    "scaled fibermap": "HDU FIBERMAP: TSCAL4 is 1.0 (expected none)",
    "scaled scores": "HDU SCORES: TSCAL1 is 2.0 (expected none)",
    "two exposures": "HDU FLUX: EXPID occurs twice",
    "frame of another milestone": "MILESTNE is 'pipeline' (expected cpu-refactor)",
    "frame of another program": "SPEXPROG is 'spex-gpu' (expected spex-cpu)",
    "frame of another method": "METHOD is 'eigh' (expected cholesky)",
    "other bytes": "run 1: has other bytes than run 0 of the same input",
    # Files and processes.
    "endless": "r1 is longer than any frame",
    "bytes behind": "r1: run 0: all: has",
    "zipped": "r1: run 0: all: is gzip (expected plain, by its name)",
    "missing": "run 0: r1 is missing",
    "link": "run 0: r1 is a link",
    "second name": "run 0: r1 is a second name",
    "another file system": "run 0: r0 is on another file system",
    "status": "exit status 9",
    "output that is not text": "exit status 9: ",
    "work after exit": "left 1 process(es) behind",
}
# The run log is only diagnostic: a wrong one gives a warning, and no stage times.
LOGS = {
    "another clock": "s of extraction, and",
    "log of another program": "is of spex-gpu (expected spex-cpu)",
    "fewer frames": "has 1 frames (expected 2)",
    "more ranks": "is of 2 ranks (expected 1)",
    "log of failed patches": "counts 0 patches that fell back and 1 that failed, frames 0 and 0",
    "log of patches that fell back": "counts 1 patches that fell back and 0 that failed, frames",
    "half a log": "is not a JSON file",
    "no log": "is not a JSON file",
    "log without end": "is not a JSON file",
}
RIGHT = "right"


def name_of(lie: str) -> str:
    """The name of the entry with this lie."""
    return lie.replace(" ", "-").replace("'", "").lower()


class Lies(BenchTest):
    """Each lie is a separate entry, over inputs that are simulated once."""

    @classmethod
    def setUpClass(cls):
        """Runs of two frames."""
        cls.bench = Bench([entry(RIGHT)], extractor=EXTRACTOR)
        cls.bench.plan["cases"] = {"small": {"cameras": "r0,r1", "size": "bundle"}}
        cls.editor = FrameEditor(cls.bench.folder)

    @classmethod
    def tearDownClass(cls):
        """Removes its folder, and files that a lie put elsewhere."""
        cls.editor.close()
        elsewhere = cls.bench.folder / "elsewhere"
        if elsewhere.exists():
            shutil.rmtree(elsewhere.read_text())
        cls.bench.__exit__()

    def run_with(self, lies: list[str], *options: str, repeats: int = 1) -> tuple[int, str]:
        """Status and output of a campaign with an honest entry and an entry for each lie."""
        made = {RIGHT: ["", ""]} | {lie: [lie] * repeats for lie in lies}
        if "other bytes" in made:
            made["other bytes"] = ["", "other bytes"]
        self.bench.plan["entries"] = [
            entry(name_of(lie), repeats=len(runs)) for lie, runs in made.items()
        ]
        lines = [lie for runs in made.values() for lie in runs]
        (self.bench.folder / "faults").write_text("".join(line + "\n" for line in lines))
        return self.bench.run(*options)

    def check_caught(self, lie: str, reason: str) -> None:
        """Incorrect, for that reason, and without a speed."""
        result = self.bench.result(name_of(lie))
        self.assertEqual(result["verdict"]["overall"], "incorrect")
        self.assertEqual(result["status"], "failed")
        self.assertIn(reason, " ".join(result["verdict"]["reasons"]))
        self.assertIsNone(result["fom"]["effective"])
        self.assertIsNone(result["fom"]["extraction"])

    def test_every_lie_is_caught(self):
        """All in one campaign, with an honest entry, which passes."""
        lies = list(LIES)
        if Path("/dev/shm").stat().st_dev == self.bench.folder.stat().st_dev:
            lies.remove("another file system")
        status, text = self.run_with(lies)
        self.assertEqual((self.bench.folder / "faults").read_text(), "", "not all runs were made")
        self.assertEqual(status, 3, text)
        right = self.bench.result(RIGHT)
        self.assertEqual(right["verdict"]["overall"], "pass", text)
        self.assertTrue(all(frame["reference"] for frame in right["validation"]["frames"]))
        self.assertGreater(right["fom"]["effective"]["seconds"]["median"], 0)
        self.assertIsNone(right["fom"]["effective"]["fpnh"])
        self.assertIn("the tier is ci", right["fom"]["incomplete_because"])
        for lie in lies:
            with self.subTest(lie):
                self.check_caught(lie, LIES[lie])

    def test_a_wrong_run_log_is_a_warning(self):
        """The clocks are those of spex-bench."""
        self.says(self.run_with(list(LOGS)), 0)
        for lie, text in LOGS.items():
            with self.subTest(lie):
                result = self.bench.result(name_of(lie))
                sample = result["timing"]["samples"][0]
                self.assertIn(text, " ".join(sample["warnings"]))
                self.assertEqual(sample["phases"], {})
                self.assertGreater(sample["extraction_s"], 0)
                self.assertIn(text, " ".join(result["unusual"]))

    def test_late_writes_are_timed(self):
        """The extraction ends when the last output is closed, whatever the log says."""
        self.says(self.run_with(["writes a second later"]), 0)
        sample = self.bench.result("writes-a-second-later")["timing"]["samples"][0]
        self.assertGreater(sample["extraction_s"], sample["logged_s"] + 0.9)

    def test_kept_answers_belong_to_other_inputs(self):
        """Seeds are drawn for each run."""
        self.says(self.run_with(["kept answers"], "--seeds", "drawn"), 3)
        self.assertEqual(self.bench.result(RIGHT)["verdict"]["overall"], "pass")
        self.check_caught("kept answers", ": run 0: ")

    def test_a_frame_changed_after_the_run(self):
        """By a process that was started before; frames are hashed when the run ends."""
        late = self.bench.folder / "late"
        writer = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"import pathlib, time\nlate = pathlib.Path({str(late)!r})\n"
                "while not (late.exists() and late.read_text()): time.sleep(0.01)\n"
                "frame = pathlib.Path(late.read_text())\n"
                "result = late.parent / 'out/changed-late.json'\n"
                "while '\"compared\": false' not in result.read_text(): time.sleep(0.001)\n"
                "with frame.open('r+b') as file: file.seek(100000); file.write(bytes(1000))\n",
            ]
        )
        try:
            # A second run keeps the comparison of the first waiting.
            status, text = self.run_with(["changed late"], repeats=2)
        finally:
            writer.kill()
            writer.wait()
            late.unlink(missing_ok=True)
        self.assertEqual(status, 3, text)
        self.check_caught("changed late", "a frame was changed after the run")

    def test_changed_inputs_and_programs(self):
        """A changed input or program is an error of the campaign."""
        for lie, reason in (
            ("changed input", "the inputs changed after they were made"),
            ("another program", "mps-wrapper was changed while it was measured"),
        ):
            with self.subTest(lie):
                text = self.says(self.run_with([lie]), 1)
                verdict = self.bench.result(name_of(lie))["verdict"]
                self.assertEqual(verdict["overall"], "error", text)
                self.assertIn(reason, verdict["reasons"][0])
