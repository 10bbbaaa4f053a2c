"""Table 1 of the paper with our rows, and the ratios between milestones."""

from dataclasses import dataclass
from itertools import pairwise

from spexreports.comparison import Ratio, bootstrap_ratio
from spexreports.published import MILESTONES, ratio_to_previous, read_published
from spexreports.result_files import Result, Statistic
from spexreports.section import by_group, rungs

COLUMNS = (
    "milestone",
    "system, entry",
    "CPU/GPU",
    "nodes",
    "GPUs/node",
    "ranks/node",
    "walltime (s)",
    "FPNH effective",
    "FPNH extraction (95% interval)",
    "frames per GPU-hour",
    "J/frame",
    "verdict",
)


@dataclass(frozen=True)
class Row:
    """Cells of the table, in the order of COLUMNS; `kind` is paper, ours or failed."""

    kind: str
    cells: tuple[str, ...]


def number(value: float) -> str:
    """Four significant digits, without an exponent."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def with_interval(statistic: Statistic | Ratio, median: float) -> str:
    """The median with its 95% interval, or that there is none."""
    if statistic.low is None or statistic.high is None:
        return f"{number(median)} (too few runs)"
    return f"{number(median)} ({number(statistic.low)} to {number(statistic.high)})"


def _ours(result: Result) -> Row:
    head = (
        result.milestone,
        f"{result.system}: {result.entry}",
        f"{result.cpu}/{result.gpu}" if result.gpus_per_node and result.gpu else result.cpu,
        str(result.nodes),
        str(result.gpus_per_node) if result.gpus_per_node else "–",
        f"{result.ranks / result.nodes:g}" + (" MPS" if result.mps else ""),
    )
    if not result.effective or not result.extraction:
        tail = ("–", "–", "–", "–", "–", f"{result.overall}: {result.failure}")
        return Row("failed", head + tail)
    effective, extraction = result.effective, result.extraction
    seconds = effective.seconds.median
    walltime = number(seconds)
    if result.scaled_to:
        whole = seconds * result.scaled_to / result.frames_asked
        walltime = f"{number(whole)} * ({number(seconds)} for {result.frames_asked} frames)"
    mark = ("*" if result.scaled_to else "") + ("" if result.published else "†")
    rate = extraction.frames_per_gpu_hour
    joules = result.joules_per_frame
    return Row(
        "ours",
        (
            *head,
            walltime,
            number(effective.fpnh.median) + mark,
            with_interval(extraction.fpnh, extraction.fpnh.median) + mark,
            number(rate.median) + mark if rate else "–",
            number(joules) if joules is not None else f"– ({result.joules_reason})",
            result.overall,
        ),
    )


def table_rows(results: list[Result]) -> list[Row]:
    """The paper's rows and ours, milestone by milestone."""
    rows = []
    ours = rungs(results)
    for milestone in MILESTONES:
        for rung in read_published().ladder:
            if rung.milestone == milestone:
                cells = (
                    milestone,
                    rung.system,
                    rung.processor,
                    str(rung.nodes),
                    "–" if rung.gpus_per_node is None else str(rung.gpus_per_node),
                    str(rung.ranks_per_node),
                    f"{rung.walltime_s:.1f}",
                    f"{rung.fpnh:.2f}",
                    "–",
                    "–",
                    "–",
                    "published",
                )
                rows.append(Row("paper", cells))
        rows += [_ours(r) for r in ours if r.milestone == milestone]
    return rows


def _best(results: list[Result]) -> Result:
    """The configuration that stands for a milestone, as in the paper: its fastest."""
    return max(results, key=lambda r: r.effective.fpnh.median)


def ratio_rows(results: list[Result]) -> list[tuple[str, ...]]:
    """Milestone, the paper's ratios, our system, case and entries, our ratios by both clocks.

    Only milestones with a speed count. A milestone is held to the one before it on the ladder; one
    that is missing leaves a gap.
    """
    valid = [r for r in rungs(results) if r.effective and r.extraction]
    rows = []
    for before, milestone in pairwise(MILESTONES):
        paper = "; ".join(
            f"{ratio:.2f} ({system})" if same else f"{ratio:.2f} ({system}, from another system)"
            for system, ratio, same in ratio_to_previous(milestone)
        )
        found = []
        for (system, case), group in by_group(valid, lambda r: (r.system, r.case)).items():
            last = [r for r in group if r.milestone == before]
            this = [r for r in group if r.milestone == milestone]
            if not last or not this:
                continue
            a, b = _best(last), _best(this)
            cells = []
            for clock in ("effective", "extraction"):
                samples = [getattr(r, clock).fpnh.samples for r in (b, a)]
                ratio = bootstrap_ratio(*samples)
                mark = "*" if a.scaled_to or b.scaled_to else ""
                cells.append(with_interval(ratio, ratio.ratio) + mark)
            entries = f"{system}, {case}: {b.entry} / {a.entry}"
            found.append((f"{milestone} / {before}", paper or "–", entries, *cells))
        rows += found or [(f"{milestone} / {before}", paper or "–", "–", "–", "–")]
    return rows
