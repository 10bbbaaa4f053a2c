"""Tests of the page of frames beside DESI's pipeline.

The sample is a report of `spex-compare --production` on frames of gpu_specter: one agrees, in one a
subbundle is too bright, one has no counterpart.
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from samples import DATA, data, run
from spexreports.errors import DataError
from spexreports.figures.production import patches_figure, sizes_figure
from spexreports.page.production import MOST_ROWS
from spexreports.results.production import by_reason, read_production, together


class Production(unittest.TestCase):
    """The sample, and edited copies."""

    def setUp(self):
        """A folder for files."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.report = read_production(DATA.parent / "production.json")

    def page(self, sample: dict) -> str:
        """The page of an edited sample."""
        path, out = self.folder / "report.json", self.folder / "page"
        path.write_text(json.dumps(sample))
        self.assertEqual(run("production", path, "--out", out)[0], 0)
        return (out / "index.html").read_text()

    def test_page(self):
        """Verdict, tables and figures; no link to another site."""
        page = self.page(data("../production"))
        for text in (
            '<span class="bad">FAIL</span>',
            "Frames compared: 2. Not as expected: 1. Without a counterpart: 1.",
            "<span>r0-00000006</span>",
            "missing in ours",
            "production&#39;s flux is ours times 1.001",
            "production drops patches that the CCD&#39;s edge cuts",
        ):
            self.assertIn(text, page)
        self.assertEqual(page.count('src="data:image/svg+xml;base64,'), 3)
        self.assertNotRegex(page, r'src="(?!data:)|https?://')
        for file in (self.folder / "page").glob("*.svg"):
            self.assertLess(file.stat().st_size, 100_000, file.name)
            ElementTree.parse(file)

    def test_all_as_expected(self):
        """The frame that agrees."""
        sample = data("../production")
        sample["frames"] = [one for one in sample["frames"] if one["ok"]]
        sample["ok"] = True
        page = self.page(sample)
        self.assertIn('<span class="good">ok</span>', page)
        self.assertIn("Every difference is expected.", page)
        self.assertNotIn("Not expected", page)

    def test_frames_that_cannot_be_compared(self):
        """An error, spectra of other shapes, values that are no numbers."""
        sample = data("../production")
        broken, other, _ = sample["frames"]
        broken |= {"ok": False, "error": "frame.fits: is cut short", "spectra": None}
        other["spectra"] = None
        other["differences"][0]["largest"] = None
        page = self.page(sample)
        self.assertIn("frame.fits: is cut short", page)
        self.assertIn("not a number", page)
        self.assertEqual(page.count('src="data:image/svg+xml;base64,'), 1)

    def test_a_whole_night(self):
        """Frames that fail are shown first; the rest is counted."""
        sample = data("../production")
        good, bad, _ = sample["frames"]
        frames = [good | {"expid": f"{k:08d}"} for k in range(1000, 1000 + 2 * MOST_ROWS)]
        sample["frames"] = [*frames, bad]
        page = self.page(sample)
        self.assertIn(f"{MOST_ROWS + 1} more frames are not shown.", page)
        self.assertLess(
            page.index("<span>r0-00000006</span>"), page.index("<span>r0-00001000</span>")
        )

    def test_numbers_of_all_frames(self):
        """Counts add up, and rms over all values."""
        good, bad = self.report.compared
        flux = together([good, bad])[0]
        self.assertEqual(flux.compared, good.compared + bad.compared)
        np.testing.assert_array_equal(
            flux.histogram, good.agreements[0].histogram + bad.agreements[0].histogram
        )
        self.assertEqual(flux.histogram.sum() + flux.equal, flux.compared)
        squares = [one.agreements[0].rms ** 2 * one.compared for one in (good, bad)]
        self.assertAlmostEqual(flux.rms**2 * flux.compared, sum(squares))
        self.assertEqual(len(self.report.edges), len(flux.histogram) + 1)
        edges = {one.reason: frames for one, frames in by_reason([good, bad])}
        self.assertEqual(edges["ccd-edge"], 2)

    def test_the_bundle_is_where_the_pulls_are(self):
        """Subbundle 1 of the frame with a bundle that is too bright."""
        worst = self.report.compared[1].worst_pulls
        self.assertEqual(int(np.argmax(worst.max(axis=1))), 1)
        self.assertIsNotNone(patches_figure(self.report.compared, "patches"))
        self.assertIsNotNone(
            sizes_figure(together(self.report.compared), self.report.edges, "sizes")
        )

    def test_other_files_are_named(self):
        """JSON of another program, of no program, and without a member."""
        lacking = data("../production")
        del lacking["frames"][0]["spectra"]["steps"]
        for content in ("[]", "{}", json.dumps(data("pipeline")), json.dumps(lacking), "no JSON"):
            path = self.folder / "other.json"
            path.write_text(content)
            with self.assertRaisesRegex(DataError, r"other\.json: "):
                read_production(path)
            status, _, err = run("production", path, "--out", self.folder / "none")
            self.assertEqual((status, err.count("\n")), (1, 1))
            self.assertFalse((self.folder / "none").exists())


if __name__ == "__main__":
    unittest.main()
