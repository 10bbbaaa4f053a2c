"""When each rank read, worked and wrote, from the run logs beside the results."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from spexreports import style
from spexreports.numbers import counted
from spexreports.result import Result
from spexreports.run_log import Event, read_events
from spexreports.section import Missing, Picture, by_group, rungs
from spexreports.work import of_exposure, standard, why_incomplete

COLOURS = {
    "start": style.GREY,
    "read": style.SKY,
    "extract": style.GREEN,
    "gather": style.PURPLE,
    "write": style.VERMILION,
}
# The paper's panels: a without interleaving, b with it; then what goes beyond.
WITHOUT = ("batch-subbundle", "batch-eigh", "multi-gpu", "cpu-refactor", "baseline")
WITH = ("interleave-io",)
BEYOND = ("pipeline", "direct")
NUMBER_WIDTH = 0.014  # of the panel: a span that a frame's number fits in
RANK_HEIGHT = 2.6  # mm, of a rank that does one thing at a time
LANE_HEIGHT = 2.4  # mm, of a rank that does several


@dataclass(frozen=True)
class Span:
    """Neighbouring events of a rank of the same stage and frame, as one."""

    rank: int
    frame: int | None
    stage: str
    start: float
    end: float


def spans(events: list[Event]) -> list[Span]:
    """Joins a rank's events (those of bundles) that belong to the same stage of a frame.

    Each is joined where it starts before the next other stage or frame of that rank.
    """
    joined = []
    for event in sorted(events, key=lambda e: (e.rank, e.start)):
        span = Span(event.rank, event.frame, event.stage, event.start, event.end)
        last = joined[-1] if joined else None
        same = last and (last.rank, last.frame, last.stage) == (span.rank, span.frame, span.stage)
        if same:
            joined[-1] = Span(
                last.rank, last.frame, last.stage, last.start, max(last.end, span.end)
            )
        else:
            joined.append(span)
    return joined


def lanes(found: list[Span]) -> dict[Span, tuple[int, int]]:
    """For each span its lane within its rank, and how many lanes the rank has.

    A rank whose threads do several things at once (pipeline) has a lane for each.
    """
    free: dict[int, list[float]] = {}
    lane = {}
    for span in sorted(found, key=lambda s: (s.rank, s.start)):
        ends = free.setdefault(span.rank, [])
        place = next((i for i, end in enumerate(ends) if end <= span.start + 1e-9), len(ends))
        if place == len(ends):
            ends.append(0.0)
        ends[place] = span.end
        lane[span] = place
    return {span: (place, len(free[span.rank])) for span, place in lane.items()}


def _panel(axis: Axes, events: list[Event], end: float, title: str) -> None:
    found = spans(events)
    places = lanes(found)
    for span in found:
        lane, count = places[span]
        height = 0.9 / count
        bottom = span.rank - 0.45 + lane * height
        axis.broken_barh(
            [(span.start, span.end - span.start)],
            (bottom, height),
            facecolors=COLOURS[span.stage],
            # Frames with odd numbers are paler, so that neighbours can be told apart.
            alpha=0.65 if (span.frame or 0) % 2 else 1.0,
            edgecolor="white",
            lw=0.2,
        )
        wide = (span.end - span.start) / end > NUMBER_WIDTH
        if span.frame is not None and wide:
            axis.text(
                (span.start + span.end) / 2,
                bottom + height / 2,
                str(span.frame),
                ha="center",
                va="center",
                fontsize=style.SMALLEST_FONT,
                clip_on=True,
            )
    ranks = sorted({span.rank for span in found})
    step = max(1, -(-len(ranks) // 8))
    axis.set_yticks(ranks[::step])
    axis.set_ylim(max(ranks) + 0.6, min(ranks) - 0.6)
    axis.set_ylabel("rank")
    axis.set_title(title)


Logged = tuple[Result, list[Event]]


def _worth(result: Result) -> tuple:
    """Sorts by the run rules first, then by what shows most, then by time."""
    return (
        -len(why_incomplete(result)),
        not result.json["build"]["dirty"],
        of_exposure(result),
        result.ranks,
        result.start,
    )


def _paper_pairs(logged: list[Logged]) -> list[list[Logged]]:
    """Panels a and b of one run each: what interleaving brings can be seen in such pairs alone."""
    found = []
    for group in by_group(logged, lambda pair: pair[0].run_id).values():
        # The last rung before interleaving stands for those without it.
        without = [p for p in group if p[0].milestone in WITHOUT]
        overlapped = [p for p in group if p[0].milestone in WITH]
        if without and overlapped:
            before = max(without, key=lambda p: (-WITHOUT.index(p[0].milestone), _worth(p[0])))
            found.append([before, max(overlapped, key=lambda p: _worth(p[0]))])
    return found


def _choose(results: list[Result]) -> list[Logged]:
    """Panels a and b of one run, or the one of them that there is; then one beyond the paper's."""
    logged = [(r, r.events_file) for r in rungs(results) if r.effective and r.events_file.exists()]
    logged = [(r, events) for r, file in logged if (events := read_events(file))]
    pairs = _paper_pairs(logged)
    if pairs:
        chosen = max(pairs, key=lambda pair: [_worth(r) for r, _ in pair])
    else:
        of_paper = [p for p in logged if p[0].milestone in (*WITHOUT, *WITH)]
        chosen = [max(of_paper, key=lambda p: _worth(p[0]))] if of_paper else []
    beyond = [p for p in logged if p[0].milestone in BEYOND and standard(p[0])]
    return [*chosen, *([max(beyond, key=lambda p: _worth(p[0]))] if beyond else [])]


def _height(events: list[Event]) -> float:
    """Of a panel, in mm."""
    places = lanes(spans(events))
    most = max(count for _, count in places.values())
    ranks = 1 + max(e.rank for e in events)
    return max(4 * RANK_HEIGHT, ranks * (RANK_HEIGHT if most == 1 else most * LANE_HEIGHT))


def covered(spans_of_stage: list[tuple[float, float]]) -> float:
    """Seconds in which at least one of the spans was under way."""
    total, reached = 0.0, 0.0
    for start, end in sorted(spans_of_stage):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def _waiting(letter: str, events: list[Event]) -> str:
    """The part of the extraction clock in which some rank extracted, and what of it was start."""
    end = max(e.end for e in events)
    extract = covered([(e.start, e.end) for e in events if e.stage == "extract"])
    start = covered([(e.start, e.end) for e in events if e.stage == "start"])
    return (
        f"{letter}: some rank extracted in {100 * extract / end:.0f}% of {end:.2f} s; start took "
        f"{100 * start / end:.0f}%."
    )


def _built(result: Result) -> str:
    build = result.json["build"]
    return f"commit {build['commit'][:7]}{' with changes' if build['dirty'] else ''}"


def _draw(chosen: list[Logged]) -> Figure:
    heights = [_height(events) for _, events in chosen]
    figure, axes = style.column_figure(
        10 + 15 * len(chosen) + sum(heights),
        nrows=len(chosen),
        width=style.PAGE_WIDTH,
        height_ratios=heights,
    )
    for letter, axis, (result, events) in zip("abc", axes[:, 0], chosen, strict=False):
        # The paper's panels share their scale; what goes beyond is many times shorter.
        beyond = result.milestone in BEYOND
        like = [e for r, other in chosen if (r.milestone in BEYOND) == beyond for e in other]
        end = max(e.end for e in like)
        title = (
            f"{letter}: {result.milestone}, {result.system}, "
            f"{counted(result.frames_asked, 'frame')}, {_built(result)}"
        )
        _panel(axis, events, end, title)
        axis.set_xlim(0, end * 1.01)
        axis.set_xlabel("time from the start of the extraction clock (s)")
    stages = {e.stage for _, events in chosen for e in events}
    figure.legend(
        handles=[Patch(color=c, label=name) for name, c in COLOURS.items() if name in stages],
        loc="outside upper left",
        ncols=5,
    )
    return figure


def timeline_figure(results: list[Result]) -> list[Picture] | Missing:
    """Panels without interleaving and with it, of one run; then one beyond the paper's rungs."""
    chosen = _choose(results)
    if not chosen:
        return Missing("no run log (ENTRY.events.json) beside a valid result of the ladder")
    unknown = {e.stage for _, events in chosen for e in events} - set(COLOURS)
    if unknown:
        return Missing(f"run logs with stages that are not known: {', '.join(sorted(unknown))}")
    caption = (
        "What each rank did in one timed run, as in the paper's figure of interleaved input and "
        "output. Numbers are frames, counted from 0; frames with odd numbers are paler. A rank "
        "whose threads did several things at once has a lane for each. While start lasts (grey), "
        "the GPU's context, handles and workspaces are made: files are read, but nothing can be "
        "extracted. White space between frames is time in which a rank waited: for a file, for "
        "the slowest rank of the frame, or at the end for the last file. In the paper input and "
        "output took 25 to 30% of the time before they were interleaved. "
        + " ".join(
            _waiting(letter, events) for letter, (_, events) in zip("abc", chosen, strict=False)
        )
    )
    return [Picture("timeline", _draw(chosen), caption)]
