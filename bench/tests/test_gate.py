"""The gate of spex-bench: extractors that do wrong on purpose must each fail it."""

import sys
import unittest

from bench_runs import Bench, entry

# Runs the real extractor; then, in the runs that are timed, does one thing wrong to its frame. The
# frames to be held to are made without --milestone, and stay right.
EXTRACTOR = f"""#!{sys.executable}
import os, subprocess, sys
from pathlib import Path

here = Path(__file__).resolve().parent
fault = os.environ.get("TEST_FAULT", "")
timed = "--milestone" in sys.argv
if timed and fault == "never ran":
    log = Path(sys.argv[sys.argv.index("--events") + 1])
    log.write_text((here / "old.events.json").read_text())
    sys.exit(0)
status = subprocess.run([here / "real-spex-cpu", *sys.argv[1:]], check=False).returncode
if not timed or status != 0:
    sys.exit(status)
log = Path(sys.argv[sys.argv.index("--events") + 1])
(here / "old.events.json").write_text(log.read_text())
if fault == "status":
    sys.exit(9)
if fault == "log of nothing":
    log.write_text("{{}}")
if fault == "log that is a list":
    log.write_text("[]")
frame = Path(sys.argv[sys.argv.index("--list") + 1]).read_text().split()[3]
if fault == "missing":
    os.remove(frame)
    sys.exit(0)
runs = here / "runs"
runs.write_text(runs.read_text() + "." if runs.exists() else ".")
if fault == "" or (fault == "other bytes" and runs.read_text() == "."):
    sys.exit(0)

import numpy as np
from astropy.io import fits

with fits.open(frame, mode="update", memmap=False) as file:
    flux, ivar = file["FLUX"].data, file["IVAR"].data
    if fault == "nan":
        flux[7, 30] = np.nan
    if fault == "dropped fiber":
        flux[11], ivar[11] = 0, 0
    if fault == "shift":
        flux[:] = np.roll(flux, 1, axis=1)
    if fault == "wrong ivar":
        ivar[3] *= 1.01
    if fault == "swapped bundles":
        flux[:10] = np.concatenate([flux[5:10], flux[:5]])
    if fault == "all zero":
        flux[:], ivar[:] = 0, 0
    if fault == "other bytes":
        file["FLUX"].header["FAULT"] = True
"""

FAULTS = {
    "nan": "not finite",
    "dropped fiber": "IVAR",
    "shift": "FLUX",
    "wrong ivar": "IVAR",
    "swapped bundles": "FLUX",
    "all zero": "IVAR",
    "missing": "r0",
    "never ran": "r0",
    "status": "exit status 9",
    "log of nothing": "events.json",
    "log that is a list": "events.json",
    "other bytes": "other bytes",
}


class Gate(unittest.TestCase):
    """Each fault on its own, over inputs that are simulated once."""

    @classmethod
    def setUpClass(cls):
        """One plan of one entry, two runs."""
        cls.bench = Bench([entry("one", repeats=2)], extractor=EXTRACTOR)

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
        self.assertEqual(result["validation"]["frames"][0]["expected_from"], "spex-cpu")
        self.assertEqual(result["validation"]["frames"][0]["identical"], 2)
        self.assertGreater(result["fom"]["effective"]["fpnh"]["median"], 0)
        self.assertFalse(result["fom"]["published"])
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
