"""Where the seconds of a run go by the wall clock: start-up, extraction, the end."""

import statistics

from spexreports.page import Html, heading, join, note, table
from spexreports.result import Result, Sample
from spexreports.section import rungs

HEAD = (
    "system, entry",
    "frames",
    "before the barrier, s",
    "extraction, s",
    "after, s",
    "all, s",
)


def clock_parts(sample: Sample) -> tuple[float, float, float] | None:
    """Seconds before the extraction clock, of it, and after it; None where they are not known."""
    if sample.launch_s is None or sample.extraction_s is None:
        return None
    after = sample.effective_s - sample.launch_s - sample.extraction_s
    return sample.launch_s, sample.extraction_s, after


def time_table(results: list[Result]) -> Html | None:
    """HTML: medians of the parts of the effective clock; None without them."""
    rows = []
    for r in rungs(results):
        parts = [p for p in map(clock_parts, r.timed) if p]
        if r.effective and parts:
            medians = [f"{statistics.median(column):.2f}" for column in zip(*parts, strict=True)]
            whole = f"{r.effective.seconds.value:.2f}"
            rows.append([f"{r.system}, {r.entry}", r.frames_asked, *medians, whole])
    if not rows:
        return None
    return join(
        [
            heading("The effective clock, taken apart"),
            table(HEAD, rows, numbers=range(1, len(HEAD))),
            note(
                "Before the extraction: the launcher, MPS, MPI. After: the end of the processes, "
                "and the launcher's. Medians of each, which need not add up to that of all."
            ),
        ]
    )
