"""When each rank reads, extracts and writes, from the run log of a result."""

from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.result import Result
from spexreports.results.run_log import Event, read_events

COLORS = {
    "start": style.GRAY,
    "read": style.SKY,
    "extract": style.GREEN,
    "gather": style.PURPLE,
    "write": style.VERMILION,
}
MOST_LANES = 40


def spans(events: list[Event]) -> list[Event]:
    """Joins adjacent events (those of bundles) of the same rank, stage and frame."""
    joined: list[Event] = []
    for event in sorted(events, key=lambda e: (e.rank, e.start)):
        last = joined[-1] if joined else None
        key = event.rank, event.frame, event.stage
        if last and (last.rank, last.frame, last.stage) == key:
            joined[-1] = Event(*key, last.start, max(last.end, event.end))
        else:
            joined.append(event)
    return joined


def lanes(found: list[Event]) -> dict[Event, tuple[int, int]]:
    """The lane of each span within its rank, and the number of lanes of the rank.

    A rank whose threads do several things at once (pipeline) has several lanes.
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


def timeline_figure(result: Result) -> Figure | None:
    """A lane per rank, or per simultaneous activity of a rank; None without a run log."""
    file = result.beside("events")
    found = spans(read_events(file)) if file.exists() else []
    if not found:
        return None
    places = lanes(found)
    # Ranks from top to bottom, each with its lanes.
    first: dict[int, int] = {}
    total = 0
    for rank in sorted({span.rank for span in found}):
        first[rank] = total
        total += max(count for span, (_, count) in places.items() if span.rank == rank)
    height = 1.2 + 0.075 * min(max(total, 12), MOST_LANES)
    drawn, axes = style.figure(height)
    axis = axes[0, 0]
    for span in found:
        row = first[span.rank] + places[span][0]
        axis.broken_barh(
            [(span.start, span.end - span.start)],
            (row + 0.05, 0.9),
            facecolors=COLORS[span.stage],
            # Odd frames are paler, to distinguish neighbors.
            alpha=0.6 if (span.frame or 0) % 2 else 1.0,
            lw=0,
        )
    step = max(1, -(-len(first) // 8))
    if len(first) > 1:
        shown = list(first.items())[::step]
        axis.set_yticks([row + 0.5 for _, row in shown], labels=[str(rank) for rank, _ in shown])
        axis.set_ylabel("rank")
    else:
        axis.set_yticks([])
        axis.set_ylabel("threads of one process")
    axis.set_ylim(total, 0)
    axis.set_xlim(left=0)
    axis.set_xlabel("seconds of the extraction clock")
    shown = {span.stage for span in found}
    style.color_legend(drawn, COLORS, shown, ncols=5)
    return drawn
