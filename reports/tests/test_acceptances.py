"""Tests of the page of an acceptance. The sample is a file of `spex-bench accept`."""

import json
import sys
import tempfile
import unittest
from copy import deepcopy
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from browser import browser, measured
from samples import DATA, data, run, shown

FILE = "acceptance.json"


class Acceptances(unittest.TestCase):
    """A folder of spex-bench accept: its acceptance and a result."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "accepted"
        self.folder.mkdir()
        self.out = Path(scratch.name) / "report"
        self.sample = json.loads((DATA / "accepted" / FILE).read_text())

    def page(self, sample: dict, result: dict | None = None) -> str:
        """The page of an acceptance."""
        (self.folder / FILE).write_text(json.dumps(sample))
        result = result or data("pipeline")
        (self.folder / "exposure.json").write_text(json.dumps(result))
        status, _, err = run("bench", self.folder, "--out", self.out)
        self.assertEqual((status, err), (0, ""))
        return (self.out / "index.html").read_text()

    def test_the_acceptance_comes_first(self):
        """Verdict, target, measured, interval, system, commit and frames; nothing of others."""
        text = " ".join(shown(self.page(self.sample).split("<details")[0]).split())
        speed = self.sample["judgments"][-1]["speeds"][0]
        order = [
            "ACCEPT node1",
            "Target: an exposure of 30 frames within 900 s",
            "all 6 compared frames are right",
            f"{speed['measured']:.3g} s for 1 frame(s)",
            f"{speed['low']:.3g} to {speed['high']:.3g}",
            "at most 900",
            "Judged before",
            f"Commit {self.sample['build']['commit'][:7]}",
            "governor",
        ]
        places = [text.find(part) for part in order]
        self.assertNotIn(-1, places, text)
        self.assertEqual(places, sorted(places), text)
        self.assertFalse([word for word in ("paper", "575.25", "No speed") if word in text])

    def test_rejected_and_to_be_repeated(self):
        """With their reasons; a wrong frame is named."""
        for word, kind in (("REJECT", "no"), ("REPEAT", "open")):
            sample = deepcopy(self.sample)
            sample["judgments"][-1] |= {"word": word, "reasons": ["exposure: 51% <by others>"]}
            page = self.page(sample)
            self.assertIn(f'<span class="{kind}">{word}</span> node1', page)
            self.assertIn("exposure: 51% &lt;by others&gt;", page)
        sample["entries"][0]["verdict"]["correctness"] = "fail"
        self.assertIn("frames are wrong in exposure", self.page(sample))
        sample["judgments"][-1]["speeds"][0] |= dict.fromkeys(("measured", "low", "high", "ratio"))
        self.assertIn("–", self.page(sample))

    def test_what_is_no_acceptance_is_one_line(self):
        self.sample["judgments"][0]["word"] = "FINE"
        (self.folder / FILE).write_text(json.dumps(self.sample))
        status, _, err = run("bench", self.folder, "--out", self.out)
        self.assertEqual((status, err.count("\n")), (1, 1))
        self.assertIn("judgments[0].word: 'FINE' is not one of", err)

    @unittest.skipUnless(browser(), "no Chromium (Debian: chromium-headless-shell)")
    def test_the_first_screen_in_a_browser(self):
        """The verdict and the seconds are in sight, on a phone too."""
        self.page(self.sample)
        for width, height in ((390, 844), (1400, 900)):
            page = measured(self.out / "index.html", width, height)
            for text in ("ACCEPT", "node1", "within 900 s", "pass", "s for 1 frame(s)"):
                self.assertIn(text, page["first"])
            self.assertEqual(page["overflow"], 0)
            self.assertEqual([t for t in page["tables"] if t["cut"]], [])


if __name__ == "__main__":
    unittest.main()
