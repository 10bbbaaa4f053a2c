"""Where the time goes: shares of the stages, by entry."""

import statistics
import textwrap

from matplotlib.figure import Figure

from spexreports import style
from spexreports.result import STAGES, Result
from spexreports.section import Missing, Picture, rungs, systems, with_system

# Colour and hatch; a stage's colour comes twice at most, once hatched.
LOOKS = dict(
    zip(
        STAGES,
        (
            (style.GREY, ""),
            (style.SKY, ""),
            (style.SKY, "//////"),
            (style.ORANGE, "//////"),
            (style.GREEN, ""),
            (style.BLUE, ""),
            (style.PURPLE, ""),
            (style.VERMILION, ""),
            (style.GREEN, "//////"),
            (style.ORANGE, ""),
            (style.PURPLE, "//////"),
            (style.BLACK, ""),
        ),
        strict=True,
    )
)


def stage_seconds(result: Result) -> dict[str, float]:
    """Seconds of a frame by stage: medians over the timed runs of the sum over ranks."""
    names = [s for s in STAGES if any(s in sample.phases for sample in result.timed)]
    return {
        name: statistics.median(s.phases.get(name, 0.0) for s in result.timed) / result.frames_asked
        for name in names
    }


def _draw(chosen: list[tuple[Result, dict[str, float]]], everything: list[Result]) -> Figure:
    present = [s for s in STAGES if any(seconds.get(s, 0) > 0 for _, seconds in chosen)]
    figure, axes = style.column_figure(24 + 4.2 * len(chosen), width=style.PAGE_WIDTH)
    axis = axes[0, 0]
    names = []
    for row, (result, seconds) in enumerate(chosen):
        total, left = sum(seconds.values()), 0.0
        for stage in present:
            share = 100 * seconds.get(stage, 0.0) / total
            colour, hatch = LOOKS[stage]
            axis.barh(
                row,
                share,
                left=left,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                lw=0.2,
                label=stage if row == 0 else None,
            )
            left += share
        axis.annotate(
            f"{total:.3g} s",
            (100, row),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=style.SMALLEST_FONT,
        )
        names.append(
            textwrap.shorten(with_system(everything, result.entry, result), 48, placeholder="…")
        )
    axis.set_yticks(range(len(names)), labels=names)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.set_xlim(0, 108)
    axis.set_xticks(range(0, 101, 25))
    axis.set_xlabel("share of the stages' seconds (%)")
    axis.set_ylabel("entry")
    figure.legend(loc="outside upper left", ncols=6)
    return figure


def stages_figure(results: list[Result]) -> list[Picture] | Missing:
    """Stacked bars of the stages' shares; the sum in seconds a frame beside each."""
    everything = [r for r in rungs(results) if r.effective]
    chosen = [(r, stage_seconds(r)) for r in everything]
    chosen = [(r, seconds) for r, seconds in chosen if sum(seconds.values()) > 0]
    if not chosen:
        return Missing("no valid entry of the ladder with seconds by stage (timing.samples.phases)")
    caption = (
        f"Shares of the stages in the time of all ranks and threads, on {systems(everything)}; "
        "beside each bar the sum, in seconds a frame (medians of the timed runs). What runs side "
        "by side counts in full, so a sum may exceed the wall clock."
    )
    hidden = [
        with_system(everything, r.entry, r)
        for r, seconds in chosen
        if seconds.get("solve") and not seconds.get("decorrelate")
    ]
    if hidden:
        caption += (
            f" Of {'; '.join(hidden)} the run log counts decorrelate in solve: both "
            "are eigendecompositions there."
        )
    return [Picture("stages", _draw(chosen, everything), caption)]
