"""How busy CPUs and GPUs were, and what memory was used."""

import statistics

from spexreports.numbers import number
from spexreports.page import Html, heading, join, note, table
from spexreports.result import Result
from spexreports.section import rungs

HEAD = (
    "system, entry",
    "ranks × threads",
    "GPUs busy, %",
    "CPUs busy, %",
    "core-seconds a frame",
    "frames per CPU-hour",
    "memory of a rank, GB",
    "memory of a GPU, GB",
)


def _median(result: Result, key: str) -> float | None:
    """Of the runs that count; None where none of them knows it."""
    counted = {s.round for s in result.timed}
    values = [s.get(key) for s in result.json["timing"]["samples"] if s["index"] in counted]
    known = [statistics.mean(v) if isinstance(v, list) else v for v in values if v is not None]
    return statistics.median(known) if known else None


def _cell(value: float | None, factor: float = 1.0) -> str:
    return "–" if value is None else number(value * factor)


def busy_table(results: list[Result]) -> Html | None:
    """HTML: a row for each entry of which the use is known; None where it is of none."""
    rows = []
    for r in rungs(results):
        if not r.effective or (
            _median(r, "cpu_s") is None
            and _median(r, "gpu_busy") is None
            and _median(r, "max_rss_bytes") is None
        ):
            continue
        cpu_s, seconds = _median(r, "cpu_s"), r.effective.seconds.value
        busy = None if cpu_s is None else cpu_s / (seconds * r.cpus)
        cpu_hours = r.cpus * r.nodes * seconds / 3600
        gpu_busy = _median(r, "gpu_busy")
        rows.append(
            [
                f"{r.system}, {r.entry}",
                f"{r.ranks} × {r.threads}" if r.threads else str(r.ranks),
                "–" if gpu_busy is None else f"{100 * gpu_busy:.0f}",
                "–" if busy is None else f"{100 * busy:.0f}",
                _cell(cpu_s, 1 / r.frames_asked),
                "–" if r.gpus else number(r.frames_asked / cpu_hours),
                _cell(_median(r, "max_rss_bytes"), 1e-9),
                _cell(_median(r, "device_memory_bytes"), 1e-9),
            ]
        )
    if not rows:
        return None
    text = (
        "From before the launcher starts to its exit. GPUs: the part of the time in which a kernel "
        "ran, by the driver (NVML); a GPU that is busy may be far from full. CPUs: seconds of all "
        "of the node's, by the processes that the launcher waited for, MPS's server not among "
        "them. Frames per CPU-hour count all CPUs of the node, where CPUs alone did the work. The "
        "paper's nodes had a rank on 31% of the CPUs of a DGX."
    )
    return join(
        [heading("How busy it was"), table(HEAD, rows, numbers=range(1, len(HEAD))), note(text)]
    )
