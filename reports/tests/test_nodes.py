"""Tests of the finder of odd nodes, on results that are edited for it."""

import io
import itertools
import json
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))
sys.path.insert(0, str(ROOT / "reports/tests"))

from make_sample_results import as_file, figure, members_of  # noqa: E402
from spexreports import __main__  # noqa: E402
from spexreports.nodes import judge_nodes, read_nodes, table  # noqa: E402

GOOD = members_of(ROOT / "reports/tests/data/run/pipeline.json")


def result(factor: float) -> dict:
    """A result of a node that is slower by a factor."""
    data = deepcopy(GOOD)
    fom = data["fom"]
    for clock in ("effective", "extraction"):
        seconds = []
        for sample in data["timing"]["samples"]:
            sample[f"{clock}_s"] *= factor
            if not sample["warmup"]:
                seconds.append(sample[f"{clock}_s"])
        fom[clock] = figure(seconds, fom["frames_asked"], fom["nodes"], fom["gpus"], data["tier"])
    return data


class Nodes(unittest.TestCase):
    """A folder of results for each node."""

    def setUp(self):
        """Eight nodes that are alike but for a third of a per cent."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for k in range(8):
            self.write(f"n{k}", result(1 + 0.001 * (k % 4)))

    def write(self, node: str, data: dict):
        """The result of a node."""
        path = self.folder / node / "results"
        path.mkdir(parents=True, exist_ok=True)
        (path / "pipeline.json").write_text(json.dumps(as_file(data)))

    def words(self) -> dict[str, str]:
        """What is said of each node."""
        return {one.node: one.word for one in judge_nodes(read_nodes(self.folder))}

    def odd(self) -> dict[str, str]:
        """Of those that are not ok."""
        return {node: word for node, word in self.words().items() if word != "ok"}

    def command(self, *options: str) -> tuple[int, str]:
        """Status and output of `spexreports nodes`."""
        out = io.StringIO()
        words = ["spexreports", "nodes", str(self.folder), *options]
        with mock.patch.object(sys, "argv", words), redirect_stdout(out), redirect_stderr(out):
            status = __main__.main()
        return status, out.getvalue()

    def test_alike(self):
        """Differences within noise and margin make no outlier."""
        self.assertEqual(self.odd(), {})
        self.assertEqual(self.command()[0], 0)

    def test_slow_and_fast(self):
        """A node beyond the margin, in the words of the table and as status."""
        self.write("n3", result(1.06))
        self.write("n5", result(0.9))
        self.assertEqual(self.odd(), {"n3": "SLOW", "n5": "FAST"})
        status, text = self.command("--out", str(self.folder / "report"))
        self.assertEqual(status, 4)
        self.assertIn("SLOW: +5.8% by the effective clock", text)
        self.assertEqual(text.splitlines()[1].split()[0], "n3")
        self.assertGreater((self.folder / "report/nodes.png").stat().st_size, 10000)
        self.assertIn("n3", (self.folder / "report/nodes.txt").read_text())
        self.assertEqual(self.command("--margin", "0.2")[0], 0)

    def test_many_slow_nodes_do_not_hide_each_other(self):
        """Three of eight, which would triple a standard deviation."""
        for node in ("n0", "n1", "n2"):
            self.write(node, result(1.5))
        self.assertEqual(self.odd(), dict.fromkeys(("n0", "n1", "n2"), "SLOW"))

    def test_noise_of_a_node_is_no_slowness(self):
        """Its runs must all but lie above the others' median, and not its median alone."""
        data = result(1.0)
        wide = [0.9, 0.95, 1.1, 1.1, 1.1]
        fom = data["fom"]
        for clock in ("effective", "extraction"):
            timed = [s for s in data["timing"]["samples"] if not s["warmup"]]
            for sample, factor in zip(timed, itertools.cycle(wide)):
                sample[f"{clock}_s"] = fom[clock]["seconds"]["median"] * factor
            seconds = [s[f"{clock}_s"] for s in timed]
            fom[clock] = figure(
                seconds, fom["frames_asked"], fom["nodes"], fom["gpus"], data["tier"]
            )
        self.write("n1", data)
        self.assertEqual(self.odd(), {})

    def test_two_nodes_judge_nobody(self):
        """With two nobody can say which is the odd one."""
        for k in range(2, 8):
            (self.folder / f"n{k}/results/pipeline.json").unlink()
            (self.folder / f"n{k}/results").rmdir()
            (self.folder / f"n{k}").rmdir()
        self.write("n1", result(2))
        self.assertEqual(self.odd(), {})

    def test_wrong_silent_and_other_frames(self):
        """They are said before slowness, and decide the status."""
        other = result(1)
        other["timing"]["samples"][0]["outputs_sha256"] = "0" * 64
        self.write("n2", other)
        self.assertEqual(self.odd(), {"n2": "OTHER FRAMES"})
        self.assertEqual(self.command()[0], 3)
        (self.folder / "n6/results/pipeline.json").unlink()
        self.assertEqual(self.odd(), {"n2": "OTHER FRAMES", "n6": "NO RESULT"})
        self.assertEqual(self.command()[0], 1)
        (self.folder / "nodes.list").write_text("n0\nn6\nn9\n")
        self.assertEqual(self.odd()["n9"], "NO RESULT")
        wrong = result(1)
        wrong["fom"]["effective"] = wrong["fom"]["extraction"] = None
        wrong["verdict"] |= {"overall": "incorrect", "exit_status": 3, "reasons": ["r0: IVAR"]}
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
