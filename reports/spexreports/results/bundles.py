"""Seconds of a bundle on the CPU by stage, from the output of bench_bundle."""

import math
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spexreports.errors import DataError
from spexreports.results.read import read_json
from spexreports.results.result import KERNELS

EXPECTED = "JSON of bench_bundle (--benchmark_out)"


@dataclass(frozen=True)
class BundleSeconds:
    """A method by a milestone: medians of its repetitions."""

    method: str
    milestone: str
    kernel: str  # of the BLAS
    repetitions: int
    stages: dict[str, float]
    seconds: float  # of the CPU, all stages and what lies between


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def _bundle(name: str, rows: list[dict], kernel: str) -> BundleSeconds:
    _, method, milestone = name.split("/")[:3]
    return BundleSeconds(
        method=method,
        milestone=milestone,
        kernel=kernel,
        repetitions=len(rows),
        stages={s: statistics.median(_number(row[s]) for row in rows) for s in KERNELS},
        seconds=statistics.median(_number(row["cpu_time"]) for row in rows),
    )


def read_bundles(paths: list[Path]) -> list[BundleSeconds]:
    """The bundles of all files, in the order of each."""
    found = []
    for path in paths:
        data = read_json(path)
        try:
            cores = [v for key, v in data["context"].items() if key.endswith(" core")]
            rows = [r for r in data["benchmarks"] if r.get("run_type") == "iteration"]
            names = dict.fromkeys(row["run_name"] for row in rows)
            groups = {name: [r for r in rows if r["run_name"] == name] for name in names}
            found += [_bundle(name, group, *cores) for name, group in groups.items()]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(path, f"is none of its kind: {error}", EXPECTED) from error
    return found
