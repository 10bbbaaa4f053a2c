"""GPU activity for one batch of patches, from a table of `bench/profile/profile trace`."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd

from spexreports.errors import DataError, contents_of
from spexreports.results.read import read_json

COLUMNS = ["kind", "name", "stream", "start_ns", "end_ns", "bytes"]
KINDS = ("kernel", "copy")
# Gaps shorter than this fraction of the window are invisible in a figure.
MIN_GAP = 1 / 1000
Spans = list[tuple[float, float]]


@dataclass(frozen=True)
class Trace:
    """A batch of patches from the start of `assemble` to the next; times in milliseconds."""

    milestone: str
    commit: str
    gpu: str
    patches: int  # per batch
    milliseconds: float
    counts: dict[str, int]  # numbers of kernels and copies
    busy: dict[str, float]  # milliseconds with a kernel, or a copy
    stages: list[tuple[str, float, float]]  # stages of the host thread
    spans: dict[str, Spans]  # of kernels and copies, joined over invisible gaps


def _joined(rows: pd.DataFrame, gap: float) -> Spans:
    """Spans of time with at least one row, joined over gaps of up to `gap`."""
    spans: Spans = []
    for start, end in rows[["start", "end"]].sort_values("start").itertuples(index=False):
        if spans and start <= spans[-1][1] + gap:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def batch_of(path: Path) -> dict[str, Any]:
    """The batch of median length of a table, in milliseconds from its start."""
    with contents_of(path, "a table of bench/profile/profile trace"):
        rows = pd.read_csv(path)[COLUMNS]
    starts = rows[(rows["kind"] == "stage") & (rows["name"] == "assemble")]["start_ns"]
    starts = sorted(starts)
    batches = list(pairwise(starts))[1:]  # the first batch starts the libraries
    if not batches:
        raise DataError(path, "has fewer than three batches", "a run of more patches")
    begin, end = sorted(batches, key=lambda b: b[1] - b[0])[len(batches) // 2]
    rows = rows[(rows["start_ns"] >= begin) & (rows["start_ns"] < end)]
    rows = rows.assign(start=(rows["start_ns"] - begin) / 1e6, end=(rows["end_ns"] - begin) / 1e6)
    length = (end - begin) / 1e6
    by_kind = {kind: rows[rows["kind"] == kind] for kind in (*KINDS, "stage")}
    exact = {kind: _joined(by_kind[kind], 0) for kind in KINDS}
    stages = by_kind["stage"][["name", "start", "end"]].sort_values("start")
    return {
        "milliseconds": round(length, 4),
        "counts": {kind: len(by_kind[kind]) for kind in KINDS},
        "busy": {k: round(sum(e - s for s, e in exact[k]), 4) for k in KINDS},
        "stages": [(n, round(s, 4), round(e, 4)) for n, s, e in stages.itertuples(index=False)],
        "spans": {
            kind: [(round(s, 4), round(e, 4)) for s, e in _joined(by_kind[kind], MIN_GAP * length)]
            for kind in KINDS
        },
    }


def read_traces(paths: list[Path]) -> list[Trace]:
    """Reads files of `spex-reports trace`: all batches of all files."""
    found = []
    for path in paths:
        data = read_json(path)
        with contents_of(path, "a file of spex-reports trace"):
            found += [Trace(**trace) for trace in data["traces"]]
    return found
