"""Tests of what figures and tables of the committed results show, and of what they leave out."""

import sys
import unittest
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from matplotlib import pyplot as plt  # noqa: E402
from spexreports import style  # noqa: E402
from spexreports.eigh_table import eigh_rows, eigh_table  # noqa: E402
from spexreports.gpu_scaling_figure import gpu_scaling_figure  # noqa: E402
from spexreports.page import Footnotes  # noqa: E402
from spexreports.result_files import read_results  # noqa: E402
from spexreports.section import Missing, newest  # noqa: E402
from spexreports.stages_figure import stages_figure  # noqa: E402
from spexreports.timeline_figure import timeline_figure  # noqa: E402
from spexreports.worker_figure import worker_figure  # noqa: E402

RESULTS = ROOT / "reports/results"
NAMES = ("h200-4gpu", "h200-4gpu-a34f89d", "h200-1of2-12ce48a", "h200-1of2-6ca7f67")


class Figures(unittest.TestCase):
    """Of four folders: an old engine's, from sources with changes, and newer ones."""

    @classmethod
    def setUpClass(cls):
        """Reads the results once."""
        cls.results = newest(read_results([RESULTS / name for name in NAMES]))

    def setUp(self):
        """Figures of a column's width, which are closed again."""
        style.apply_column()
        self.addCleanup(plt.close, "all")

    def _titles(self, results):
        [picture] = timeline_figure(results)
        return [axis.get_title(loc="left") for axis in picture.figure.axes]

    def test_the_timeline_shows_what_may_be_published(self):
        """Panel c is of the engine with a published speed; a and b are of one run."""
        a, b, c = self._titles(self.results)
        self.assertEqual(a, "a: batch-subbundle, h200x4, 6 frames, commit 5c1945f with changes")
        self.assertEqual(b, "b: interleave-io, h200x4, 6 frames, commit 5c1945f with changes")
        self.assertEqual(c, "c: pipeline, h200-4gpu, 30 frames, commit a34f89d")

    def test_the_timeline_without_a_pair(self):
        """One panel of the paper's rungs where none of a run has both."""
        alone = [r for r in self.results if r.milestone != "interleave-io"]
        a, c = self._titles(alone)
        self.assertIn("batch-subbundle, h200-1of2, 30 frames, commit 6ca7f67", a)
        self.assertIn("pipeline, h200-4gpu", c)
        self.assertIsInstance(timeline_figure([]), Missing)

    def test_every_system_has_the_line_of_its_own_cpus(self):
        """A dashed line each, at that system's speed and in its colour."""
        [picture] = gpu_scaling_figure(self.results)
        axis = picture.figure.axes[0]
        dashed = {line.get_label(): line for line in axis.lines if line.get_ls() == "--"}
        of_cpus = {r.system: r for r in self.results if r.entry == "cpu-refactor"}
        self.assertEqual(set(of_cpus), {"h200x4", "h200-1of2"})
        self.assertEqual(len(dashed), 2)
        for system, result in of_cpus.items():
            [line] = [line for label, line in dashed.items() if label.endswith(system)]
            self.assertEqual(line.get_ydata()[0], result.extraction.fpnh.value)
        self.assertEqual(len({line.get_color() for line in dashed.values()}), 2)

    def test_stages_name_the_results_that_hide_decorrelate(self):
        """By system: the same entry counts it apart elsewhere."""
        [picture] = stages_figure(self.results)
        hidden = picture.caption.split(" Of ")[1]
        self.assertIn("batch-subbundle, h200x4", hidden)
        self.assertNotIn("h200-1of2", hidden)

    def test_threads_and_extractors(self):
        """A panel each, and an ideal line of threads alone."""
        points = [r for r in read_results([RESULTS / "h200-1of2-3d09a1c"]) if r.scaling]
        points = [r for r in points if r.scaling.sweep == "strong-direct"]
        self.assertIsInstance(worker_figure(points), Missing)
        for kinds in (("threads",), ("threads", "extractors")):
            given = [
                replace(r, scaling=replace(r.scaling, kind=kind)) for kind in kinds for r in points
            ]
            [picture] = worker_figure(given)
            axes = picture.figure.axes
            self.assertEqual(len(axes), len(kinds))
            for kind, axis in zip(kinds, axes, strict=True):
                self.assertIn(kind, axis.get_xlabel())
                ideal = [line for line in axis.lines if line.get_ls() == ":"]
                self.assertEqual(len(ideal), int(kind == "threads"))
                [label] = [text for text in axis.get_legend_handles_labels()[1] if text != "ideal"]
                self.assertEqual(label, "direct, 1 frame")

    def test_what_eigendecompositions_cost(self):
        """Their share of the kernels, and what each rung gained over the one before it."""
        rows = eigh_rows(self.results, Footnotes())
        of_rung = {row[0]: row for row in rows if row[0]}
        self.assertEqual(of_rung["multi-gpu"][1], "85% of the kernels' time in decorrelate")
        by_result = {str(row[2]): row for row in rows}
        share, ratio = by_result["h200x4, batch-eigh<sup>a</sup>"][5:]
        self.assertEqual(share, "96")
        self.assertAlmostEqual(float(ratio), 8.229 / 5.291, places=2)
        self.assertNotIn("–", by_result["h200-1of2, batch-subbundle"][3:5])
        without = [replace(r, milestone="direct") for r in self.results]
        self.assertIsNone(eigh_table(without))

    def test_no_two_lines_look_the_same(self):
        """Though there are more than colours."""
        looks = {style.look(i) for i in range(36)}
        self.assertEqual(len(looks), 36)


if __name__ == "__main__":
    unittest.main()
