"""Seconds over what works at a time within a rank: threads of the CPU, extractors of a GPU."""

from spexreports import style
from spexreports.gpu_scaling_figure import interval_words, line
from spexreports.numbers import counted
from spexreports.result import Result
from spexreports.section import Missing, Picture, in_sweep, lines_of, systems, told_apart

LABELS = {
    "threads": "threads of a rank (CPU)",
    "extractors": "extractors of a rank (frames at a time on a GPU)",
}


def _number(result: Result) -> float:
    return float(result.scaling.x)


def _seconds(result: Result):
    return result.extraction.seconds


def worker_figure(results: list[Result]) -> list[Picture] | Missing:
    """A panel for each kind of sweep; threads with the ideal line from the first point."""
    panels = []
    for kind in LABELS:
        groups = lines_of(
            in_sweep(results, kind),
            lambda r: (r.scaling.sweep, r.system, r.case, r.frames_asked),
            _number,
        )
        if groups:
            panels.append((kind, groups))
    if not panels:
        return Missing("no sweep of kind threads or extractors with two valid points")
    everything = in_sweep(results, *LABELS)
    figure, axes = style.column_figure(8 + 44 * len(panels), nrows=len(panels))
    for axis, (kind, groups) in zip(axes[:, 0], panels, strict=True):
        for i, points in enumerate(groups.values()):
            frames = counted(points[0].frames_asked, "frame")
            name = told_apart(everything, f"{points[0].milestone}, {frames}", points[0])
            line(axis, points, _number, _seconds, name, i)
            if kind == "threads":
                base = min(points, key=_number)
                xs = sorted(_number(p) for p in points)
                ideal = [_seconds(base).value * _number(base) / x for x in xs]
                label = "ideal" if i == 0 else None
                axis.plot(xs, ideal, ls=":", color=style.look(i)[0], label=label)
        style.whole_ticks(axis.xaxis, sorted({_number(r) for g in groups.values() for r in g}))
        axis.set_ylim(bottom=0)
        axis.set_xlabel(LABELS[kind])
        axis.set_ylabel("extraction clock (s)")
        axis.legend()
    figure.suptitle(systems(everything), x=0.01, ha="left")
    caption = f"Seconds by the extraction clock. {interval_words(everything)}"
    if any(kind == "threads" for kind, _ in panels):
        caption += " Dotted: ideal, from the first point."
    return [Picture("workers", figure, caption)]
