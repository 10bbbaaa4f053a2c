"""Tests of the tables of sweeps and of long runs."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from samples import result, row, sweep_point
from spexreports.tables import long_runs
from spexreports.tables import scaling as sweeps


class Scaling(unittest.TestCase):
    """Points of sweeps, which are samples that differ in speed."""

    def test_mps(self):
        points = [sweep_point("off", "mps", 1, 5), sweep_point("on", "mps", 1.6, 5)]
        results = [result("pipeline", p) for p in points]
        self.assertEqual(row(sweeps.mps_table(results), "h200")["on / off, effective"], "1.6")
        self.assertIsNone(sweeps.mps_table(results[:1]))

    def test_ranks_a_gpu(self):
        """A row for sweeps with and without MPS; a single rank belongs to its sweep."""
        points = []
        for mps, counts in ((True, (1, 2)), (False, (2, 4))):
            for ranks in counts:
                point = sweep_point(f"{ranks}-{mps}", "ranks-per-gpu", ranks, ranks)
                point["record"]["scaling"] |= {"sweep": f"mps-{mps}", "x": ranks}
                point["record"]["launch"]["mps"] = mps and ranks > 1
                points.append(point)
        found = sweeps.ranks_table([result("pipeline", p) for p in points])
        off, on = found.frame.to_dict("records")
        self.assertEqual((off["MPS"], on["MPS"]), ("off", "on"))
        self.assertEqual((off["1 rank"], on["4 ranks"]), ("–", "–"))
        self.assertEqual(off["2 ranks"], on["2 ranks"])
        self.assertNotEqual(on["1 rank"], on["2 ranks"])
        self.assertIsNone(sweeps.ranks_table([result("pipeline")]))

    def test_gpus_of_a_node(self):
        """A row for each kind of files and number of frames, a column for each number of GPUs."""
        points = []
        for form, counts in (("gz", (1, 2)), ("none", (1, 4))):
            for gpus in counts:
                point = sweep_point(f"{form}-{gpus}", "gpus", gpus, gpus)
                point["record"]["scaling"] |= {"sweep": f"gpus-{form}", "x": gpus}
                point["record"]["inputs"]["generator"]["compression"] = form
                point["record"]["work"]["compression"] = form
                point["record"]["launch"]["gpus_per_node"] = gpus
                points.append(point)
        results = [result("pipeline", p) for p in points]
        gz, plain = sweeps.gpus_table(results).frame.to_dict("records")
        self.assertEqual((gz["files"], plain["files"]), ("`.fits.gz`", "plain FITS"))
        self.assertEqual((gz["4 GPUs"], plain["2 GPUs"]), ("–", "–"))
        self.assertEqual(gz["1 GPU"], plain["1 GPU"])
        self.assertNotEqual(gz["1 GPU"], gz["2 GPUs"])
        self.assertIsNone(sweeps.gpus_table([result("pipeline")]))

    def test_parts_of_weak_scaling(self):
        """The clocks of a run, and what a rank of it does, in the order of ranks."""
        points = [sweep_point(n, "weak", 1 / n, n) for n in (2, 1)]
        for ranks, point in zip((2, 1), points, strict=True):
            for clock, seconds in (("effective", 3.0), ("extraction", 2.0)):
                point["derived"]["fom"][clock]["seconds"]["median"] = seconds * ranks
            for sample in point["record"]["timing"]["samples"]:
                sample["launch_s"] = 0.5
                sample["phases"] = {"start": {"sum": 4.0}, "solve": {"sum": 1.0}}
        table = sweeps.weak_parts_table([result("pipeline", p) for p in points])
        cells = table.frame.to_dict("records")
        self.assertEqual([row["ranks"] for row in cells], ["1", "2"])
        self.assertEqual([row["exit, s"] for row in cells], ["0.50", "1.50"])
        self.assertEqual([row["GPU start of a rank, s"] for row in cells], ["4.000", "2.000"])
        self.assertEqual([row["kernels of a rank, s"] for row in cells], ["1.000", "0.500"])
        self.assertIsNone(sweeps.weak_parts_table([result("pipeline")]))

    def test_long_runs(self):
        table = long_runs.long_runs_table([result("night"), result("pipeline")])
        found = row(table, "h200, night")
        self.assertEqual(found["FPNH, steady part"], "81,181")
        self.assertIn("it lasted 64 s, not 1800", found["not complete"])


if __name__ == "__main__":
    unittest.main()
