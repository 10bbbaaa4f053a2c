"""Tests of what the report says of MPS, of how busy a machine was, and of start-up."""

import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))
sys.path.insert(0, str(ROOT / "reports/tests"))

import make_sample_results  # noqa: E402
from spexreports import style  # noqa: E402
from spexreports.busy_table import busy_table  # noqa: E402
from spexreports.launch_figure import launch_figure  # noqa: E402
from spexreports.mps_table import mps_table  # noqa: E402
from spexreports.result import Result  # noqa: E402
from spexreports.result_files import parse_result  # noqa: E402
from spexreports.section import Missing  # noqa: E402


def sample(milestone: str, **more: object) -> Result:
    """A made-up result; `usage` is of each of its samples."""
    usage = more.pop("usage", {})
    mps = more.pop("mps", None)
    data = json.loads(json.dumps(make_sample_results.make(milestone, **more)))
    for one in data["timing"]["samples"]:
        one |= usage
    if mps is not None:
        data["launch"]["mps"] = mps
    return parse_result(Path(f"{data['entry']}.json"), make_sample_results.as_file(data))


def mps_point(x: str, seconds: float) -> Result:
    """A point of a sweep of MPS: five ranks on each of four GPUs."""
    return sample(
        "batch-subbundle",
        entry=f"mps-{x}",
        ranks_per_gpu=5,
        seconds=seconds,
        repeats=6,
        mps=x == "on",
        scaling=make_sample_results.sweep("mps", "mps", x),
    )


class Usage(unittest.TestCase):
    """Tables and a figure."""

    def test_mps_on_over_off(self):
        """By pairs of the same round; one of the two alone says nothing."""
        off, on = mps_point("off", 60), mps_point("on", 30)
        html = mps_table([off, on])
        ratios = [
            off.extraction.seconds_of[i] / on.extraction.seconds_of[i]
            for i in on.extraction.seconds_of
        ]
        middle = sorted(ratios)
        self.assertIn(f"{(middle[2] + middle[3]) / 2:.4g}", html)
        self.assertIn("4 GPUs, 5 ranks", html)
        self.assertIsNone(mps_table([on]))

    def test_how_busy_it_was(self):
        """Parts of all CPUs and GPUs; frames per CPU-hour of CPUs alone."""
        usage = {"cpu_s": 32.0, "gpu_busy": [0.5, 0.5, 0.75, 0.25]}
        gpu = sample("pipeline", repeats=6, usage=usage)
        cpu = sample("cpu-refactor", repeats=6, usage={"cpu_s": 100.0})
        html = busy_table([gpu, cpu])
        seconds = gpu.effective.seconds.value
        self.assertIn(f'<td class="n">50</td><td class="n">{100 * 32 / (16 * seconds):.0f}<', html)
        self.assertIn(f">{32 / 3:.4g}<", html)
        hours = 16 * cpu.effective.seconds.value / 3600
        self.assertIn(f">{3 / hours:.4g}<", html)

    def test_what_it_takes_to_start(self):
        """A line for CPUs, for GPUs and for GPUs with MPS, where there are two numbers of ranks."""
        style.apply_column()
        points = [
            sample(
                "batch-subbundle",
                entry=f"ranks-{n}",
                ranks_per_gpu=n,
                scaling=make_sample_results.sweep("ranks", "ranks-per-gpu", n),
            )
            for n in (1, 2, 5)
        ]
        (picture,) = launch_figure(points)
        (line,) = picture.figure.axes[0].lines
        self.assertEqual(line.get_label(), "GPUs, with MPS")
        self.assertEqual(list(line.get_xdata()), [8, 20])
        launches = [s.launch_s for s in points[1].timed]
        self.assertAlmostEqual(line.get_ydata()[0], sorted(launches)[len(launches) // 2])
        self.assertIsInstance(launch_figure(points[:1]), Missing)


if __name__ == "__main__":
    unittest.main()
