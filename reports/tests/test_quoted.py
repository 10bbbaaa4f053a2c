"""Tests that the documents quote what the result files say."""

import itertools
import json
import re
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from matplotlib import pyplot as plt  # noqa: E402
from spexreports import page  # noqa: E402
from spexreports.__main__ import main  # noqa: E402
from spexreports.bench_report import bench_report  # noqa: E402
from spexreports.bundle_seconds import read_bundles  # noqa: E402
from spexreports.errors import DataError  # noqa: E402
from spexreports.gpu_checks import read_checks, telling  # noqa: E402
from spexreports.opening import headline  # noqa: E402
from spexreports.quoted import BLOCK, BLOCKS, OF_OTHERS, Sources, quote  # noqa: E402
from spexreports.result_files import read_results  # noqa: E402
from spexreports.thresholds import thresholds_text  # noqa: E402
from spexreports.work import why_incomplete  # noqa: E402

DOCUMENTS = [ROOT / "README.md", ROOT / "docs/performance.md"]
# kernels are of the micro-benchmarks, and report is made of the others.
FOLDERS = [
    path
    for path in sorted((ROOT / "reports/results").iterdir())
    if path.is_dir() and path.name not in ("kernels", "report")
]
# But for one whose build names no commit, and is left out with a word.
CHECKS = [
    path
    for path in sorted((ROOT / "reports/results").glob("gpu-check-h200-*gpu-*.json"))
    if not path.stem.endswith("e8544fe")
]
BUNDLES = sorted((ROOT / "reports/results").glob("bundle-*.json"))
QUOTED = (*FOLDERS, "--checks", *CHECKS, "--bundles", *BUNDLES)

# As reports/results/README.md has them: one H200 and one H100.
COMPARED = [
    str(ROOT / "reports/results" / name) for name in ("h200-1gpu-9891034", "h100-1gpu-b79cddf")
]


def run(*arguments: object) -> tuple[int, str]:
    """Status and stderr of `python -m spexreports quote ARGUMENTS`."""
    err = StringIO()
    words = ["spexreports", "quote", *map(str, arguments)]
    with mock.patch("sys.argv", words), redirect_stdout(StringIO()), redirect_stderr(err):
        return main(), err.getvalue()


class Thresholds(unittest.TestCase):
    """The thresholds that are shipped."""

    def test_they_are_the_speeds_of_the_results(self):
        """By system and plan; scaled entries and parts of frames ask for nothing."""
        file = ROOT / "bench/thresholds.json"
        text = file.read_text()
        self.assertEqual(text, thresholds_text(read_results(FOLDERS)), "make it anew: see its head")
        systems = json.loads("".join(line for line in text.splitlines() if line[:2] != "//"))
        self.assertIn("pipeline", systems["systems"]["h200-4gpu"]["rungs-4gpu"])
        # Of sources with changes, which nobody can build again.
        self.assertNotIn("h200", systems["systems"])
        self.assertNotIn("weak-cpu-1", text)
        # A machine is held to what it did, complete or not; who reads it is told.
        self.assertIn("//     h100-1gpu, flux-1gpu, direct-frame: 3 frame(s), ", text)
        self.assertIn("direct-frame", systems["systems"]["h100-1gpu"]["flux-1gpu"])
        with tempfile.TemporaryDirectory() as scratch:
            made = Path(scratch) / "made.json"
            words = ["spexreports", "thresholds", *map(str, FOLDERS), "--out", str(made)]
            with mock.patch("sys.argv", words), redirect_stdout(StringIO()):
                self.assertEqual(main(), 0)
            self.assertEqual(made.read_text(), text)
            made.write_text("someone's")
            with mock.patch("sys.argv", words), redirect_stderr(StringIO()) as said:
                self.assertEqual(main(), 2)
            self.assertIn("made.json is no file of thresholds", said.getvalue())
            self.assertEqual(made.read_text(), "someone's")


class Quoted(unittest.TestCase):
    """The documents of the repository, and edited ones."""

    @classmethod
    def setUpClass(cls):
        """Reads the results once."""
        cls.results = read_results(FOLDERS)
        cls.checks = read_checks(CHECKS)
        cls.sources = Sources(cls.results, cls.checks, read_bundles(BUNDLES))

    def test_documents(self):
        """Each number between the marks is that of the results."""
        for file in DOCUMENTS:
            self.assertTrue(BLOCK.search(file.read_text()), file)
            hint = (
                "PYTHONPATH=reports python -m spexreports quote (docs/benchmark.md) writes it anew"
            )
            self.assertEqual(quote(file, self.sources), file.read_text(), f"{file}: {hint}")

    def test_a_kind_of_machine_has_one_headline(self):
        """That which lacks least, of two machines with four H200s."""
        text = " ".join(BLOCKS["headline"](self.results).split())
        self.assertEqual(text.count("On four NVIDIA H200s"), 1, text)
        four = [r for r in self.results if r.gpus_per_node == 4 and r.milestone == "pipeline"]
        fewest = min(len(why_incomplete(r)) for r in four)
        few = [r for r in four if len(why_incomplete(r)) == fewest]
        best = max(few, key=lambda r: r.effective.fpnh.value)
        self.assertIn(f"{best.extraction.fpnh.value:,.0f}", text)

    def test_few_frames_are_not_taken_for_an_exposure(self):
        """As those of flux-1gpu, three of which may be faster a frame than thirty."""
        [whole] = [
            r for r in self.results if r.file.parent.name == "h200-1gpu" and r.frames_asked == 30
        ]
        fast = replace(whole.effective, frames=3, seconds_of=dict.fromkeys(range(1, 6), 0.0108))
        few = replace(whole, entry="few", frames_asked=3, effective=fast, extraction=fast)
        results = [whole, few]
        self.assertEqual(headline(results).entry, whole.entry)
        for name in ("speeds", "clock"):
            self.assertNotIn("few", BLOCKS[name](results))
        self.assertIn("1,000,000, 1,000,000 (3)", BLOCKS["milestones"](results))

    def test_what_is_not_to_be_published_is_marked(self):
        """In the sentence and in the table, with the reasons below."""
        [result] = [
            r for r in self.results if r.file.parent.name == "h200-1gpu" and r.entry == "pipeline"
        ]
        reasons = ", ".join(why_incomplete(result))
        self.assertIn("it is not built from a clean commit", reasons)
        text = " ".join(BLOCKS["headline"]([result]).split())
        self.assertIn("the clock that starts once MPI has†. † not complete: one NVIDIA", text)
        self.assertIn(f"one NVIDIA H200 ({reasons}).", text)
        text = BLOCKS["speeds"]([result])
        self.assertIn("| h200, pipeline† |", text)
        self.assertIn("\n\n† not complete: h200 pipeline (", text)
        fom = result.json["fom"] | {"incomplete_because": []}
        complete = replace(result, json=result.json | {"fom": fom})
        for name in ("headline", "speeds"):
            self.assertNotIn("†", BLOCKS[name]([complete]))

    def test_every_block_is_quoted(self):
        """No function is left that no document asks for."""
        asked = {match[2] for file in DOCUMENTS for match in BLOCK.finditer(file.read_text())}
        self.assertEqual(asked, {*BLOCKS, *OF_OTHERS})

    def test_kernel_seconds_tell_what_changed(self):
        """Of a setting the first, those that differ, the newest; none of a check that failed."""
        shown = telling(self.checks)
        for what in {row.what for row in shown}:
            own = [row for row in shown if row.what == what]
            every = [row for check in self.checks for row in check.kernels if row.what == what]
            self.assertEqual((own[0], own[-1]), (every[0], every[-1]))
            for above, below in itertools.pairwise(own[:-1]):
                self.assertGreater(abs(below.seconds / above.seconds - 1), 0.03)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "gpu-check.json"
            data = json.loads(CHECKS[-1].read_text())
            for check in data["checks"]:
                check["ok"] = check["step"] != "speed"
            file.write_text(json.dumps(data))
            [check] = read_checks([file])
            self.assertEqual(check.kernels, ())
            self.assertIn("direct, kernels of b, r, z", check.failed)
            file.write_text(json.dumps(data | {"checks": [1]}))
            with self.assertRaisesRegex(DataError, "gpu-check.json: is none of its kind"):
                read_checks([file])

    def test_edited_number(self):
        """A number that was changed by hand fails the check, and is written anew."""
        text = DOCUMENTS[0].read_text()
        line = BLOCK.search(text)[3]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "README.md"
            file.write_text(text.replace(line, line.replace("frames", "999,999 frames", 1)))
            status, err = run(*QUOTED, "--check", "--documents", file)
            self.assertEqual((status, err.count("\n")), (1, 1))
            self.assertIn("README.md: quotes", err)
            self.assertEqual(run(*QUOTED, "--documents", file)[0], 0)
            self.assertEqual(file.read_text(), text)

    def test_unknown_block(self):
        """A mark that no function answers is named."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "doc.md"
            file.write_text("<!-- from results: no-such -->\n<!-- end -->\n")
            with self.assertRaisesRegex(DataError, "no-such"):
                quote(file, self.sources)

    def test_blocks_without_their_ends(self):
        """Their numbers would be nobody's."""
        mark, end = "<!-- from results: headline -->\n", "<!-- end -->\n"
        for text, reason in (
            (mark, "a block without an end"),
            (end, "doc.md:1: has <!-- end --> out of its place"),
            (f"{mark}{mark}{end}", "doc.md:2: has <!-- from results: headline --> out of its"),
            (f"{mark}{end}\n{end}", "doc.md:4: has <!-- end -->"),
        ):
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "doc.md"
                file.write_text(text)
                with self.assertRaisesRegex(DataError, reason):
                    quote(file, self.sources)


class CommittedReport(unittest.TestCase):
    """The page in reports/results/report."""

    def test_text(self):
        """Its text and tables are those of the results; pictures are left out of the comparison."""
        out = ROOT / "reports/results/report"
        kernels = [
            ROOT / "reports/results/kernels" / name
            for name in ("h200-gpu.json", "h200-gpu-6ca7f67.json", "cpu.json")
        ]
        with (
            mock.patch.object(page, "_png", lambda figure: plt.close(figure) or b""),
            mock.patch.object(page.Page, "write", lambda self, _: self.html()),
        ):
            made = bench_report(FOLDERS, out, COMPARED, micro=kernels)
        kept = (out / "index.html").read_text()
        picture = re.compile(r'src="data:image/png;base64,[^"]*"')
        hint = "it is to be made again, as reports/results/README.md says"
        self.assertEqual(picture.sub("", made), picture.sub("", kept), hint)


if __name__ == "__main__":
    unittest.main()
