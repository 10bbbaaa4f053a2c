"""Tests of the figures of the page of results."""

import sys
import unittest
from copy import deepcopy
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import matplotlib as mpl
from samples import committed, result, sweep_point
from spexreports.figures import ladder as ladder_figures
from spexreports.figures import night, scaling, style, timeline, wall
from spexreports.tables import headline, ladder


def cut_off(figure) -> list[str]:
    """Texts that are not entirely within a figure."""
    figure.draw_without_rendering()
    whole = figure.bbox.padded(1)
    ticks = {
        t for axis in figure.axes for one in (axis.xaxis, axis.yaxis) for t in one.get_ticklabels()
    }
    found = []
    for text in figure.findobj(mpl.text.Text):
        box = text.get_window_extent()
        inside = whole.contains(box.x0, box.y0) and whole.contains(box.x1, box.y1)
        if text.get_text().strip() and text.get_visible() and not inside:
            hidden = text in ticks or text.get_text().startswith(("$\\mathdefault", "−"))
            found += [] if hidden else [text.get_text()]
    return found


class Figures(unittest.TestCase):
    """What is drawn, and that nothing is cut off."""

    def setUp(self):
        style.apply()
        self.addCleanup(mpl.pyplot.close, "all")

    def test_nothing_is_cut_off(self):
        results = committed().results
        heads = headline.headlines(results)
        figures = [
            wall.wall_figure(heads),
            wall.share_figure(ladder.best_ladder_results(results)),
            ladder_figures.ladder_figure(results),
            scaling.gpus_figure(results),
            scaling.ranks_figure(results),
            scaling.bundles_figure(results, "weak", "ranks, a bundle each"),
            timeline.timeline_figure(result("interleave-io")),
            night.night_figure(result("night")),
        ]
        for figure in figures:
            self.assertEqual(figure.get_figwidth(), style.WIDTH)
            self.assertEqual(cut_off(figure), [])

    def test_cut_off_text_is_found(self):
        figure, _ = style.figure(2)
        figure.text(1.5, 0.5, "lost")
        self.assertEqual(cut_off(figure), ["lost"])

    def test_wall_bars(self):
        axis = wall.wall_figure([result("pipeline")]).axes[0]
        last = result("pipeline").timed[-1]
        self.assertAlmostEqual(
            sum(p.get_width() for p in axis.patches), last["effective_s"], places=6
        )
        self.assertIsNone(wall.wall_figure([result("night")]))

    def test_sweeps_are_lines(self):
        points = [sweep_point(n, "weak", n, n) for n in (1, 2, 4)]
        results = [result("pipeline", p) for p in points]
        line = scaling.bundles_figure(results, "weak", "ranks").axes[0].lines[0]
        self.assertEqual(list(line.get_xdata()), [1, 2, 4])
        self.assertAlmostEqual(line.get_ydata()[0], 4 * line.get_ydata()[2])
        self.assertIsNone(scaling.bundles_figure(results[:1], "weak", "ranks"))

    def test_ranks_have_a_panel_a_milestone_and_a_line_by_gpus_and_mps(self):
        points = []
        for gpus, mps in ((1, True), (2, True), (2, False)):
            for ranks in (1, 2, 4):
                point = sweep_point(ranks, "ranks-per-gpu", ranks, ranks * gpus)
                point["record"]["scaling"]["sweep"] = f"ranks-{gpus}-{mps}"
                point["record"]["launch"] |= {"gpus_per_node": gpus, "mps": mps and ranks > 1}
                points.append(point)
        other = deepcopy(points[:3])
        for point in other:
            point["record"]["milestone"] = "batch-subbundle"
        figure = scaling.ranks_figure([result("pipeline", p) for p in points + other])
        self.assertEqual(
            [a.get_title("left") for a in figure.axes], ["batch-subbundle", "pipeline"]
        )
        _, labels = figure.axes[1].get_legend_handles_labels()
        system = points[0]["record"]["system"]["name"]
        wanted = ["1 GPU, MPS", "2 GPUs, MPS", "2 GPUs, without MPS"]
        self.assertEqual(labels, [f"{name}, {system}" for name in wanted])
        for container in figure.axes[1].containers:
            self.assertEqual(list(container.lines[0].get_xdata()), [1, 2, 4])
        lines = [container.lines[0] for container in figure.axes[1].containers]
        self.assertEqual([line.get_linestyle() for line in lines], ["-", "-", "--"])
        one, two, two_without_mps = (line.get_color() for line in lines)
        self.assertEqual((two == two_without_mps, one == two), (True, False))
        self.assertEqual(cut_off(figure), [])
        self.assertIsNone(scaling.ranks_figure([]))

    def test_gpus_of_each_system_have_a_line(self):
        points = [sweep_point(n, "gpus", n, n) for n in (1, 2, 1, 4)]
        for n, name, point in zip((1, 2, 1, 4), "aabb", points, strict=True):
            point["record"]["launch"]["gpus_per_node"] = n
            point["record"]["system"]["name"] = name
        figure = scaling.gpus_figure([result("pipeline", p) for p in points])
        self.assertEqual(figure.axes[0].get_title("left"), "plain FITS")
        _, labels = figure.axes[0].get_legend_handles_labels()
        self.assertEqual(labels, ["30 frames, a", "30 frames, b"])
        lines = [container.lines[0] for container in figure.axes[0].containers]
        self.assertEqual([line.get_linestyle() for line in lines], ["-", "--"])
        other = scaling.gpus_figure([result("pipeline", p) for p in points[1::2]])
        self.assertIsNone(other)  # a point each

    def test_cores_and_nodes_stand_beside_the_ideal(self):
        """Strong scaling as a speedup, weak scaling as an efficiency; both from the fewest."""
        strong = [sweep_point(n, "strong", n**0.5, n) for n in (4, 1, 2)]
        for point in strong:
            point["record"]["launch"] |= {"gpus_per_node": 0, "ranks_per_gpu": None}
        axis = scaling.cores_figure([result("pipeline", p) for p in strong]).axes[0]
        found, ideal = axis.lines[0], next(x for x in axis.lines if x.get_label() == "_ideal")
        self.assertEqual(list(found.get_xdata()), [1, 2, 4])
        for value, expected in zip(found.get_ydata(), (1, 2**0.5, 2), strict=True):
            self.assertAlmostEqual(value, expected)
        self.assertEqual(list(ideal.get_ydata()), [1, 2, 4])
        weak = [sweep_point(n, "weak-nodes", 1 / n**0.1, n) for n in (1, 4, 16)]
        axis = scaling.weak_figure([result("pipeline", p) for p in weak], "weak-nodes").axes[0]
        for value, n in zip(axis.lines[0].get_ydata(), (1, 4, 16), strict=True):
            self.assertAlmostEqual(value, 100 / n**0.1)
        self.assertIsNone(scaling.weak_figure([result("pipeline", weak[0])], "weak-nodes"))

    def test_no_two_lines_look_the_same(self):
        self.assertEqual(len({style.line_style(i) for i in range(36)}), 36)


if __name__ == "__main__":
    unittest.main()
