"""The gate of spex-bench: extractors that do wrong on purpose must each fail it."""

import sys
import unittest

from bench_runs import Bench, entry

# Runs the real extractor; then, in the runs that are timed, does one thing wrong. The reference
# frames are made without --milestone, and stay right. What is done to a frame is done to the last
# one; the log is then made to cover it, so that it is not the time that it took that fails.
EXTRACTOR = f"""#!{sys.executable}
import json, os, shutil, subprocess, sys, time
from pathlib import Path

here = Path(__file__).resolve().parent
fault = os.environ.get("TEST_FAULT", "")
timed = "--milestone" in sys.argv
if not timed:
    sys.exit(subprocess.run([here / "real-spex-cpu", *sys.argv[1:]], check=False).returncode)
log = Path(sys.argv[sys.argv.index("--events") + 1])
old_log = here / "old.events.json"
if fault == "never ran":
    log.write_text(old_log.read_text())
    sys.exit(0)
listed = Path(sys.argv[sys.argv.index("--list") + 1]).read_text()
rows = [row.split() for row in listed.splitlines()]
status = subprocess.run([here / "real-spex-cpu", *sys.argv[1:]], check=False).returncode
if status != 0:
    sys.exit(status)
old_log.write_text(log.read_text())
if fault == "status":
    sys.exit(9)
camera, image, _, frame = rows[-1]
runs = here / "runs"
runs.write_text(runs.read_text() + "." if runs.exists() else ".")
first_run = runs.read_text() == "."


def edit_frame():
    import numpy as np
    from astropy.io import fits

    with fits.open(frame, mode="update", memmap=False) as file:
        flux, ivar, mask = file["FLUX"].data, file["IVAR"].data, file["MASK"].data
        sigma = np.where(ivar > 0, 1 / np.sqrt(np.where(ivar > 0, ivar, 1)), 0)
        if fault == "nan":
            flux[7, 30] = np.nan
        elif fault == "dropped fiber":
            flux[11], ivar[11] = 0, 0
        elif fault == "shift":
            flux[:] = np.roll(flux, 1, axis=1)
        elif fault == "wrong ivar":
            ivar[3] *= 1.01
        elif fault == "five percent of ivar":
            ivar *= 1.05
        elif fault == "noise of a tenth of sigma":
            flux += 0.1 * sigma * np.random.default_rng(1).normal(size=flux.shape)
        elif fault == "one fiber off":
            flux[5] += 0.3 * sigma[5]
        elif fault == "half of the fibers":
            flux[::2], ivar[::2] = 0, 0
            mask[::2] |= 1
        elif fault == "chi2pix":
            file["CHI2PIX"].data[:] = 1
        elif fault == "resolution":
            file["RESOLUTION"].data[:] += 1e-4
        elif fault == "mask":
            mask[2, 40] ^= 1
        elif fault == "another HDU":
            file.append(fits.ImageHDU(np.zeros(3), name="EXTRA"))
        elif fault == "swapped bundles":
            flux[:10] = np.concatenate([flux[5:10], flux[:5]])
        elif fault == "all zero":
            flux[:], ivar[:] = 0, 0
        elif fault == "other bytes" and not first_run:
            file["FLUX"].header["FAULT"] = True


def edit_files():
    kept = here / "kept.fits"
    if not kept.exists():
        shutil.copy2(frame, kept)
        return
    os.remove(frame)
    if fault == "link":
        os.symlink(kept, frame)
    elif fault == "second name":
        os.link(kept, frame)
    elif fault == "kept frame":
        shutil.copy2(kept, frame)


def edit_log(run):
    events = run["events"]
    if fault == "clock that ends early":
        for event in events:
            event["start"], event["end"] = event["start"] / 1000, event["end"] / 1000
    elif fault == "clock that begins late":
        late = max(event["end"] for event in events) - 0.001
        run["origin_unix"] += late
        for event in events:
            event["start"], event["end"] = 0, max(0, event["end"] - late)
    elif fault == "clock beyond the run":
        events[-1]["end"] += 100
    elif fault == "negative time":
        events[0]["start"] = -1
    elif fault == "another milestone":
        run["milestone"] = "baseline"
    elif fault == "another program":
        run["program"] = "spex-gpu"
    elif fault == "fewer frames":
        run["frames"].pop()
    elif fault == "no frames":
        run["frames"] = []
    elif fault == "patches failed":
        run["frames"][0]["failed"] = run["frames"][0]["patches"]
    elif fault == "patches fell back":
        run["frames"][0]["fell_back"] = 1
    return run


if fault == "missing":
    os.remove(frame)
elif fault in ("link", "second name", "kept frame"):
    edit_files()
elif fault == "changed input":
    with open(image, "r+b") as file:
        file.seek(80000)
        file.write(bytes(40000))
elif fault:
    edit_frame()
run = json.loads(log.read_text())
run["events"][-1]["end"] = time.time() - run["origin_unix"]
log.write_text(json.dumps(edit_log(run)))
if fault == "log of nothing":
    log.write_text("{{}}")
if fault == "log that is a list":
    log.write_text("[]")
if fault == "no log":
    os.remove(log)
if fault == "half a log":
    log.write_text(log.read_text()[:500])
"""

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
    "clock beyond the run": "the run log's clock goes from",
    "negative time": "'start' is -1",
    "another milestone": "milestone baseline (expected cpu-refactor)",
    "another program": "is of spex-gpu (expected spex-cpu)",
    "fewer frames": "has the frames r0 (expected r0,r1)",
    "no frames": "has no frames",
    "patches failed": "patches failed (at most 0.1%)",
    "patches fell back": "patches fell back to eigh (at most 0.1%)",
    "log of nothing": "events.json",
    "log that is a list": "events.json",
    "no log": "there is no run log",
    "half a log": "is no JSON",
}


class Gate(unittest.TestCase):
    """Each fault on its own, over inputs that are simulated once."""

    @classmethod
    def setUpClass(cls):
        """One plan of one entry: two runs of two frames."""
        cases = {"small": {"cameras": "r0,r1", "size": "bundle"}}
        cls.bench = Bench([entry("one", repeats=2)], extractor=EXTRACTOR, cases=cases)

    @classmethod
    def tearDownClass(cls):
        """Removes its folder."""
        cls.bench.__exit__()

    def run_with(self, fault: str) -> tuple[int, str, dict]:
        """Status, output and result of a run with a fault."""
        (self.bench.folder / "runs").unlink(missing_ok=True)
        status, text = self.bench.run(TEST_FAULT=fault)
        return status, text, self.bench.result("one")

    def test_a_right_extractor_passes_and_every_fault_fails(self):
        """In this order, since a run that did not happen is given the log of one that did."""
        status, text, result = self.run_with("")
        self.assertEqual(status, 0, text)
        self.assertEqual(result["verdict"]["overall"], "pass")
        for frame in result["validation"]["frames"]:
            self.assertEqual(frame["expected_from"], "spex-cpu")
            self.assertEqual(frame["identical"], 2)
        sample = result["timing"]["samples"][0]
        self.assertLess(sample["observed_s"], sample["extraction_s"])
        self.assertGreater(sample["observed_s"], 0)
        # A frame of two bundles is no exposure: seconds, and no figure of merit.
        self.assertGreater(result["fom"]["effective"]["seconds"]["median"], 0)
        self.assertIsNone(result["fom"]["effective"]["fpnh"])
        self.assertNotIn("FPNH effective", text)
        self.assertFalse(result["fom"]["published"])
        self.assertIn("the tier is ci", result["fom"]["not_published_because"])
        # What an extractor keeps of this run is older than the next.
        self.run_with("kept frame")
        for fault, reason in FAULTS.items():
            with self.subTest(fault):
                status, text, result = self.run_with(fault)
                self.assertEqual(status, 3, text)
                self.assertEqual(result["verdict"]["overall"], "incorrect")
                self.assertEqual(result["status"], "failed")
                self.assertIn(reason, " ".join(result["verdict"]["reasons"]))
                # No speed is printed as a result unless the frames are right.
                self.assertIsNone(result["fom"]["effective"])
                self.assertIsNone(result["fom"]["extraction"])
                self.assertEqual(result["roofline"], [])


if __name__ == "__main__":
    unittest.main()
