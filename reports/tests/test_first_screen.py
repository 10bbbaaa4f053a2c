"""Tests of the first screen of the README, and of its words and of the report's."""

import json
import sys
import tarfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from samples import ROOT, committed, data, faster, result
from spexreports.page.quote import first_screen
from spexreports.tables import agreement, headline, provenance, verdicts

CLOCKS = ("fpnh_effective", "fpnh_extraction", "fpnh_sustained", "seconds_effective")
THRESHOLD = dict.fromkeys((*CLOCKS, "seconds_extraction")) | {"margin": 0.05}


class Readme(unittest.TestCase):
    """The first 2,200 bytes of the README, which a reader sees without scrolling."""

    def setUp(self):
        self.text = (ROOT / "README.md").read_bytes()[:2200].decode(errors="ignore")

    def test_order(self):
        """What it is, the picture, what to type, how fast, right or wrong, accepted, limits."""
        parts = (
            "# spexbench\n\nspexbench extracts spectra",
            "](docs/images/extraction.svg)",
            "\n    ci/demo ",
            "\n    ci/test ",
            "900 s",
            "Margala and others (2021)",
            "<!-- from results: headline -->\n| system |",
            "**Is it right?** Yes: ",
            "**Accepted?** ",
            "**Limits:** the frames are simulated",
            "(docs/performance.md#limits)).",
        )
        places = [self.text.find(part) for part in parts]
        self.assertNotIn(-1, places, dict(zip(parts, places, strict=True)))
        self.assertEqual(places, sorted(places))
        # One sentence is in front of the picture.
        self.assertEqual(self.text.split("![")[0].count("."), 1)

    def test_table(self):
        """At most four rows, the paper and gpu_specter first; runs and commits are further down."""
        table = self.text.split("<!-- from results: headline -->")[1].split("<!-- end -->")[0]
        rows = table.strip().splitlines()[2:]
        self.assertIn(len(rows), (2, 3, 4))
        self.assertTrue(rows[0].startswith("| the paper's best"))
        self.assertTrue(rows[1].startswith("| gpu_specter, extraction alone: "))
        self.assertNotRegex(self.text, r"\b(?=[a-f]*\d)[0-9a-f]{7}\b|not complete")
        rest = (ROOT / "README.md").read_bytes()[2200:].decode(errors="ignore")
        self.assertIn("<!-- from results: headline-provenance -->", rest)

    def test_archives_hold_the_results(self):
        """Others can check and rerun each row of the table that is ours."""
        archived = {}
        for file in (ROOT / "reports/archives").glob("*.tar.gz"):
            with tarfile.open(file) as tar:
                for name in tar.getnames():
                    if name.startswith("results/") and not name.endswith(".events.json"):
                        content = json.load(tar.extractfile(name))
                        if "record" in content:  # neither an acceptance nor a series
                            archived[content["record"]["run_id"], Path(name).stem] = content
        newest = headline.of_newest_machine(committed().results)
        found = headline.headlines(newest)
        self.assertTrue(found)
        for r in found:
            self.assertIn(headline.label(r), self.text)
            content = archived.get((r.json["run_id"], r.entry))
            self.assertIsNotNone(content, f"no archive holds {r.file}: {r.json['run_id']}")
            kept = json.loads(r.file.read_text())
            self.assertEqual(content["derived"], kept["derived"])
            self.assertEqual(content["record"]["build"], kept["record"]["build"])
            self.assertEqual(content["derived"]["fom"]["incomplete_because"], [])


class Words(unittest.TestCase):
    """What is said of samples."""

    def test_more_gpus_that_are_slower(self):
        """A sentence where they are, none where they are faster."""
        for factor, said in ((0.5, True), (2, False)):
            two = faster(data("pipeline"), factor)
            two["record"] |= {"entry": "two"}
            two["record"]["launch"]["gpus_per_node"] = 2
            note = headline.speed_table([result("pipeline"), result("pipeline", two)]).note
            self.assertEqual("longer on two NVIDIA H200s than on fewer" in note, said, note)

    def test_rows_that_are_not_complete(self):
        """They are marked if others are complete."""
        whole, part = data("pipeline"), data("pipeline")
        whole["derived"]["fom"]["incomplete_because"] = []
        part["derived"]["fom"]["incomplete_because"] = ["its interval is wide"]
        part["record"]["launch"]["gpus_per_node"] = 2
        table = headline.speed_table([result("pipeline", whole), result("pipeline", part)])
        text = table.markdown()
        self.assertRegex(text, r"two NVIDIA H200s, .*\(not complete, 2026-11-22\) \|")
        self.assertRegex(text, r"one NVIDIA H200, [^|(]*\|")
        alone = headline.speed_table([result("pipeline", part)])
        self.assertNotIn("not complete", alone.markdown())

    def test_origins(self):
        """The run, commit and date of each row, which the table does not name."""
        results = [result("pipeline")]
        self.assertRegex(
            provenance.origins(results, []), r"`pipeline` of h200 \(\w{7}.*, 2026-11-22"
        )
        self.assertNotIn(results[0].commit, headline.speed_table(results).markdown())

    def test_machines_and_their_verdicts(self):
        """The same machine of two systems has their names; rejected ones come first."""
        other, slow = data("pipeline"), faster(data("pipeline"), 0.5)
        other["record"]["system"]["name"] = "other"
        slow["record"]["system"]["name"] = "slow"
        slow["record"]["launch"]["gpus_per_node"] = 2
        slow["record"]["threshold"] = THRESHOLD | {"fpnh_effective": 60000.0}
        slow["derived"]["verdict"] |= {"performance": "fail", "overall": "slow"}
        results = [result("pipeline", sample) for sample in (data("pipeline"), other, slow)]
        self.assertEqual(
            verdicts.accepted(results),
            "No (at least 60,000 FPNH, less 5%): two NVIDIA H200s. "
            "Not judged: one NVIDIA H200 (h200), one NVIDIA H200 (other).",
        )

    def test_right_in_a_sentence(self):
        """Golden frames count where all programs reproduce them; those of -seam are not DESI's."""
        sample, wrong = data("pipeline"), data("pipeline")
        names = ("tiny-b", "tiny-b-seam")
        goldens = [{"name": n, "sha256": "0" * 64, "failure": None, "checks": []} for n in names]
        sample["record"]["golden"] = goldens
        with_goldens, without = result("pipeline", sample), result("pipeline")
        self.assertEqual(agreement.peer_goldens([with_goldens]), 1)
        self.assertEqual(agreement.peer_goldens([with_goldens, without]), 0)
        text = agreement.in_a_sentence([with_goldens])
        self.assertRegex(text, r"^Yes: every timed program .* and all \d+ compared frames agree")
        self.assertRegex(agreement.in_a_sentence([without]), r"^Yes: all \d+ compared frames")
        wrong["record"]["validation"]["frames"][0]["failure"] = "b0: IVAR differs"
        text = agreement.in_a_sentence([result("pipeline", wrong)])
        self.assertRegex(text, r"^No\. Of \d+ compared frames those of b0 are wrong\.$")

    def test_readme_tells_of_one_gpu(self):
        """A newer result of two GPUs does not take its place."""
        two = faster(data("pipeline"), 2)
        two["record"] |= {"entry": "two", "start_utc": "2026-11-30T00:00:00Z"}
        two["record"]["launch"]["gpus_per_node"] = 2
        two["record"]["build"]["commit"] = "0" * 40
        table = first_screen([result("pipeline"), result("pipeline", two)], [])["headline"]
        self.assertIn("one NVIDIA H200", table)
        self.assertNotIn("two NVIDIA", table)


if __name__ == "__main__":
    unittest.main()
