"""MPS on and off: the same ranks on the same GPUs."""

from spexreports.cells import speed_cell
from spexreports.comparison import speed_ratio
from spexreports.numbers import counted
from spexreports.order_statistics import Estimate
from spexreports.page import Footnotes, Html, heading, join, note, table
from spexreports.result import CLOCKS, Result
from spexreports.section import by_group, in_sweep

HEAD = (
    "system, milestone",
    "GPUs, ranks a GPU",
    "off, FPNH effective",
    "on, FPNH effective",
    "on / off, effective",
    "on / off, extraction",
)


def mps_pairs(results: list[Result]) -> list[tuple[Result, Result, list[Estimate]]]:
    """Of each sweep of kind mps that has both: off, on, and on / off by both clocks."""
    pairs = []
    groups = by_group(in_sweep(results, "mps"), lambda r: (r.scaling.sweep, r.system, r.case))
    for points in groups.values():
        by_x = {p.scaling.x: p for p in points}
        if set(by_x) != {"off", "on"}:
            continue
        off, on = by_x["off"], by_x["on"]
        same_run = off.run_id == on.run_id
        pairs.append(
            (off, on, [speed_ratio(off.figure(c), on.figure(c), same_run) for c in CLOCKS])
        )
    return pairs


def mps_table(results: list[Result]) -> Html | None:
    """HTML: a row for each sweep of kind mps that has both; None without one."""
    notes, rows = Footnotes(), []
    for off, on, ratios in mps_pairs(results):
        rows.append(
            [
                f"{on.system}, {on.milestone}",
                f"{counted(on.gpus_per_node, 'GPU')}, {on.ranks_per_gpu:g} ranks",
                *(speed_cell(r.effective.fpnh, notes) for r in (off, on)),
                *(speed_cell(ratio, notes, "pair") for ratio in ratios),
            ]
        )
    if not rows:
        return None
    text = (
        "Ranks that share a GPU without MPS take turns on it; with MPS their kernels run side by "
        "side. DESI's port gained a factor of 1.75 so at the GPU hackathon of 2020."
    )
    return join(
        [heading("MPS"), table(HEAD, rows, numbers=range(2, len(HEAD))), note(text), notes.html()]
    )
