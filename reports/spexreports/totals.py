"""All milestones together: against Edison, and for a night, a year, and all frames again."""

from dataclasses import dataclass

from spexreports.marks import marks
from spexreports.numbers import number, span_text
from spexreports.page import Footnotes, Html, heading, join, note, table
from spexreports.published import CPU_MILESTONES, Rung, read_published
from spexreports.result import Result
from spexreports.section import by_group, rungs
from spexreports.work import standard

HEAD = (
    "fastest of a system",
    "FPNH, effective",
    "× Edison",
    "× best published",
    "frames per CPU-hour",
    "an exposure",
    "a night",
    "a year, node-hours",
    "all again, node-hours",
    "all again, CPU-hours",
)


@dataclass(frozen=True)
class _Speed:
    """A system's: `cpus` of a node where CPUs alone did the work."""

    kind: str  # of the row
    name: object
    fpnh: float
    cpus: int | None


def _paper(rungs_of_system: list[Rung]) -> _Speed:
    best = max(rungs_of_system, key=lambda r: r.fpnh)
    cpus = best.ranks_per_node if best.gpus_per_node is None else None
    return _Speed("paper", f"{best.system}: {best.milestone}", best.fpnh, cpus)


def _ours(best: Result, notes: Footnotes) -> _Speed:
    cpus = None if best.gpus_per_node else best.cpus
    name = join([f"{best.system}: {best.entry}", notes.mark(*marks(best).values())])
    return _Speed("ours", name, best.effective.fpnh.value, cpus)


def _factor(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _row(speed: _Speed, base: float, best: float) -> list[object]:
    survey = read_published().survey
    frames = survey.night_frames * survey.nights_a_year
    return [
        speed.name,
        number(speed.fpnh),
        _factor(speed.fpnh / base),
        _factor(speed.fpnh / best),
        _factor(speed.fpnh / speed.cpus) if speed.cpus else "–",
        span_text(30 / speed.fpnh),
        span_text(survey.night_frames / speed.fpnh),
        number(frames / speed.fpnh),
        number(survey.reduction_frames / speed.fpnh),
        number(survey.reduction_frames / speed.fpnh * speed.cpus) if speed.cpus else "–",
    ]


def totals(results: list[Result]) -> Html:
    """HTML: the fastest of each system of the paper and of ours, on the CPU and with GPUs."""
    published, notes = read_published(), Footnotes()
    speeds = [_paper(group) for group in by_group(published.ladder, lambda r: r.system).values()]
    valid = [r for r in rungs(results) if r.effective and standard(r)]
    for group in by_group(valid, lambda r: r.system).values():
        for members in by_group(group, lambda r: r.milestone in CPU_MILESTONES).values():
            best = max(members, key=lambda r: r.effective.fpnh.value)
            speeds.append(_ours(best, notes))
    edison = next(r.fpnh for r in published.ladder if r.system == "Edison")
    best = max(r.fpnh for r in published.ladder)
    survey = published.survey
    text = (
        "From the effective FPNH of one node of its kind. CPUs are those that the ranks of the "
        "paper's nodes had, and those that the system lists here. An exposure has 30 frames, a "
        f"night {survey.night_frames:,}, a year {survey.nights_a_year} such nights; all again are "
        f"{survey.reduction_frames:,} frames ({survey.citation}). An exposure must be done in well "
        "under 15 minutes; production took 253.5 s in 2022, on a node of four GPUs."
    )
    nodes = "; ".join(f"{name}: {what}" for name, what in published.systems.items())
    rows = [_row(speed, edison, best) for speed in speeds]
    kinds = [speed.kind for speed in speeds]
    return join(
        [
            heading("All together, and what it means for the survey"),
            table(HEAD, rows, kinds, range(1, len(HEAD))),
            note(text),
            note(f"The paper's nodes, as NERSC described them. {nodes}."),
            notes.html(),
        ]
    )
