"""The roofline: how near each stage comes to what the machine can do."""

import re

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from spexreports import style
from spexreports.result import STAGES, Result
from spexreports.section import Missing, Picture, by_group, rungs, systems

MARKERS = "osD^vPX*<>"
LEGEND_COLUMNS = 3
# As in the figure of the stages, but for quality, whose hatch a marker has not.
COLOURS = {
    "spots": style.GREEN,
    "assemble": style.BLUE,
    "solve": style.PURPLE,
    "decorrelate": style.VERMILION,
    "quality": style.ORANGE,
}


def _draw(chosen: list[Result], unit: str) -> Figure:
    points = [(r, p) for r in chosen for p in r.roofline]
    present = {p.stage for _, p in points}
    stages = [s for s in STAGES if s in present]
    colour = {s: COLOURS.get(s, style.SKY) for s in stages}
    rows = -(-(len(stages) + len(chosen)) // LEGEND_COLUMNS)
    figure, axes = style.column_figure(68 + 3.4 * rows)
    axis = axes[0, 0]
    intensity = [p.flops / p.bytes for _, p in points]
    low, high = min(intensity) / 3, max(intensity) * 3
    for flops, moved in dict.fromkeys((p.ceiling_flops, p.ceiling_bytes) for _, p in points):
        low, high = min(low, flops / moved / 3), max(high, flops / moved * 3)
    x = np.geomspace(low, high, 200)
    for flops, moved in dict.fromkeys((p.ceiling_flops, p.ceiling_bytes) for _, p in points):
        axis.plot(x, np.minimum(flops, moved * x) / 1e9, color=style.BLACK, lw=1.0)
        axis.annotate(
            f"{flops / 1e12:.3g} TFLOP/s, {moved / 1e12:.3g} TB/s",
            (high, flops / 1e9),
            xytext=(-2, 2),
            textcoords="offset points",
            ha="right",
            fontsize=style.SMALLEST_FONT,
        )
    for i, result in enumerate(chosen):
        for p in result.roofline:
            axis.plot(
                p.flops / p.bytes,
                p.flops / p.seconds / 1e9,
                ls="",
                marker=MARKERS[i % len(MARKERS)],
                color=colour[p.stage],
            )
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(low, high)
    axis.set_ylim(top=axis.get_ylim()[1] * 2)
    axis.set_xlabel("arithmetic intensity (FLOP / byte)")
    axis.set_ylabel(f"FP64 rate of a {unit} (GFLOP/s)")
    handles = [Line2D([], [], ls="", marker="s", color=c, label=s) for s, c in colour.items()]
    handles += [
        Line2D(
            [],
            [],
            ls="",
            marker=MARKERS[i % len(MARKERS)],
            color=style.BLACK,
            mfc="none",
            label=r.entry,
        )
        for i, r in enumerate(chosen)
    ]
    axis.set_title(systems(chosen))
    figure.legend(handles=handles, loc="outside lower left", ncols=LEGEND_COLUMNS)
    return figure


def roofline_figure(results: list[Result]) -> list[Picture] | Missing:
    """Stages under their ceilings: for each system a figure for GPUs, one for CPUs."""
    chosen = [r for r in rungs(results) if r.effective and r.roofline]
    if not chosen:
        return Missing("no valid entry of the ladder with a roofline (the plan's ceilings)")
    pictures = []
    for (system, on_gpu), group in by_group(
        chosen, lambda r: (r.system, r.gpus_per_node > 0)
    ).items():
        sources = dict.fromkeys(p.source for r in group for p in r.roofline)
        unit = "rank on its GPU" if on_gpu else "thread"
        caption = (
            f"Roofline of the stages, log-log: rate of a {unit} over the stage's floating-point "
            "operations a byte that must move. "
            + (
                "Where ranks share a GPU, its rate is up to so many times as high. "
                if on_gpu
                else "Ceilings are of one core. "
            )
            + f"Ceilings: {'; '.join(sources)}."
        )
        name = "roofline-gpu" if on_gpu else "roofline-cpu"
        if len({r.system for r in chosen}) > 1:
            name += "-" + re.sub(r"[^A-Za-z0-9]+", "-", system).strip("-")
        pictures.append(Picture(name, _draw(group, unit), caption))
    return pictures
