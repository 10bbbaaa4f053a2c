"""Tests of the page of results, and of its tables and figures."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parent))

from browser import browser, measured, pdf
from samples import (
    DATA,
    RESULTS,
    ROOT,
    committed,
    data,
    faster,
    result,
    row,
    run,
    shown,
    sweep_point,
)
from spexreports.page.quote import blocks
from spexreports.results.published import read_published
from spexreports.results.read import newest
from spexreports.tables import headline, ladder
from spexreports.tables.table import Table

COMMIT = r"\b(?=[a-f]*\d)[0-9a-f]{7}\b"
FIRST = ("575.25", "Is it right?", "Where the time goes", "Accepted?", "Limits")


class Page(unittest.TestCase):
    """The page of all committed results."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "report"
        cls.status, _, cls.stderr = run("bench", RESULTS, "--paper", "--out", cls.out)
        cls.html = (cls.out / "index.html").read_text()
        cls.details = (cls.out / "details.html").read_text()
        cls.first = cls.html.split("<details")[0]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_nothing_is_said(self):
        self.assertEqual((self.status, self.stderr), (0, ""))

    def test_first_screen(self):
        """The answers in their order; the rest is folded."""
        places = [self.first.find(text) for text in FIRST]
        self.assertNotIn(-1, places)
        self.assertEqual(places, sorted(places))
        for r in headline.headlines(committed().results):
            self.assertIn(f"{r.effective.fpnh.value:,.0f}", self.first)
        folded = re.findall(r'<details id="([a-z]+)">', self.html)
        self.assertEqual(folded, ["ladder", "scaling", "time", "methods", "provenance"])
        self.assertNotIn("<details open", self.html)

    def test_first_screen_has_no_names_of_runs(self):
        """Neither entries, systems nor commits, which stand where the numbers come from."""
        first, results = shown(self.first), committed().results
        before = shown(self.first.split("<figure")[0])
        self.assertIn("Is it right?", before)
        self.assertNotRegex(first, COMMIT)
        self.assertNotIn("seconds_effective", first)
        names = {r.system for r in results} | {r.entry for r in results if "-" in r.entry}
        self.assertFalse([name for name in names if re.search(rf"(?<![\w-]){name}\b", first)])
        origin = shown(self.html.split('<details id="provenance">')[1])
        for r in headline.headlines(newest(results)):
            self.assertIn(f"{r.entry} of {r.system} ({r.commit}", " ".join(origin.split()))

    def test_what_a_newcomer_asks(self):
        """Who sets the deadline, which paper, real or not, and why more GPUs are slower."""
        first = " ".join(shown(self.first).split())
        table = first.split("Is it right?")[0]
        for text in (
            "DESI takes an exposure every 900 s, and must extract it",
            "Margala and others (2021)",
            "all simulated",
        ):
            self.assertIn(text, table)
        self.assertRegex(table, r"One exposure takes longer on [^.]*four NVIDIA [^.]*fewer: ")
        right = first.split("Is it right?")[1].split("Where the time goes")[0]
        places = [right.find(text) for text in ("Yes.", "golden", "CPU reference", "the truth")]
        self.assertNotIn(-1, places, right)
        self.assertEqual(places, sorted(places), right)
        self.assertRegex(first, r"Yes\. One NVIDIA [^:]*: speed pass \(asked: at ")

    def test_needs_no_other_file(self):
        self.assertNotRegex(self.html, r'src="(?!data:)|<link|url\(|https?://')
        figures = list(self.out.glob("*.svg"))
        self.assertEqual(self.html.count("data:image/svg+xml"), len(figures))
        self.assertEqual(self.html.count("<details"), self.html.count("</details>"))

    def test_figures_are_small_and_whole(self):
        """At most 100 KB each, with legible text on a phone."""
        for file in [*self.out.glob("*.svg"), *(ROOT / "docs/images").glob("*.svg")]:
            self.assertLess(file.stat().st_size, 100_000, file.name)
            ElementTree.parse(file)
            sizes = re.findall(r"font-size: ([\d.]+)px", file.read_text())
            self.assertTrue(sizes, file.name)
            # Exponents of powers of ten may be smaller.
            self.assertGreaterEqual(min(map(float, sizes)), 6.1, file.name)

    def test_every_table_is_shown(self):
        for name in blocks(committed()):
            if not name.startswith("headline") and name not in ("agreement", "machines", "limits"):
                self.assertEqual((self.html + self.details).count(f'<h3 id="{name}">'), 1, name)

    def test_it_is_short(self):
        """At most 5,000 words; the rest is on the page of details."""
        self.assertLess(len(shown(self.html).split()), 5000)
        self.assertIn('href="details.html"', self.html)
        self.assertEqual(self.details.count("<pre>"), len(committed().results))

    @unittest.skipUnless(browser(), "no Chromium (Debian: chromium-headless-shell)")
    def test_in_a_browser(self):
        """On a phone and a screen: nothing is cut, sections open, figures load, also in print."""
        for width, height in ((390, 844), (1400, 900)):
            page = measured(self.out / "index.html", width, height)
            self.assertEqual((page["width"], page["overflow"]), (width, 0))
            for text in ("How fast, and how right", "575.25"):
                self.assertIn(text, page["first"])
            self.assertRegex(page["first"], r"\b0\.\d%")  # ours, of the time allowed
            self.assertEqual([t for t in page["tables"] if t["cut"]], [])
            self.assertGreater(len(page["tables"]), 15)
            self.assertFalse(any(page["closed"]))
            self.assertTrue(all(is_open for _, is_open in page["printed"]))
            self.assertNotRegex(page["first"], COMMIT)
            self.assertGreater(len(page["images"]), 10)
            for name, own, drawn in page["images"]:
                self.assertGreater(own, 0, name)
                self.assertLessEqual(drawn, width, name)
        self.assertEqual(
            [t for t in measured(self.out / "details.html", 390, 844)["tables"] if t["cut"]], []
        )
        self.assertGreater(len(pdf(self.out / "index.html")), 200_000)

    def test_no_html_is_shown_as_text(self):
        self.assertNotRegex(self.html, r"&lt;(?:div|table|td|code|sup)|None</span>|nan</span>")

    def test_same_bytes_again(self):
        again = Path(self.folder.name) / "again"
        self.assertEqual(run("bench", RESULTS, "--paper", "--out", again)[0], 0)
        for file in self.out.iterdir():
            self.assertEqual(file.read_bytes(), (again / file.name).read_bytes(), file.name)


def threshold(**given: float) -> dict[str, float | None]:
    """A threshold as spex-bench records it."""
    clocks = ("fpnh_effective", "fpnh_extraction", "fpnh_sustained")
    names = (*clocks, "seconds_effective", "seconds_extraction")
    return dict.fromkeys(names) | {"margin": 0.05} | given


class OtherPages(unittest.TestCase):
    """Pages of samples and of edited results."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)

    def page(self, *samples: dict) -> str:
        """The page of edited samples."""
        for number, sample in enumerate(samples):
            (self.path / f"{number}.json").write_text(json.dumps(sample))
        status, _, err = run("bench", self.path, "--out", self.path / "out")
        self.assertEqual(status, 0, err)
        return (self.path / "out/index.html").read_text()

    def test_a_wrong_frame(self):
        """It comes first and cannot be missed; no speed is shown."""
        wrong = data("pipeline")
        wrong["record"]["entry"] = "broken"
        wrong["record"]["validation"]["frames"][0]["failure"] = "b0: IVAR differs"
        fom = wrong["derived"]["fom"]
        fom["effective"] = fom["extraction"] = None
        fom["frames_valid"] = 29
        verdict = {"correctness": "fail", "overall": "incorrect", "reasons": ["b0: IVAR differs"]}
        wrong["derived"]["verdict"] |= verdict | {"exit_status": 3}
        page = self.page(data("pipeline"), wrong).split("<details")[0]
        self.assertIn("1 of 2 entries do not pass", page)
        self.assertIn("h200, broken: incorrect: b0: IVAR differs", page)
        page = self.page(wrong, wrong)
        self.assertIn("compared frames those of b0 are wrong", page)
        self.assertFalse('id="ladder"' in page)

    def test_judged_by_a_target(self):
        judged = data("pipeline")
        judged["record"]["threshold"] = threshold(fpnh_effective=60000.0)
        verdict = {"performance": "fail", "overall": "slow", "exit_status": 4, "reasons": ["slow"]}
        judged["derived"]["verdict"] |= verdict
        page = self.page(judged).split("<details")[0]
        self.assertIn("slow: speed fail (asked: at least 60,000 FPNH, less 5%)", page)
        self.assertNotIn("not judged", page)
        details = (self.path / "out/details.html").read_text()
        self.assertIn("slow, held to fpnh_effective 60000, margin 0.05: speed fail", details)

    def test_a_slower_run_was_judged(self):
        judged = data("pipeline")
        judged["record"]["entry"] = "exposure"
        judged["record"]["threshold"] = threshold(seconds_effective=900.0)
        for clock in ("effective", "extraction"):
            judged["derived"]["fom"][clock]["fpnh"]["median"] /= 2
        page = self.page(data("pipeline"), judged).split("<details")[0]
        self.assertIn("One NVIDIA H200: speed ", page)
        self.assertIn("(asked: at most 900 s an exposure)", page)
        self.assertNotIn("not judged", page)

    def test_checks_of_the_harness_are_no_speed(self):
        check = data("pipeline")
        check["record"]["tier"] = "ci"
        page = self.page(check)
        self.assertIn("no results of whole frames", page)
        self.assertIn('<h3 id="harness">', page)
        self.assertNotIn("54,141", page)

    def test_a_sweep_of_the_tier_ci_is_shown(self):
        points = [sweep_point(n, "threads", n) for n in (1, 2)]
        for point in points:
            point["record"]["tier"] = "ci"
        self.assertIn("h200, threads-2", self.page(*points).split("<details")[0])

    def test_no_empty_section_and_no_paper(self):
        """Of your results only what they say, unless the paper is wanted."""
        page = self.page(data("night"))
        self.assertIn("None of these 1 results is an exposure", page)
        self.assertEqual(re.findall(r'<details id="([a-z]+)">', page), ["scaling", "provenance"])
        text = shown(page)
        self.assertFalse([word for word in ("paper", "Cori", "A100", "projected") if word in text])
        own = shown(self.page(data("pipeline")))
        self.assertIn("54,141", own)
        self.assertNotIn("575.25", own)
        self.assertNotIn("paper", own)

    def test_a_cpu_by_cholesky_has_a_speed(self):
        """It is not in the ladder, and is the speed of its machine."""
        cpu = data("pipeline")
        cpu["record"]["milestone"] = "cpu-refactor"
        cpu["record"]["launch"] |= {"gpus_per_node": 0, "ranks_per_gpu": None}
        cpu["record"]["launch"]["argv"] += ["--method", "cholesky"]
        self.assertIn("54,141", self.page(cpu).split("<details")[0])

    def test_pages_of_others(self):
        out = self.path / "out"
        out.mkdir()
        (out / "index.html").write_text("<html>mine")
        status, _, err = run("bench", DATA, "--out", out)
        self.assertEqual((status, err.count("\n")), (2, 1))
        self.assertIn("is not spexreports'", err)
        self.assertEqual((out / "index.html").read_text(), "<html>mine")
        self.assertEqual(run("bench", "--out", out)[0], 2)
        (self.path / "file").write_text("x")
        self.assertEqual(run("bench", DATA, "--out", self.path / "file")[0], 1)


class Tables(unittest.TestCase):
    """Tables of samples with known numbers."""

    def test_headline(self):
        table = headline.speed_table([result("pipeline"), result("interleave-io"), result("night")])
        self.assertEqual(len(table.rows), 2)
        self.assertEqual(row(table, "the paper")["seconds an exposure"], "187.7")
        ours = row(table, "one NVIDIA H200")
        self.assertEqual(ours["FPNH"], "54,141")
        self.assertEqual(ours["× the paper"], f"{54140.8 / 575.25:.3g}")
        self.assertEqual(ours["of the 900 s allowed"], "0.2%")

    def test_both_kinds_of_files(self):
        packed = faster(data("pipeline"), 0.5)
        packed["record"] |= {"entry": "packed"}
        packed["record"]["inputs"]["generator"]["compression"] = "gz"
        packed["record"]["work"]["compression"] = "gz"
        table = headline.speed_table([result("pipeline"), result("pipeline", packed)])
        names = [cells[0] for _, cells in table.rows[1:]]
        expected = ["one NVIDIA H200, `.fits.gz`", "one NVIDIA H200, plain FITS"]
        self.assertEqual(names, expected)
        self.assertEqual(row(table, expected[0])["FPNH"], "27,070")
        self.assertIn("`.fits.gz`: input and output", table.note)

    def test_files_that_are_read_and_not_written(self):
        """A row says so, and gives way to one that writes what it reads."""
        fast, packed = data("pipeline"), faster(data("pipeline"), 0.5)
        for sample, entry in ((fast, "fast"), (packed, "packed")):
            sample["record"] |= {"entry": entry}
            sample["record"]["inputs"]["generator"]["compression"] = "gz"
        packed["record"]["work"]["compression"] = "gz"
        table = headline.speed_table([result("pipeline", fast)])
        self.assertIn("one NVIDIA H200, `.fits.gz` in, plain FITS out", table.markdown())
        self.assertNotIn("`.fits.gz`: input and output", table.note)
        both = headline.speed_table([result("pipeline", fast), result("pipeline", packed)])
        self.assertEqual(len(both.rows), 2)
        self.assertEqual(row(both, "one NVIDIA H200, `.fits.gz`")["FPNH"], "27,070")

    def test_most_frames_come_first(self):
        """Then the fastest."""
        few, slow, fast = faster(data("pipeline"), 4), data("pipeline"), faster(data("pipeline"), 2)
        few["derived"]["fom"] |= {"frames_asked": 12, "scaled_to": 30}
        for number, one in enumerate((few, slow)):
            one["record"]["entry"] = f"other-{number}"
        found = [result("pipeline", sample) for sample in (few, slow, fast)]
        self.assertEqual([r.entry for r in ladder.best_ladder_results(found)], ["pipeline"])
        [cells] = [c for kind, c in ladder.ladder_table(found[:1]).rows if kind == "ours"]
        self.assertIn("12 of 30", cells)

    def test_few_frames_are_not_taken_for_an_exposure(self):
        few = faster(data("pipeline"), 100)
        few["record"]["entry"] = "few"
        few["derived"]["fom"]["frames_asked"] = 3
        self.assertEqual(
            headline.headlines([result("pipeline"), result("pipeline", few)])[0].entry, "pipeline"
        )
        self.assertEqual(ladder.best_ladder_results([result("pipeline", few)]), [])

    def test_a_complete_result_comes_before_a_faster_one(self):
        whole, part = faster(data("pipeline"), 1), faster(data("pipeline"), 2)
        whole["derived"]["fom"]["incomplete_because"] = []
        part["derived"]["fom"]["incomplete_because"] = ["no warm-up"]
        part["record"]["entry"] = "part"
        both = [result("pipeline", part), result("pipeline", whole)]
        for chosen in (headline.headlines, ladder.best_ladder_results):
            self.assertEqual([r.entry for r in chosen(both)], ["pipeline"])
            self.assertEqual([r.entry for r in chosen(both[:1])], ["part"])

    def test_ladder(self):
        table = ladder.ladder_table([result("pipeline"), result("interleave-io")])
        papers = [cells for kind, cells in table.rows if kind == "paper"]
        self.assertEqual(len(papers), len(read_published().ladder))
        ours = [
            dict(zip(table.columns, c, strict=True)) for kind, c in table.rows if kind == "ours"
        ]
        self.assertEqual([o["milestone"] for o in ours], ["interleave-io", "pipeline"])
        self.assertEqual(ours[0]["commit"], "5c1945f with changes")
        self.assertEqual((ours[0]["frames"], ours[0]["nodes × GPUs"]), ("6 of 30", "1 × 4"))

    def test_other_settings_stand_apart(self):
        script = data("pipeline")
        script["record"]["launch"]["argv"] += [
            "--nwavestep",
            "30",
            "--wavepad-frac",
            "0",
            "--pixpad-frac",
            "0",
        ]
        results = [result("pipeline", script)]
        self.assertEqual(len(ladder.script_table(results).rows), 1)
        self.assertNotIn("ours", [kind for kind, _ in ladder.ladder_table(results).rows])

    def test_settings_of_each_rungs_time(self):
        """Of nwavestep 50 until batch-eigh, then 30, always without padding."""
        padding = ["--wavepad-frac", "0", "--pixpad-frac", "0"]
        early, wrong, late = (data("interleave-io") for _ in range(3))
        early["record"]["milestone"] = early["record"]["entry"] = "batch-eigh"
        early["record"]["launch"]["argv"] += padding
        wrong["record"]["launch"]["argv"] += padding
        late["record"]["launch"]["argv"] += [*padding, "--nwavestep", "30"]
        wrong["record"]["entry"] = "wrong"
        results = [
            result("interleave-io", early),
            result("interleave-io", wrong),
            result("interleave-io", late),
            result("pipeline"),
        ]
        table = ladder.published_table(results)
        self.assertEqual(row(table, "batch-eigh")["nwavestep"], "50")
        paper = row(table, "interleave-io")["the paper: FPNH (× previous)"]
        self.assertEqual(paper, "CoriGPU 298.19 (1.27); DGX 575.25 (1.34)")
        self.assertEqual(len(table.rows), 2)

    def test_totals(self):
        table = ladder.totals_table([result("pipeline")])
        paper = row(table, "the paper: interleave-io")
        factors = [
            paper[f"× {name}"]
            for name in ("baseline, Edison", "baseline, Cori", "cpu-refactor, Cori")
        ]
        self.assertEqual(factors, ["20.6", "14.3", "8.84"])

    def test_dashes(self):
        table = Table.of("a", "A", [{"a": "x", "b": None}, {"a": "y", "b": "1"}])
        self.assertEqual(table.markdown(), "| a | b |\n| --- | --- |\n| x | – |\n| y | 1 |\n")
        self.assertIsNone(Table.of("a", "A", []))


if __name__ == "__main__":
    unittest.main()
