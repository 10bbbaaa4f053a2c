"""What each milestone brings: our ratios beside the paper's, and why they differ."""

from itertools import pairwise

from spexreports.cells import speed_cell
from spexreports.comparison import speed_ratio
from spexreports.page import Footnotes, Html, escape, heading, join, note, table
from spexreports.published import MILESTONES, ratio_to_previous, read_published
from spexreports.result import CLOCKS, Result
from spexreports.section import by_group, rungs
from spexreports.stages_figure import stage_seconds
from spexreports.work import PRODUCTION, own_method, same_work, settings

HEAD = (
    "milestone / the one before",
    "the paper",
    "here",
    "effective",
    "extraction",
    "what changed most, s of a rank and frame",
)


def _paper(milestone: str, notes: Footnotes) -> Html:
    lines = []
    for system, ratio, same in ratio_to_previous(milestone):
        other = [] if same else ["over another system, as none ran both"]
        lines.append(join([f"{ratio:.2f}\u00a0({system})", notes.mark(*other)]))
    return join(lines or ["–"], "<br>")


def _best(results: list[Result]) -> Result:
    """The configuration that stands for a milestone, as in the paper: its fastest."""
    return max(results, key=lambda r: r.effective.fpnh.value)


def _joined(seconds: dict[str, float], ranks: int) -> dict[str, float]:
    """Seconds of a rank; solve with decorrelate, which some milestones do not take apart."""
    joined = {s: v / ranks for s, v in seconds.items() if s not in ("solve", "decorrelate")}
    both = seconds.get("solve", 0.0) + seconds.get("decorrelate", 0.0)
    return {**joined, "solve and decorrelate": both / ranks}


def _short(seconds: dict[str, float], stage: str) -> str:
    value = seconds.get(stage, 0.0)
    return f"{value:.3g}" if value == 0 or value >= 0.001 else "<0.001"


def stage_changes(before: Result, after: Result) -> Html:
    """The two stages whose seconds changed most, averaged over the ranks."""
    seconds = [_joined(stage_seconds(r), r.ranks) for r in (before, after)]
    stages = {*seconds[0], *seconds[1]}
    change = {s: abs(seconds[1].get(s, 0.0) - seconds[0].get(s, 0.0)) for s in stages}
    most = sorted(change, key=lambda s: (-change[s], s))[:2]
    lines = [
        f"{s} {_short(seconds[0], s)} → {_short(seconds[1], s)}" for s in most if change[s] > 0
    ]
    return join(lines, "<br>")


def _ours(a: Result, b: Result, notes: Footnotes) -> list[object]:
    """System and entries, ratios of B to A by both clocks, what changed."""
    same_run = a.run_id == b.run_id
    texts = [] if same_run else ["of two runs, not of the same rounds"]
    texts += [] if settings(a) == PRODUCTION else [settings(a)]
    if a.scaled_to or b.scaled_to:
        texts.append("of fewer frames than the exposure's, on one side at least")
    ratios = [
        speed_cell(speed_ratio(a.figure(clock), b.figure(clock), same_run), notes, "pair")
        for clock in CLOCKS
    ]
    names = "" if (a.entry, b.entry) == (a.milestone, b.milestone) else f": {b.entry} / {a.entry}"
    return [join([f"{b.system}{names}", notes.mark(*texts)]), *ratios, stage_changes(a, b)]


def ratio_rows(results: list[Result], notes: Footnotes) -> list[list[object]]:
    """A row for each milestone, system and settings that has it and the one before, of one case.

    Only milestones with a speed, by their own method, count. One that is missing leaves a gap.
    """
    valid = [r for r in rungs(results) if r.effective and r.extraction and own_method(r)]
    rows = []
    for before, milestone in pairwise(MILESTONES):
        found = []
        for group in by_group(valid, lambda r: (r.system, settings(r))).values():
            last = [r for r in group if r.milestone == before]
            this = [r for r in group if r.milestone == milestone]
            pairs = [(a, b) for b in this for a in last if not same_work(a, b)]
            if pairs:
                a = _best([a for a, _ in pairs])
                b = _best([b for other, b in pairs if other is a])
                found.append(_ours(a, b, notes))
        head = [f"{milestone} / {before}", _paper(milestone, notes)]
        rows += [[*(head if i == 0 else ["", ""]), *row] for i, row in enumerate(found)] or [
            [*head, "–", "–", "–", ""]
        ]
    return rows


def milestone_ratios(results: list[Result]) -> Html:
    """HTML: the table of ratios, and what must be known to read it."""
    notes = Footnotes()
    rows = ratio_rows(results, notes)
    why = "".join(f"<li>{escape(text)}</li>" for text in read_published().why)
    return join(
        [
            heading("What each milestone brings"),
            table(HEAD, rows, numbers=(3, 4)),
            note(
                "Ratios of FPNH, in pairs of runs of the same round where there are any, with the "
                "median and its interval. Where a milestone has several entries, its fastest "
                "stands for it. The seconds are those of all threads of a rank, averaged over the "
                "ranks."
            ),
            notes.html(),
            heading("Why these are not the paper's ratios"),
            Html(f"<ul>{why}</ul>"),
        ]
    )
