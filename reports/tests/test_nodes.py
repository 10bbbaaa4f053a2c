"""Tests of the search for odd nodes, on edited results."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from samples import data, faster, run
from spexreports.results.nodes import judge_nodes, read_nodes, table


def result(factor: float) -> dict:
    """The result of a node that is slower by a factor, with an interval of half a percent."""
    made = faster(data("pipeline"), 1 / factor)
    for clock in ("effective", "extraction"):
        seconds = made["derived"]["fom"][clock]["seconds"]
        seconds |= {"low": 0.995 * seconds["median"], "high": 1.005 * seconds["median"]}
    return made


class Nodes(unittest.TestCase):
    """A folder of results for each node."""

    def setUp(self):
        """Eight nodes that agree to a third of a percent."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for k in range(8):
            self.write(f"n{k}", result(1 + 0.001 * (k % 4)))

    def write(self, node: str, sample: dict):
        """The result of a node."""
        path = self.folder / node / "results"
        path.mkdir(parents=True, exist_ok=True)
        (path / "pipeline.json").write_text(json.dumps(sample))

    def verdicts(self) -> dict[str, str]:
        """The verdict of each node."""
        return {entry.node: entry.verdict for entry in judge_nodes(read_nodes(self.folder))}

    def odd(self) -> dict[str, str]:
        """The verdicts that are not ok."""
        return {node: verdict for node, verdict in self.verdicts().items() if verdict != "ok"}

    def command(self, *options: str) -> tuple[int, str]:
        """Status and output of `spex-reports nodes`."""
        status, out, err = run("nodes", self.folder, *options)
        return status, out + err

    def test_alike(self):
        """Differences within noise and margin are not outliers."""
        self.assertEqual(self.odd(), {})
        self.assertEqual(self.command()[0], 0)

    def test_slow_and_fast(self):
        """A node beyond the margin is named in the table and sets the status."""
        self.write("n3", result(1.06))
        self.write("n5", result(0.9))
        self.assertEqual(self.odd(), {"n3": "SLOW", "n5": "FAST"})
        status, text = self.command("--out", str(self.folder / "report"))
        self.assertEqual(status, 4)
        self.assertIn("SLOW: +5.8% by the effective clock", text)
        self.assertEqual(text.splitlines()[1].split()[0], "n3")
        self.assertGreater((self.folder / "report/nodes.svg").stat().st_size, 10000)
        self.assertIn("n3", (self.folder / "report/nodes.txt").read_text())
        self.assertEqual(self.command("--margin", "0.2")[0], 0)

    def test_many_slow_nodes_do_not_hide_each_other(self):
        """Three of eight, which would triple the standard deviation."""
        for node in ("n0", "n1", "n2"):
            self.write(node, result(1.5))
        self.assertEqual(self.odd(), dict.fromkeys(("n0", "n1", "n2"), "SLOW"))

    def test_noise_of_a_node_is_no_slowness(self):
        """Its interval, and not only its median, must be above the others' median."""
        wide = result(1.1)
        for clock in ("effective", "extraction"):
            wide["derived"]["fom"][clock]["seconds"]["low"] *= 0.8
        self.write("n1", wide)
        self.assertEqual(self.odd(), {"n1": "UNDECIDED"})

    def test_ok_only_if_the_interval_is_within_the_margin(self):
        """Three nodes whose runs scatter by 25% are not called ok, whatever their medians."""
        for k in range(8):
            wide = result(1)
            for clock in ("effective", "extraction"):
                seconds = wide["derived"]["fom"][clock]["seconds"]
                seconds |= {"low": 0.8 * seconds["median"], "high": 1.3 * seconds["median"]}
            self.write(f"n{k}", wide)
        self.assertEqual(set(self.verdicts().values()), {"UNDECIDED"})
        status, text = self.command()
        self.assertEqual(status, 6)
        self.assertIn("its runs -20.0 to +30.0%: more --repeats", text)
        self.assertEqual(self.command("--margin", "0.5")[0], 0)
        self.assertIn("effective: 8 nodes, coefficient of variation 0.0%, slowest / fastest", text)

    def test_two_nodes_judge_nobody(self):
        """Of two nodes, neither can be called odd."""
        for k in range(2, 8):
            (self.folder / f"n{k}/results/pipeline.json").unlink()
            (self.folder / f"n{k}/results").rmdir()
            (self.folder / f"n{k}").rmdir()
        self.write("n1", result(2))
        self.assertEqual(self.odd(), {"n0": "UNDECIDED", "n1": "UNDECIDED"})

    def test_wrong_silent_and_other_frames(self):
        """They come before slow nodes, and decide the status."""
        other = result(1)
        other["record"]["timing"]["samples"][0]["outputs_sha256"] = "0" * 64
        self.write("n2", other)
        self.assertEqual(self.odd(), {"n2": "OTHER FRAMES"})
        self.assertEqual(self.command()[0], 3)
        (self.folder / "n6/results/pipeline.json").unlink()
        self.assertEqual(self.odd(), {"n2": "OTHER FRAMES", "n6": "NO RESULT"})
        self.assertEqual(self.command()[0], 1)
        (self.folder / "nodes.list").write_text("n0\nn6\nn9\n")
        self.assertEqual(self.odd()["n9"], "NO RESULT")
        wrong = result(1)
        fom = wrong["derived"]["fom"]
        fom["effective"] = fom["extraction"] = None
        wrong["derived"]["verdict"] |= {
            "overall": "incorrect",
            "exit_status": 3,
            "reasons": ["r0: IVAR"],
        }
        self.write("n6", wrong)
        text = table(judge_nodes(read_nodes(self.folder)))
        self.assertIn("WRONG: r0: IVAR", text)

    def test_nothing_there(self):
        """One line."""
        status, text = self.command()
        self.folder = self.folder / "none"
        status, text = self.command()
        self.assertEqual(status, 1)
        self.assertEqual(text.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
