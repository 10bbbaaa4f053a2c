"""Long runs: many exposures without a pause."""

import statistics

from spexreports.results.published import read_published
from spexreports.results.result import Result, Statistic
from spexreports.results.work import long_runs
from spexreports.tables.numbers import number, span_text, speed
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
    """A row a long run."""
    rows, night = [], read_published().number("night")
    for r in long_runs(results):
        cpu = [s["cpu_s"] for s in r.timed if s["cpu_s"] is not None]
        memory = r.most("device_memory_bytes")
        rows.append(
            {
                "system, entry": f"{r.system}, {r.entry}",
                "frames": number(r.frames_asked),
                "FPNH, steady part": speed(steady(r)),
                "FPNH, launch to exit": speed(r.effective.fpnh),
                "drift over it, %": _drift(r),
                "core-seconds a frame": f"{statistics.median(cpu) / r.frames_asked:.2f}"
                if cpu
                else "–",
                "GPU memory, GB": f"{memory / 1e9:.1f}" if memory else "–",
                "a night": span_text(night / steady(r).value / r.nodes),
                "runs": str(len(r.timed)),
                "not complete": "; ".join(r.why_incomplete) or "–",
            }
        )
    note = (
        f"The steady part leaves out 30 frames at either end. A night has {night:,.0f} frames. The "
        "first frame of each input was compared with the CPU extractor's and the truth, the others "
        "by their bytes."
    )
    return Table.of("long-runs", "Long runs", rows, note, words=("not complete",))
