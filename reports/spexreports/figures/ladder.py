"""The ladder: frames per node-hour of each milestone, the paper's and ours."""

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from spexreports.figures import style
from spexreports.results.published import MILESTONES, read_published
from spexreports.results.result import Result
from spexreports.results.work import of_exposure
from spexreports.tables.headline import machine
from spexreports.tables.ladder import best_ladder_results

PAPER = {"Edison": "P", "Cori": "X", "CoriGPU": "^", "DGX": "v"}


def ladder_figure(results: list[Result]) -> Figure | None:
    """Effective FPNH on a logarithmic axis; open markers stand for fewer than 30 frames."""
    best = best_ladder_results(results)
    if not best:
        return None
    milestones = [
        m for m in MILESTONES if any(r.milestone == m for r in (*best, *read_published().ladder))
    ]
    rows = {milestone: row for row, milestone in enumerate(milestones)}
    drawn, axes = style.figure(1.5 + 0.46 * len(rows))
    axis = axes[0, 0]
    handles = []
    for paper in read_published().ladder:
        # Two systems of a milestone are drawn one above the other.
        row = rows[paper.milestone] + (-0.38 if paper.system in ("Edison", "CoriGPU") else -0.18)
        marker = {"marker": PAPER[paper.system], "color": style.GRAY, "ms": 5.5, "ls": ""}
        axis.plot(paper.fpnh, row, **marker)
        if f"paper: {paper.system}" not in [one.get_label() for one in handles]:
            handles.append(Line2D([], [], label=f"paper: {paper.system}", **marker))
    for milestone, row in rows.items():
        nodes = [str(r.nodes) for r in read_published().ladder if r.milestone == milestone]
        if nodes and set(nodes) != {"1"}:
            text = f"{', '.join(dict.fromkeys(nodes))} nodes"
            axis.text(2.4, row - 0.27, text, va="center", fontsize=style.FONT - 2, color="#555555")
    systems = sorted({r.system for r in best}, key=lambda s: (_gpus(best, s), s))
    for index, system in enumerate(systems):
        color, marker = style.line_style(index)
        points = [r for r in best if r.system == system]
        line = {"marker": marker, "color": color, "ms": 5.5, "ls": ""}
        handles.append(Line2D([], [], label=machine(max(points, key=lambda r: r.gpus)), **line))
        for r in points:
            row = rows[r.milestone] + 0.03 + 0.38 * index / max(len(systems) - 1, 1)
            fill = color if of_exposure(r) else "white"
            axis.plot(r.effective.fpnh.value, row, mfc=fill, **line)
    axis.set_xscale("log")
    axis.set_yticks(range(len(rows)), labels=list(rows))
    axis.set_ylim(len(rows) - 0.45, -0.6)
    axis.set_xlim(left=2)
    axis.set_xlabel("frames per node-hour, launch to exit")
    axis.grid(axis="x", which="major", color="#DDDDDD", lw=0.6)
    axis.set_axisbelow(True)
    style.thousands(axis.xaxis)
    for row in range(1, len(rows)):
        axis.axhline(row - 0.5, color="#EEEEEE", lw=0.6)
    drawn.legend(
        handles=handles, loc="outside lower left", ncols=2, handletextpad=0.2, columnspacing=1.0
    )
    return drawn


def _gpus(best: list[Result], system: str) -> int:
    return max(r.gpus for r in best if r.system == system)
