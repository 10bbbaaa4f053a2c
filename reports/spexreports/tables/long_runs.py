"""Long runs: many exposures without a pause."""

from spexreports.results.published import read_published
from spexreports.results.result import Result, Statistic
from spexreports.results.work import long_runs
from spexreports.tables.numbers import gigabytes, number, span_text, speed
from spexreports.tables.table import Table


def steady(result: Result) -> Statistic:
    """FPNH of the steady part, over distinct inputs."""
    return Statistic.of(result.sustained["fpnh"])


def _drift(result: Result) -> str:
    """The change of the rate over the steady part, with its interval."""
    drift, parts = result.sustained["drift_per_hour"], [s["sustained"] for s in result.timed]
    if drift is None or not parts or not parts[-1]["soak"]:
        return "–"
    part = 100 * parts[-1]["soak"]["seconds"] / 3600
    return (
        f"{part * drift['median']:+.1f} ({part * drift['low']:+.1f} to {part * drift['high']:+.1f})"
    )


def long_runs_table(results: list[Result]) -> Table | None:
    """A row per long run."""
    night = read_published().number("night")
    columns = {
        "system, entry": lambda r: f"{r.system}, {r.entry}",
        "frames": lambda r: number(r.frames_asked),
        "FPNH, steady part": lambda r: speed(steady(r)),
        "FPNH, launch to exit": lambda r: speed(r.effective.fpnh),
        "drift over it, %": _drift,
        "core-seconds a frame": lambda r: (s := r.middle("cpu_s")) and f"{s / r.frames_asked:.2f}",
        "GPU memory, GB": lambda r: gigabytes(r.largest("device_memory_bytes")),
        "a night": lambda r: span_text(night / steady(r).value / r.nodes),
        "runs": lambda r: str(len(r.timed)),
        "not complete": lambda r: "; ".join(r.why_incomplete) or "–",
    }
    note = (
        f"The steady part omits 30 frames at each end. A night has {night:,.0f} frames. The "
        "first frame of each input was compared with the CPU extractor's and the truth, the others "
        "by their bytes."
    )
    found, text_columns = long_runs(results), ("not complete",)
    return Table.by_column(
        "long-runs", "Long runs", found, columns, note, text_columns=text_columns
    )
