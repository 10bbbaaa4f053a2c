"""Tests of gpu_specter on the same machine: results of ci/peer-bench, their table and row."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from samples import data, result, run, shown
from spexreports.errors import DataError
from spexreports.results.peer import read_peers
from spexreports.results.read import find
from spexreports.tables.headline import speed_table
from spexreports.tables.peer import peer_table
from spexreports.tables.provenance import origins

GPU = "NVIDIA H200"


def peer_run(program: str, camera: str, seconds: float, extraction: float | None, **more) -> dict:
    """A run as ci/peer-bench writes it."""
    made = {"program": program, "device": "gpu", "settings": "production", "ranks": 1}
    made |= {"camera": camera, "fibers": 500, "samples": [{}, {}, {}], "comparisons": []}
    made |= {"median_seconds": seconds, "median_extraction_s": extraction}
    return made | more


def peer_data(runs: list[dict], **more) -> dict:
    """A result as ci/peer-bench writes it."""
    made = {"schema": {"name": "spexbench-peer", "major": 1, "minor": 0}, "system": "h200"}
    made |= {"utc": "2026-11-26T01:02:03Z", "peer": {"commit": "0123456789ab"}}
    return made | {"machine": {"gpu": {"name": GPU}, "cpu": "Xeon"}, "runs": runs} | more


def three_arms() -> list[dict]:
    """By one rank 20 s a frame, by five 12 s (b 11, r 12, z 13); by pipeline 0.5 s, 0.04 s."""
    rows = []
    for number, camera in enumerate(("b0", "r0", "z0")):
        checks = [{"what": "flux pull", "largest": 1e-6 * number}]
        agrees = [{"with": "gpu_specter-5", "ok": True, "failure": None, "checks": checks}]
        rows.append(peer_run("gpu_specter-1", camera, 28.0, 20.0))
        rows.append(peer_run("gpu_specter-5", camera, 22.0, 11.0 + number, ranks=5))
        rows.append(peer_run("pipeline", camera, 0.5, 0.04, comparisons=agrees))
    return rows


class Peer(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)

    def write(self, made: dict, name: str = "peer.json") -> Path:
        (self.path / name).write_text(json.dumps(made))
        return self.path / name

    def read(self, runs: list[dict], **more) -> list:
        return read_peers([self.write(peer_data(runs, **more))])

    def test_row_of_the_first_table(self):
        """30 times 12 s, before the machine's own rows."""
        table = speed_table([result("pipeline")], self.read(three_arms()))
        self.assertEqual([kind for kind, _ in table.rows], ["paper", "peer", "ours"])
        cells = table.rows[1][1]
        name = f"gpu_specter, extraction alone: one {GPU}"
        self.assertEqual(cells[:3], [name, "300.00", "360.0"])
        said = origins([result("pipeline")], self.read(three_arms()))
        self.assertIn("by 5 ranks under MPS, extraction alone", said)
        self.assertIn("(0123456, 2026-11-26)", said)
        self.assertNotIn("0123456", table.markdown())
        self.assertIn(name, table.without_paper().markdown())

    def test_no_row(self):
        """Another system or GPU, an arm that lacks, a wrong frame, no time, or no result."""
        sample, runs = result("pipeline"), three_arms()
        without_z = [row for row in runs if row["camera"] != "z0"]
        wrong = [dict(row) for row in runs]
        wrong[2]["comparisons"] = [
            {"with": "gpu_specter-1", "ok": False, "failure": "FLUX", "checks": []}
        ]
        untimed = [row | {"median_extraction_s": None} for row in runs]
        script = [row | {"settings": "script"} for row in runs]
        other = {"machine": {"gpu": {"name": "NVIDIA A100"}, "cpu": "Xeon"}}
        for peers in (
            self.read(runs, system="h100"),
            self.read(runs, **other),
            *(self.read(rows) for rows in (without_z, wrong, untimed, script, [])),
        ):
            table = speed_table([sample], peers)
            self.assertEqual(table.markdown(), speed_table([sample]).markdown())

    def test_table(self):
        bundle = [
            peer_run("gpu_specter", "r0", 16.0, 12.0, device="cpu", fibers=25),
            peer_run("default", "r0", 0.5, 0.25, device="cpu", fibers=25),
        ]
        bundle[1]["comparisons"] = [{"ok": False, "failure": "IVAR: 1", "checks": []}]
        table = peer_table(self.read([*three_arms(), *bundle]))
        rows = [dict(zip(table.columns, cells, strict=True)) for _, cells in table.rows]
        programs = ["gpu_specter, 1 rank", "gpu_specter, 5 ranks", "spex-gpu, pipeline"]
        self.assertEqual(
            [r["program"] for r in rows], [*programs, "gpu_specter", "spex-cpu, default"]
        )
        # Beside the five ranks, whose extraction is the fastest.
        self.assertEqual(rows[2]["× gpu_specter, launch to exit"], "44")
        self.assertEqual(rows[2]["× gpu_specter, extraction"], "300")
        self.assertEqual(rows[2]["agrees"], "yes, flux within 2.0e-06 σ")
        self.assertEqual(rows[4]["× gpu_specter, extraction"], "48")
        self.assertEqual(rows[4]["agrees"], "no: IVAR: 1")
        self.assertEqual(rows[4]["system"], "h200, one core of Xeon")
        self.assertIsNone(peer_table([]))

    def test_cameras_that_all_have(self):
        """A camera that one program lacks does not count; work without gpu_specter is left out."""
        runs = [
            row for row in three_arms() if (row["program"], row["camera"]) != ("pipeline", "b0")
        ]
        runs.append(peer_run("direct", "r0", 1.0, 1.0, settings="script"))
        [found] = self.read(runs)
        self.assertEqual({one.cameras for one in found.runs}, {("r0", "z0")})
        self.assertEqual({one.settings for one in found.runs}, {"production"})

    def test_unfinished(self):
        """Runs that failed have no samples."""
        runs = three_arms()
        for row in runs[1::3]:
            row["samples"] = []
        [found] = self.read(runs)
        self.assertEqual(found.runs[0].program, "gpu_specter-1")
        self.assertEqual(len(found.runs), 2)

    def test_the_newest_of_a_system(self):
        old = self.write(peer_data(three_arms(), utc="2026-11-25T01:02:03Z"), "old.json")
        new = self.write(peer_data(three_arms()), "new.json")
        for order in ((old, new), (new, old)):
            [found] = read_peers(list(order))
            self.assertEqual(found.utc.day, 26)

    def test_the_newest_of_each_work(self):
        """Production's settings of one file, the script's of a newer one: both are shown."""
        script = [row | {"settings": "script"} for row in three_arms()]
        files = [self.write(peer_data(three_arms(), utc="2026-11-25T01:02:03Z"), "old.json")]
        files.append(self.write(peer_data(script), "new.json"))
        found = read_peers(files)
        self.assertEqual([(one.utc.day, len(one.runs)) for one in found], [(25, 3), (26, 3)])
        note = peer_table(found).note
        self.assertIn("h200: gpu_specter 0123456, 2026-11-25, h200: gpu_specter 0123456", note)
        self.assertIn("(0123456, 2026-11-25)", origins([result("pipeline")], found))

    def test_broken(self):
        for broken in ({"runs": [1]}, {"utc": "today"}, {"machine": None}, {"peer": {}}):
            with self.assertRaisesRegex(DataError, "peer.json: is broken"):
                read_peers([self.write(peer_data(three_arms()) | broken)])

    def test_page(self):
        """Found among results, shown first and in the table."""
        self.write(peer_data(three_arms()))
        (self.path / "plan").mkdir()
        (self.path / "plan/pipeline.json").write_text(json.dumps(data("pipeline")))
        self.assertEqual(find([self.path]).peers, [self.path / "peer.json"])
        status, _, err = run("bench", self.path, "--out", self.path / "out")
        self.assertEqual((status, err), (0, ""))
        page = (self.path / "out/index.html").read_text()
        name = f"gpu_specter, extraction alone: one {GPU}"
        self.assertIn(name, shown(page.split("<details")[0]))
        self.assertEqual(page.count('<h3 id="peer">'), 1)


if __name__ == "__main__":
    unittest.main()
