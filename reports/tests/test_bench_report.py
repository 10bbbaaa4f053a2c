"""Tests of the benchmark's report, on results that make_sample_results.py made."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

import jsonschema
import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))
sys.path.insert(0, str(ROOT / "reports/tests"))

import make_sample_results  # noqa: E402
from make_sample_results import as_file, members_of  # noqa: E402
from spexreports import page, style  # noqa: E402
from spexreports.__main__ import main  # noqa: E402
from spexreports.bench_report import bench_report  # noqa: E402
from spexreports.errors import DataError  # noqa: E402
from spexreports.flux_cost import pairs  # noqa: E402
from spexreports.ladder_figure import ladder_figure  # noqa: E402
from spexreports.marks import symbols  # noqa: E402
from spexreports.result import STAGES  # noqa: E402
from spexreports.result_files import read_results  # noqa: E402

DATA = ROOT / "reports/tests/data"
RESULTS = [DATA / name for name in ("run", "later", "ci")]
KERNELS = [ROOT / "reports/results/kernels" / name for name in ("h200-gpu.json", "cpu.json")]
SCHEMA = json.loads((ROOT / "bench/result.schema.json").read_text())
# Coarse pictures are quick; sizes of text and figures are in points and inches.
style.COLUMN_DPI = 100
PICTURES = {
    "ladder",
    "gpu-scaling",
    "core-scaling",
    "launch-time",
    "patch-size",
    "compression",
    "timeline",
    "stages",
    "roofline-gpu",
    "roofline-cpu",
    "trend",
    "kernels-eigh",
    "kernels-cholesky",
    "kernels-assembly",
    "kernels-fits",
    "kernels-transfers",
}


def run(*arguments: object) -> tuple[int, str, str]:
    """Status, stdout and stderr of `python -m spexreports bench ARGUMENTS`."""
    out, err = StringIO(), StringIO()
    words = ["spexreports", "bench", *map(str, arguments)]
    with mock.patch("sys.argv", words), redirect_stdout(out), redirect_stderr(err):
        try:
            status = main()
        except SystemExit as ended:
            status = ended.code
    return status, out.getvalue(), err.getvalue()


def _shows(extent: Bbox, box: Bbox) -> bool:
    """Whether something of this extent lies within the box, in part at least."""
    finite = all(map(math.isfinite, extent.extents))
    return finite and box.overlaps(extent) and max(extent.width, extent.height) > 0


def drawn(axis: Axes) -> int:
    """How many lines, bars, points and spans lie, in part at least, within the axes."""
    box = axis.bbox
    count = 0
    for line in axis.lines:
        points = line.get_transform().transform(line.get_xydata())
        count += any(all(map(math.isfinite, p)) and box.contains(*p) for p in points)
    for patch in axis.patches:
        count += _shows(patch.get_window_extent(), box)
    for collection in axis.collections:
        count += _shows(collection.get_datalim(axis.transData).transformed(axis.transData), box)
    return count


def faults(figure: Figure) -> list[str]:
    """What is wrong with a figure: empty axes, no labels, text that is small or cut off."""
    figure.draw_without_rendering()
    found = []
    for number, axis in enumerate(figure.axes):
        if drawn(axis) == 0:
            found.append(f"axes {number} are empty")
        labels = {"x": axis.get_xlabel(), "y": axis.get_ylabel()}
        found += [f"axes {number}: no {n} label" for n, label in labels.items() if not label]
    slack = 1  # pixels
    whole = figure.bbox.padded(slack)
    of_ticks = {label for axis in figure.axes for label in _tick_labels(axis)}
    for text in figure.findobj(mpl.text.Text):
        if not text.get_text().strip() or not text.get_visible():
            continue
        if text.get_fontsize() < style.SMALLEST_FONT:
            found.append(f"'{text.get_text()}' is of {text.get_fontsize()} pt")
        extent = text.get_window_extent()
        if text not in of_ticks and not (
            whole.contains(extent.x0, extent.y0) and whole.contains(extent.x1, extent.y1)
        ):
            found.append(f"'{text.get_text()}' is cut off")
    return found


def _tick_labels(axis: Axes) -> list[mpl.text.Text]:
    """Of all ticks, those beyond the limits too, which exist but are not drawn."""
    ticks = [
        tick
        for one in (axis.xaxis, axis.yaxis)
        for tick in [*one.get_major_ticks(), *one.get_minor_ticks()]
    ]
    return [label for tick in ticks for label in (tick.label1, tick.label2)]


def texts_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(mpl.text.Text)]


class Report(unittest.TestCase):
    """The page of all sections."""

    @classmethod
    def setUpClass(cls):
        """Makes the page once, and looks at each figure before it is closed."""
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "report"
        cls.figures, cls.faults = [], {}
        render = page._png

        def look(figure: Figure) -> bytes:
            image = render(figure)
            cls.figures.append(figure)
            cls.faults[len(cls.figures)] = faults(figure)
            return image

        with mock.patch.object(page, "_png", look):
            cls.written = bench_report(RESULTS, cls.out, micro=KERNELS)
        cls.html = (cls.out / "index.html").read_text()

    @classmethod
    def tearDownClass(cls):
        """Removes the page."""
        cls.folder.cleanup()

    def test_sections(self):
        """All figures are there, and what had no data says so."""
        names = {p.stem for p in self.written if p.suffix == ".png"}
        self.assertEqual(names, PICTURES)
        self.assertIn("no --compare A B", self.html)

    def test_no_figure_is_faulty(self):
        """No axes are empty, all have labels, all text can be read."""
        self.assertEqual(len(self.faults), len(PICTURES))
        self.assertEqual({n: f for n, f in self.faults.items() if f}, {})

    def test_column_width(self):
        """Figures are of the width of a journal's column, or of its page."""
        widths = {figure.get_figwidth() for figure in self.figures}
        self.assertEqual(widths, {style.COLUMN_WIDTH, style.PAGE_WIDTH})

    def test_needs_no_other_file(self):
        """Pictures are within the page, and it asks for nothing else."""
        self.assertEqual(len(re.findall(r'src="data:image/png;base64,', self.html)), len(PICTURES))
        self.assertNotRegex(self.html, r'src="(?!data:)')
        self.assertNotRegex(self.html, r"<script|<link|url\(|https?://")

    def test_links_lead_to_results(self):
        """Links lead within the page, and to the result files."""
        links = set(re.findall(r'href="([^"]*)"', self.html))
        inside = {link for link in links if link.startswith("#")}
        for link in inside:
            self.assertIn(f'id="{link[1:]}"', self.html)
        files = {(self.out / link).resolve() for link in links - inside}
        self.assertIn(DATA / "run/pipeline.json", files)
        self.assertEqual({file for file in files if not file.is_file()}, set())

    def test_no_html_is_shown_as_text(self):
        """Tables are tables, and numbers of parts are whole."""
        self.assertEqual(re.findall(r"&lt;(?:div|table|td|small|sup)", self.html), [])
        self.assertEqual(self.html.count("<td>eigh/single/32</td>"), 1)
        self.assertGreater(self.html.count("<td>1980, 3201</td><td>5 × 16</td>"), 0)

    def test_cells_are_below_their_titles(self):
        """A row that is shorter or longer than the titles is an error of the program."""
        self.assertIn("<td>b</td>", page.table(("one", "two"), [("a", "b"), ("all",)]))
        for row in (("a", "b", "c"), ()):
            with self.assertRaises(ValueError):
                page.table(("one", "two"), [row])

    def test_opening(self):
        """First the system, the verdict, the speeds with intervals, the checks, date and commit."""
        first = self.html.split("<nav>")[0]
        places = [
            first.find(text)
            for text in ("sample node", "does not pass", "effective", "frames right", "2026-11-")
        ]
        self.assertNotIn(-1, places)
        self.assertEqual(places, sorted(places))
        self.assertIn("commit 0000000000", first)

    def test_a_folder_names_its_system(self):
        """In the place of what the machine calls itself; a name that is none is an error."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "run"
            shutil.copytree(RESULTS[0], folder)
            before = {r.system for r in read_results([folder])}
            (folder / "system-name.txt").write_text("a node of ours\n")
            self.assertEqual({r.system for r in read_results([folder])}, {"a node of ours"})
            self.assertNotIn("a node of ours", before)
            (folder / "system-name.txt").write_text("two\nlines\n")
            with self.assertRaisesRegex(DataError, "system-name.txt: holds no name"):
                read_results([folder])

    def test_tier_ci_is_no_speed(self):
        """An entry of the tier ci is among the checks, and on no ladder, table or axis of FPNH."""
        before, after = self.html.split("Checks of the harness</h2>")
        self.assertNotIn("check.json", before.split("<nav>")[1])
        self.assertIn("check.json", after)
        (picture,) = ladder_figure(read_results(RESULTS))
        self.assertNotIn("check", " ".join(texts_of(picture.figure)))

    def test_marks_are_explained(self):
        """Each mark of the ladder's names is explained within the picture."""
        results = read_results(RESULTS)
        (picture,) = ladder_figure(results)
        names = " ".join(label.get_text() for label in picture.figure.axes[0].get_yticklabels())
        foot = picture.figure.get_supxlabel()
        used = set("".join(symbols(r) for r in results if r.entry in names))
        self.assertEqual(used, set("*†‡§"))
        for mark in used:
            self.assertIn(mark, names)
            self.assertRegex(foot, rf"(?m)^{re.escape(mark)} ")

    def test_numbers_at_the_right(self):
        """Speeds stand in columns of numbers, which are not broken into lines."""
        self.assertRegex(self.html, r'<td class="n">88\.30</td>')
        self.assertRegex(page.CSS, r"\.n \{ text-align: right;[^}]*white-space: nowrap")

    def test_totals(self):
        """The paper's twentyfold over Edison, and ours; a night, a year, and all frames again."""
        rows = self.html.split("All together")[1].split("</table>")[0]
        self.assertRegex(rows, r"DGX: interleave-io</td>.*>20\.6<")
        self.assertRegex(rows, r"Edison: baseline</td>.*>1\.16<")  # 27.89 / 24 ranks
        self.assertIn("all again, CPU-hours", rows)

    def test_reasons(self):
        """The page says why its ratios are not the paper's."""
        for word in ("Settings.", "Frames.", "Hardware.", "nwavestep 30, padding fractions 0"):
            self.assertIn(word, self.html)

    def test_table_of_the_paper(self):
        """The paper's rows, ours, and ratios beside the paper's."""
        for text in ("Haswell", "40.15", "Rome/A100", "575.25", "sample node"):
            self.assertIn(text, self.html)
        self.assertIn("interleave-io / batch-subbundle", self.html)

    def test_unlike_work_makes_no_ratio(self):
        """Neither other settings nor a method that is not its own stands for a milestone."""
        ratios = self.html.split("What each milestone brings")[1].split("</table>")[0]
        self.assertNotIn("cholesky", ratios)
        self.assertNotIn("direct-30", ratios)

    def test_flux_of_the_whole_frame(self):
        """Its cost stands beside the flux of patches; on no ladder, nor in place of its rung."""
        self.assertEqual(
            [(p.entry, f.entry) for p, f in pairs(read_results(RESULTS))],
            [("direct", "direct-frame")],
        )
        rows = self.html.split("The flux of the whole frame beside")[1].split("</tbody>")[0]
        self.assertRegex(rows, r"sample node .made-up numbers.*, direct<")
        # 2.8 s in place of 2.7 by the extraction clock, both with 1.5 s more by the other.
        effective, extraction = re.findall(r">(1\.0\d*)<small>", rows)
        self.assertAlmostEqual(float(effective), 1.024, delta=0.02)
        self.assertAlmostEqual(float(extraction), 1.037, delta=0.02)
        ladder = self.html.split(">The ladder</h2>")[1].split("<h2")[0]
        self.assertIn("direct-30", ladder)
        self.assertNotIn("direct-frame", ladder)

    def test_failed_results_are_named(self):
        """A result without a speed is in the table, with its reason, and in no figure."""
        self.assertRegex(self.html, r'<tr class="failed">.*direct-broken')

    def test_same_bytes_again(self):
        """Equal results give equal files."""
        pages = [Path(self.folder.name) / name for name in ("first", "again")]
        for page_folder in pages:
            written = bench_report([DATA / "later", DATA / "ci"], page_folder)
        self.assertGreater(len(written), 3)
        for file in written:
            self.assertEqual(file.read_bytes(), (pages[0] / file.name).read_bytes(), file.name)


class FaultFinder(unittest.TestCase):
    """The tests above can fail."""

    def test_empty_axes(self):
        """Axes without data, or with data beyond their limits."""
        style.apply_column()
        figure, axes = style.column_figure(60, 2, 1)
        axes[1, 0].plot([1, 2], [1, 2])
        axes[1, 0].set_xlim(5, 6)
        found = faults(figure)
        for text in ("axes 0 are empty", "axes 1 are empty", "axes 0: no x label"):
            self.assertIn(text, found)

    def test_small_and_lost_text(self):
        """Text that is too small, or beyond the figure."""
        style.apply_column()
        figure, _ = style.column_figure(60)
        figure.text(0.5, 0.5, "tiny", fontsize=4)
        figure.text(1.5, 0.5, "lost")
        found = " ".join(faults(figure))
        self.assertIn("'tiny' is of 4", found)
        self.assertIn("'lost' is cut off", found)


class Stages(unittest.TestCase):
    """The names of the stages."""

    def test_those_of_the_programs(self):
        """They are those that the run logs hold, in their order, after start."""
        source = (ROOT / "reference/core/stage_times.cpp").read_text()
        names = re.findall(r'case Stage::\w+:\s+return "([a-z-]+)"', source)
        self.assertEqual(list(STAGES), ["start", *names])


class Samples(unittest.TestCase):
    """The committed results."""

    def test_schema(self):
        """They are valid."""
        for folder in RESULTS:
            for file in folder.glob("*[!s].json"):
                jsonschema.validate(json.loads(file.read_text()), SCHEMA)

    def test_made_by_their_maker(self):
        """They are what make_sample_results.py writes."""
        with tempfile.TemporaryDirectory() as folder:
            make_sample_results.write_all(Path(folder))
            for made in Path(folder).rglob("*.json"):
                kept = DATA / made.relative_to(folder)
                self.assertEqual(made.read_text(), kept.read_text(), kept.name)


class LadderNames(unittest.TestCase):
    """The names of the rows."""

    def test_system_and_entry(self):
        """Where a system has several entries at a milestone, both are named."""
        results = read_results(
            [ROOT / "reports/results" / name for name in ("h200-1gpu", "h200-4gpu")]
        )
        (picture,) = ladder_figure(results)
        names = [label.get_text() for label in picture.figure.axes[0].get_yticklabels()]
        found = {name.rstrip("*†‡§") for name in names[names.index("pipeline") + 1 :]}
        self.assertEqual(found, {"h200", "h200x4", "h200x4, gz", "h200x4, one-process"})


class Errors(unittest.TestCase):
    """One line, and the status."""

    def setUp(self):
        """A folder for the broken files."""
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def check(self, status: int, text: str, *arguments: object):
        """The command ends with this status, and one line on stderr that holds the text."""
        out = self.path / "out"
        found, _, err = run(*arguments, "--out", out)
        self.assertEqual(found, status, err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn(text, err)
        self.assertFalse((out / "index.html").exists())

    def test_missing(self):
        """No such file, nothing given, a folder without results."""
        self.check(1, "nowhere.json", self.path / "nowhere.json")
        self.check(2, "RESULT")
        (self.path / "empty").mkdir()
        self.check(1, "empty", self.path / "empty")

    def test_no_json(self):
        """A file of something else, by name."""
        file = self.path / "text.json"
        file.write_text("{ not JSON")
        self.check(1, "text.json", file)

    def test_no_file(self):
        """What has no end, or is waited for."""
        pipe = self.path / "pipe.json"
        os.mkfifo(pipe)
        for file in (pipe, Path("/dev/zero")):
            self.check(1, f"{file}: is no file", file)

    def test_folders_of_others(self):
        """A page that is not ours, a file in the folder's place; ours is written anew."""
        out = self.path / "out"
        out.write_text("x")
        self.check(1, f"{out}: File exists", DATA / "ci")
        out.unlink()
        out.mkdir()
        (out / "index.html").write_text("<html>mine")
        status, _, err = run(DATA / "ci", "--out", out)
        self.assertEqual(status, 2, err)
        self.assertIn("is not spexreports'", err)
        self.assertEqual([file.name for file in out.iterdir()], ["index.html"])
        (out / "index.html").unlink()
        for _ in range(2):
            self.assertEqual(run(DATA / "ci", "--out", out)[0], 0)

    def test_other_schema(self):
        """A result of another version, or without what is needed."""
        data = members_of(DATA / "run/pipeline.json")
        for key in ("fom", "launch"):
            file = self.path / f"{key}.json"
            file.write_text(json.dumps(as_file({k: v for k, v in data.items() if k != key})))
            self.check(1, key, file)
        file = self.path / "old.json"
        schema = {"name": "spexbench-result", "major": 1, "minor": 9}
        file.write_text(json.dumps(as_file(data) | {"schema": schema}))
        self.check(1, "old.json", file)

    def test_micro(self):
        """Outputs of micro-benchmarks that are none."""
        file = self.path / "kernels.json"
        self.check(1, "kernels.json", DATA / "run", "--micro", file)
        file.write_text("{}")
        self.check(1, "kernels.json", DATA / "run", "--micro", file)
        file.write_text("no JSON")
        self.check(1, "kernels.json", DATA / "run", "--micro", file)

    def test_margin(self):
        """A margin that is none."""
        self.check(2, "--margin", DATA / "run", "--margin", "2")

    def test_reader_that_has_read_enough(self):
        """A closed pipe is no error: the page is written, and nothing is said."""
        ours, theirs = os.pipe()
        os.close(ours)
        command = [sys.executable, "-m", "spexreports", "bench", DATA / "ci", "--out", self.path]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "reports")}
        with os.fdopen(theirs, "w") as pipe:
            done = subprocess.run(
                command, stdout=pipe, stderr=subprocess.PIPE, env=environment, check=False
            )
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue((self.path / "index.html").exists())

    def test_run_that_is_not_there(self):
        """A comparison with a run that no result has."""
        self.check(2, "--compare", DATA / "run", "--compare", "a", "b")

    def test_no_run_log(self):
        """Without run logs the timeline is left out, with the reason."""
        for file in (DATA / "run").glob("*[!s].json"):
            shutil.copy(file, self.path)
        status, _, _ = run(self.path, "--out", self.path / "out")
        self.assertEqual(status, 0)
        self.assertRegex((self.path / "out/index.html").read_text(), "Timeline: no run log")


if __name__ == "__main__":
    unittest.main()
