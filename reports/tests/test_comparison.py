"""Tests of the comparison of two results."""

import json
import sys
import tempfile
import unittest
from html import escape
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))
sys.path.insert(0, str(ROOT / "reports/tests"))

from make_sample_results import as_file, members_of  # noqa: E402
from matplotlib.figure import Figure as MplFigure  # noqa: E402
from spexreports import page  # noqa: E402
from spexreports.comparison import judge, speed_ratio  # noqa: E402
from spexreports.result import Figure as Speeds  # noqa: E402
from spexreports.result_files import read_results  # noqa: E402
from spexreports.work import why_incomplete  # noqa: E402
from test_bench_report import DATA, run, texts_of  # noqa: E402


def speeds(seconds: list[float], first: int = 1) -> Speeds:
    """Of a frame on a node, by rounds from the first on."""
    return Speeds(dict(enumerate(seconds, first)), frames=1, nodes=1, gpus=0)


class Comparison(unittest.TestCase):
    """Is B faster than A?"""

    def verdict(self, a: list[float], b: list[float], same_run: bool = False) -> str:
        """Of these samples."""
        return judge(speed_ratio(speeds(a), speeds(b), same_run), 0.02)

    def test_verdicts(self):
        """By the interval of the ratio against the margin."""
        steady = [1.0, 1.001, 0.999, 1.0005, 0.9995]
        self.assertEqual(self.verdict(steady, [s / 2 for s in steady]), "FASTER")
        self.assertEqual(self.verdict(steady, [s * 2 for s in steady]), "SLOWER")
        self.assertEqual(self.verdict(steady, steady), "SAME")
        noisy = [0.8, 1.3, 1.0, 0.9, 1.2]
        self.assertEqual(self.verdict(noisy, [s * 0.99 for s in noisy]), "UNDECIDED")
        self.assertEqual(self.verdict([1.0], [0.5]), "UNDECIDED")

    def test_too_few_runs_are_no_verdict(self):
        """Three runs a side cover 90%, five pairs 94%: neither is 95%, six pairs are."""
        self.assertEqual(self.verdict([1, 1, 1], [0.5, 0.5, 0.5]), "UNDECIDED")
        self.assertEqual(self.verdict([1.0] * 5, [0.5] * 5, same_run=True), "UNDECIDED")
        self.assertEqual(self.verdict([1.0] * 6, [0.5] * 6, same_run=True), "FASTER")

    def test_pairs_of_the_same_round(self):
        """What slowed a whole round down does not widen the interval of the ratio."""
        machine = [1, 5, 2, 9, 3, 7]
        ratio = speed_ratio(speeds(machine), speeds([m / 2 for m in machine]), same_run=True)
        self.assertEqual((ratio.low, ratio.value, ratio.high), (2, 2, 2))
        apart = speed_ratio(speeds(machine), speeds([m / 2 for m in machine]), same_run=False)
        self.assertLess(apart.low, 1)
        # Rounds that only one of them has are not paired.
        shifted = speed_ratio(speeds(machine), speeds(machine, first=2), same_run=True)
        self.assertEqual(shifted.count, 5)

    def test_of_two_files(self):
        """The page has the section, and the terminal the verdict."""
        a, b = DATA / "later/pipeline-08.json", DATA / "later/pipeline-15.json"
        with tempfile.TemporaryDirectory() as folder:
            status, out, _ = run("--out", folder, "--compare", a, b)
            self.assertEqual(status, 0)
            self.assertRegex(out, r"pipeline†\s+effective\s+1\.\d+.*97%.*FASTER")
            self.assertTrue((Path(folder) / "comparison.png").exists())

    def test_what_is_not_to_be_published_is_marked(self):
        """On the terminal, in the table and in the picture, each with the reasons."""
        sides = [
            ROOT / "reports/results" / name for name in ("h200-1gpu-9891034", "h100-1gpu-b79cddf")
        ]
        missing = why_incomplete(read_results([sides[0] / "pipeline-frame.json"])[0])
        missing = ", ".join(missing)
        reason = f"not complete: A ({missing}), B ({missing})"
        names = "direct-frame, pipeline-frame"
        labels = []

        def look(figure: MplFigure) -> bytes:
            labels.extend(texts_of(figure))
            return b""

        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(page, "_png", look),
        ):
            status, out, _ = run("--out", folder, "--compare", *sides)
            html = (Path(folder) / "index.html").read_text()
        self.assertEqual(status, 0)
        self.assertRegex(out, r"(?m)^pipeline-frame†  effective ")
        self.assertIn(f"† {names}: {reason}\n", out)
        self.assertIn("pipeline-frame†<sup>a</sup>", html)
        self.assertIn(f"<li>{escape(reason)}</li>", html)
        self.assertIn("pipeline-frame†\neffective", labels)
        words = [" ".join(text.split()) for text in labels]
        self.assertTrue([text for text in words if f"† {names}: {reason}" in text])

    def test_other_work_is_not_compared(self):
        """Two results of other cases are refused."""
        other = members_of(DATA / "run/pipeline.json") | {"case": "other"}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "other.json"
            file.write_text(json.dumps(as_file(other)))
            status, _, err = run("--out", folder, "--compare", DATA / "run/pipeline.json", file)
        self.assertEqual(status, 1)
        self.assertEqual(err.count("\n"), 1)

    def test_other_inputs_are_not_compared(self):
        """One case whose files have other bytes is another case."""
        other = members_of(DATA / "run/pipeline.json")
        other["timing"]["samples"][1]["inputs_sha256"] = "0" * 64
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "other.json"
            file.write_text(json.dumps(as_file(other)))
            status, _, err = run("--out", folder, "--compare", DATA / "run/pipeline.json", file)
        self.assertEqual(status, 1)
        self.assertIn("other inputs", err)

    def test_drawn_inputs_are_compared_by_their_kind(self):
        """No two starts have the same; another size, number or compression is other work."""
        other = members_of(DATA / "run/pipeline.json")
        other["inputs"]["seeds"] = "drawn"
        for sample in other["timing"]["samples"]:
            sample["seed"] += 2**40
            sample["inputs_sha256"] = "0" * 64
        for compression, expected in (("none", 0), ("gz", 1)):
            other["inputs"]["generator"]["compression"] = compression
            with self.subTest(compression), tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "other.json"
                file.write_text(json.dumps(as_file(other)))
                status, _, err = run("--out", folder, "--compare", DATA / "run/pipeline.json", file)
                self.assertEqual(status, expected, err)
                self.assertEqual("other inputs" in err, expected == 1)

    def test_other_settings_are_not_compared(self):
        """Nor are two of other patch sizes, of one case and the same inputs."""
        sides = [DATA / "run" / f"{name}.json" for name in ("nwavestep-100", "nsubbundles-5")]
        with tempfile.TemporaryDirectory() as folder:
            status, _, err = run("--out", folder, "--compare", *sides)
        self.assertEqual(status, 1)
        self.assertIn("nwavestep 100", err)


if __name__ == "__main__":
    unittest.main()
