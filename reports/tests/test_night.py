"""Tests of the report of long runs."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))
sys.path.insert(0, str(ROOT / "reports/tests"))

from make_sample_results import as_file, members_of  # noqa: E402
from spexreports import style  # noqa: E402
from spexreports.bench_report import bench_report  # noqa: E402
from spexreports.errors import DataError, UsageError  # noqa: E402
from spexreports.night import night_figure, night_table  # noqa: E402
from spexreports.opening import opening  # noqa: E402
from spexreports.result_files import parse_result, read_results  # noqa: E402
from spexreports.section import Missing, rungs  # noqa: E402
from spexreports.thresholds import thresholds, thresholds_text  # noqa: E402

PIPELINE = ROOT / "reports/tests/data/run/pipeline.json"
BLOCKS, IN_BLOCK, SECONDS = 20, 1000, 12.5


def night() -> dict:
    """A result of an exposure made into one of a night: 80 frames a second on four GPUs."""
    data = members_of(PIPELINE)
    frames = BLOCKS * IN_BLOCK + 60
    data |= {"tier": "night", "entry": "night", "roofline": [], "scaling": None}
    data["timing"]["repeats"] = 1
    del data["timing"]["samples"][2:]
    blocks = [
        {"frames": IN_BLOCK, "begin_s": i * SECONDS, "seconds": SECONDS} for i in range(BLOCKS)
    ]
    soak = {"first": 30, "last": frames - 30, "seconds": BLOCKS * SECONDS, "blocks": blocks}
    distinct = {"first": 30, "last": 270, "seconds": 3.0, "blocks": []}
    run = {"frames": frames, "inputs": 300, "distinct": distinct, "soak": soak, "most_waiting": 7}
    drift = {
        "median": -0.36,
        "mad": 0.1,
        "low": -0.72,
        "high": 0.0,
        "coverage": 0.9785,
        "samples": [-0.36] * 10,
    }
    for sample in data["timing"]["samples"]:
        sample |= {"gpu_busy": [0.5] * 4, "cpu_s": 400.0, "node_joules": 3e5, "sustained": None}
    timed = data["timing"]["samples"][1]
    timed |= {"sustained": run, "effective_s": 256.0, "extraction_s": 255.0}

    def one(value: float) -> dict:
        return {
            "median": value,
            "mad": 0.0,
            "low": None,
            "high": None,
            "coverage": None,
            "samples": [value],
        }

    fom = data["fom"]
    fom |= {"frames_asked": frames, "frames_valid": frames}
    for clock in ("effective", "extraction"):
        seconds = timed[f"{clock}_s"]
        fom[clock] = {
            "seconds": one(seconds),
            "fpnh": one(3600 * frames / seconds),
            "frames_per_gpu_hour": one(3600 * frames / seconds / 4),
        }
    fpnh = 3600 * 240 / 3.0
    data["sustained"] = {
        "asked_s": 250.0,
        "asked_frames": None,
        "fpnh": one(fpnh),
        "soak_fpnh": one(3600 * IN_BLOCK / SECONDS),
        "drift_per_hour": drift,
        "night": {"frames": 1000, "seconds": 3.6e6 / fpnh, "node_hours": 1000 / fpnh},
    }
    data["energy"]["joules_per_frame"] = sum(timed["joules"]) / frames
    return data


def series() -> dict:
    """What the machine was like, every 5 s."""
    looks = 52
    gpu = {"temperature_c": 60, "clock_sm_mhz": 1755, "power_w": 540, "energy_j": 0, "busy": 0.9}
    return {
        "schema": {"name": "spexbench-series", "major": 1, "minor": 0},
        "run_id": "sample",
        "entry": "night",
        "run": 1,
        "start_unix": 0,
        "every_s": 5.0,
        "seconds": [5.0 * (i + 1) for i in range(looks)],
        "frames": [400 * (i + 1) for i in range(looks)],
        "cpu_busy": [None] + [0.4] * (looks - 1),
        "cpu_mhz": [None] * looks,
        "node": {
            "source": "rapl",
            "covers": "package-0",
            "energy_j": [1500.0 * i for i in range(looks)],
            "power_w": [None] * looks,
        },
        "gpus": [
            {"uuid": f"GPU-{i}"} | {key: [v + i] * looks for key, v in gpu.items()}
            for i in range(4)
        ],
    }


class Night(unittest.TestCase):
    """A long run in a folder of its own."""

    def setUp(self):
        """The result, with its series beside it."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.file = self.folder / "night.json"
        self.file.write_text(json.dumps(as_file(night())))
        self.series = self.folder / "night.series.json"
        self.series.write_text(json.dumps(series()))
        style.apply_column()

    def test_sustained_speeds_are_thresholds(self):
        """Of runs that lasted half an hour, or had all frames of the plan."""
        data = night()
        self.assertEqual(thresholds([parse_result(self.file, as_file(data))]), {})
        with self.assertRaisesRegex(UsageError, "no result has a speed"):
            thresholds_text([parse_result(self.file, as_file(data))])
        data["sustained"] |= {"asked_s": None, "asked_frames": data["fom"]["frames_asked"]}
        result = parse_result(self.file, as_file(data))
        plan = result.json["plan"]["name"]
        found = thresholds([result])
        self.assertEqual(found, {result.system: {plan: {"night": {"fpnh_sustained": 288000.0}}}})

    def test_the_table(self):
        """FPNH, drift over the run, joules, and what the survey takes."""
        html = night_table(read_results([self.folder]), self.folder)
        # 288,000 FPNH: a night in 12.5 s; 250 s are 0.0694 h, over which 36% an hour are 2.5%.
        for text in ("288,000", ">12.5 s<", "-2.5", "-5.0 to +0.0", "97.9% interval", ">2.083<"):
            self.assertIn(text, html)
        joules = night()["energy"]["joules_per_frame"]
        self.assertIn(f"{joules:.4g}, {3e5 / 20060:.4g}", html)

    def test_the_figure(self):
        """A panel for speed, temperature, clock, power with the node's, and use."""
        (picture,) = night_figure(read_results([self.folder]))
        labels = [axis.get_ylabel() for axis in picture.figure.axes]
        self.assertEqual(labels, ["FPNH", "°C", "SM clock, MHz", "W", "busy, %"])
        node = picture.figure.axes[3].lines[-1]
        self.assertEqual(node.get_label(), "node")
        self.assertAlmostEqual(node.get_ydata()[-1], 300)
        self.assertIn("rapl: package-0", picture.caption)

    def test_it_is_on_no_ladder(self):
        """A section of its own, and the page is made."""
        results = read_results([self.folder])
        self.assertEqual(rungs(results), [])
        self.assertEqual(night_table(read_results([PIPELINE]), self.folder), None)
        self.assertIn("288,000</span> sustained", opening(results, self.folder))
        written = [path.name for path in bench_report([self.folder], self.folder / "report")]
        self.assertEqual(written, ["night.png", "index.html"])
        self.series.unlink()
        self.assertIsInstance(night_figure(results), Missing)

    def test_a_broken_series(self):
        """One line."""
        data = series()
        data["gpus"][0]["busy"].pop()
        self.series.write_text(json.dumps(data))
        with self.assertRaises(DataError):
            night_figure(read_results([self.folder]))


if __name__ == "__main__":
    unittest.main()
