"""Tests of the projection to other GPUs."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from samples import RESULTS, committed, row
from spexreports.results.published import read_published
from spexreports.results.read import parse_result
from spexreports.tables import projection


class Projection(unittest.TestCase):
    """Tables of the committed results."""

    def test_projection(self):
        """Exact if the floors are equal; a GPU projected to itself is as measured."""
        found = committed().results
        work = projection.kernel_work(found)
        h200, a100 = (read_published().gpus[name] for name in ("H200", "A100 40 GB"))
        [one] = [m for m in projection.measured(found) if m.pipeline.frames_asked == 30]
        stages = one.direct.stage_seconds
        self.assertAlmostEqual(work.project(stages, h200, h200), one.kernels)
        # Spots are limited by memory bandwidth.
        slower = work.floors(a100)["spots"] / work.floors(h200)["spots"]
        self.assertAlmostEqual(slower, h200.memory_tb_s / a100.memory_tb_s)
        table = projection.projection_table(found)
        measured = row(table, "H200 (measured)")
        self.assertEqual(measured["FPNH, one"], f"{one.pipeline.effective.fpnh.value:,.0f}")
        for _, cells in table.rows:
            self.assertRegex(cells[0], r", projected$|\(measured\)$")
        self.assertRegex(row(table, "V100")["FPNH, one"], r"^[1-9]0*,000( to [1-9]0*,000)?$")
        self.assertEqual(projection.span(1949, 3501), "2,000 to 4,000")
        self.assertEqual(projection.span(2100, 2400), "2,000")

    def test_error_of_the_projection(self):
        """Known only where two kinds of GPU ran the same commit; then numbers are ranges."""
        found = [r for r in committed().results if (r.system, r.gpus) == ("h200", 1)]
        self.assertIsNone(projection.errors(found))
        self.assertIsNone(projection.error_table(found))
        self.assertIn("is not known", projection.projection_table(found).note)
        for commit, pairs in (("0" * 40, 0), (None, 2)):
            more = []
            for entry in ("direct-patch", "pipeline-patch"):
                file = RESULTS / f"h200/flux-1gpu/{entry}.json"
                other = json.loads(file.read_text())
                other["record"]["system"]["name"] = "h100"
                other["record"]["system"]["gpus"][0]["name"] = "NVIDIA H100 80GB HBM3"
                other["record"]["build"]["commit"] = commit or other["record"]["build"]["commit"]
                more.append(parse_result(file, other))
            table = projection.error_table(found + more)
            self.assertEqual(len(table.rows) if table else 0, pairs)
        # This H100 is as fast as the H200, and by its memory's speed it should be slower.
        low, high = projection.errors(found + more)
        self.assertLess(low, 1)
        self.assertGreater(high, 1)
        self.assertIn(f"{low:.2f} to {high:.2f}", projection.projection_table(found + more).note)


if __name__ == "__main__":
    unittest.main()
