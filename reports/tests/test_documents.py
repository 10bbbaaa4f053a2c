"""Tests of the numbers that documents quote, from results and from the paper."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from samples import RESULTS, ROOT, committed, run
from spexreports.errors import DataError
from spexreports.page.quote import BLOCK, blocks, quote
from spexreports.results.published import read_published
from spexreports.results.read import Found

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


class Quoted(unittest.TestCase):
    """The documents of the repository, and edited ones."""

    def test_documents(self):
        made = blocks(committed())
        quoting = [file for file in DOCUMENTS if BLOCK.search(file.read_text())]
        self.assertIn(ROOT / "README.md", quoting)
        for file in quoting:
            hint = f"{file}: `spex-reports quote reports/results --documents` writes it anew"
            self.assertTrue(quote(file, made) == file.read_text(), hint)

    def test_edited_number(self):
        """A number that was edited fails the check, and is corrected."""
        text = (ROOT / "docs/milestones.md").read_text()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "milestones.md"
            file.write_text(text.replace("575.25", "575.26"))
            status, _, err = run("quote", RESULTS, "--check", "--documents", file)
            self.assertEqual((status, err.count("\n")), (1, 1), err)
            self.assertIn("milestones.md: quotes numbers", err)
            self.assertEqual(run("quote", RESULTS, "--documents", file)[0], 0)
            self.assertEqual(file.read_text(), text)

    def test_marks_out_of_place(self):
        mark, end = "<!-- from results: ladder -->\n", "<!-- end -->\n"
        out = "has a misplaced mark"
        for text, reason in (
            (mark, out),
            (end, out),
            (f"{mark}{mark}{end}", out),
            (f"{mark}{end}\n{end}", out),
            (f"<!-- from results: no-such -->\n{end}", "has the unknown block no-such"),
        ):
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "doc.md"
                file.write_text(text)
                with self.assertRaisesRegex(DataError, reason):
                    quote(file, blocks(Found()))


class Published(unittest.TestCase):
    """Each number of the paper is in published.json, with its place in the source."""

    def test_places(self):
        published = read_published()
        for s in published.statements.values():
            self.assertIn(s.source, published.sources)
            self.assertTrue(s.where, s.id)
        for paper in published.ladder:
            seconds = 30 * 3600 / (paper.nodes * paper.fpnh)
            self.assertAlmostEqual(seconds / paper.walltime_s, 1, delta=0.002)

    def test_documents_quote_what_is_there(self):
        """A measure in a sentence about the paper must be a published one.

        `quote` checks the quoted blocks. Other sentences may use numbers of the statements and of
        the ladder, and ratios of the ladder's rows.
        """
        published = read_published()
        known = {
            n
            for s in published.statements.values()
            for n in re.findall(r"[\d.,]+\d|\d", s.number + s.note)
        }
        known |= {f"{paper.fpnh:.2f}" for paper in published.ladder}
        known |= {f"{a.fpnh / b.fpnh:.3g}" for a in published.ladder for b in published.ladder}
        known |= {str(n) for n in (1, 2, 2021, 2019, 2020, *range(3, 8))}
        for file in DOCUMENTS:
            text = BLOCK.sub("", file.read_text())
            for sentence in re.split(r"(?<=[.:;])\s+|\n\n|\n\|", text):
                said = " ".join(sentence.split())
                if not re.search(r"\bthe paper('s)?\b", said) or "measured here" in said:
                    continue
                said = re.sub(r"`[^`]*`|\[[^]]*\]\([^)]*\)|section \d+(\.\d+)?", "", said)
                unit = r"(?:×|times|%|s\b|FPNH|ranks|patches|million)"
                for number in re.findall(rf"(?<![\w.,])(\d(?:[\d.,]*\d)?) ?{unit}", said):
                    self.assertTrue(number in known, f"{number} in {file.name}: {said}")

    def test_what_was_said_wrongly(self):
        """No document repeats a claim that the sources do not make."""
        wrong = (
            r"85% of the kernels",
            r"31% of the CPUs of a DGX",
            r"subbundle's solution 3\.3",
            r"253\.5",
            r"so seven cores",
            r"[Tt]he paper's settings",
        )
        files = [*DOCUMENTS, *(ROOT / "reports/spexreports").rglob("*.py")]
        files += [
            *(ROOT / "reports/spexreports").rglob("*.j*"),
            *(ROOT / "reports/results").glob("*.md"),
        ]
        for file in files:
            text = " ".join(file.read_text().split())
            for pattern in wrong:
                if file.name != "checks.py":
                    self.assertIsNone(re.search(pattern, text), f"{file}: {pattern}")


if __name__ == "__main__":
    unittest.main()
