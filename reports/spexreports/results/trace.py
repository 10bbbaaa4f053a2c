"""What a GPU did for one batch of patches, from a table of `bench/profile/profile trace`."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd

from spexreports.errors import DataError, contents_of
from spexreports.results.read import read_json

COLUMNS = ["kind", "name", "stream", "start_ns", "end_ns", "bytes"]
KINDS = ("kernel", "copy")
# Shorter gaps than this part of the window are not seen in a figure.
SEEN = 1 / 1000
Spans = list[tuple[float, float]]


@dataclass(frozen=True)
class Trace:
    """A batch of patches from the start of `assemble` to the next; times in milliseconds."""

    milestone: str
    commit: str
    gpu: str
    patches: int  # of the batch
    milliseconds: float
    counts: dict[str, int]  # of kernels and copies
    busy: dict[str, float]  # milliseconds with a kernel, or a copy
    stages: list[tuple[str, float, float]]  # of the host's thread
    spans: dict[str, Spans]  # of kernels and copies, joined where no gap is seen


def _joined(rows: pd.DataFrame, gap: float) -> Spans:
    """Spans of time in which one of the rows runs, with gaps of up to `gap`."""
    spans: Spans = []
    for start, end in rows[["start", "end"]].sort_values("start").itertuples(index=False):
        if spans and start <= spans[-1][1] + gap:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def batch_of(path: Path) -> dict[str, Any]:
    """Of all batches of a table the one of median length, in milliseconds from its start."""
    with contents_of(path, "a table of bench/profile/profile trace"):
        rows = pd.read_csv(path)[COLUMNS]
    starts = rows[(rows["kind"] == "stage") & (rows["name"] == "assemble")]["start_ns"]
    starts = sorted(starts)
    batches = list(pairwise(starts))[1:]  # the first one starts the libraries
    if not batches:
        raise DataError(path, "has fewer than three batches", "a run of more patches")
    begin, end = sorted(batches, key=lambda b: b[1] - b[0])[len(batches) // 2]
    rows = rows[(rows["start_ns"] >= begin) & (rows["start_ns"] < end)]
    rows = rows.assign(start=(rows["start_ns"] - begin) / 1e6, end=(rows["end_ns"] - begin) / 1e6)
    length = (end - begin) / 1e6
    of = {kind: rows[rows["kind"] == kind] for kind in (*KINDS, "stage")}
    exact = {kind: _joined(of[kind], 0) for kind in KINDS}
    stages = of["stage"][["name", "start", "end"]].sort_values("start")
    return {
        "milliseconds": round(length, 4),
        "counts": {kind: len(of[kind]) for kind in KINDS},
        "busy": {k: round(sum(e - s for s, e in exact[k]), 4) for k in KINDS},
        "stages": [(n, round(s, 4), round(e, 4)) for n, s, e in stages.itertuples(index=False)],
        "spans": {
            kind: [(round(s, 4), round(e, 4)) for s, e in _joined(of[kind], SEEN * length)]
            for kind in KINDS
        },
    }


def read_traces(paths: list[Path]) -> list[Trace]:
    """Files of `spex-reports trace`, all batches of all files."""
    found = []
    for path in paths:
        data = read_json(path)
        with contents_of(path, "a file of spex-reports trace"):
            found += [Trace(**one) for one in data["traces"]]
    return found
