"""Reads the results of bench_kernels_cpu, bench_kernels_gpu and bench_bundle.

They are JSON of Google Benchmark. Names of kernels are GROUP[/VARIANT...][/SIZE...], those of
bundles are bundle/METHOD/MILESTONE. Google Benchmark appends clocks and repetitions to a name.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from spexreports.errors import contents_of
from spexreports.results.read import read_json
from spexreports.results.result import KERNELS

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# Suffixes that Google Benchmark appends.
SUFFIX = re.compile(
    r"/(manual_time|real_time|process_time|(min_time|min_warmup_time|iterations|repeats|threads):.*)"
)


@dataclass(frozen=True)
class Kernel:
    """A benchmark of a file; with repetitions, their median."""

    name: str  # without Google Benchmark's suffix
    where: str  # the GPU, or CPU
    seconds: float  # per call
    batch: int  # matrices, patches or blocks per call
    flops: float | None = None  # FP64 operations per second
    bytes: float | None = None  # bytes read or written per second

    @property
    def rate(self) -> str | None:
        """The rate with its unit; None if the benchmark counts neither."""
        rates = [(self.flops, "GFLOP/s"), (self.bytes, "GB/s")]
        return next((f"{value / 1e9:,.4g} {unit}" for value, unit in rates if value), None)

    @property
    def parts(self) -> tuple[str, str, list[int]]:
        """Group, variant and sizes of the name."""
        group, *parts = self.name.split("/")
        variant = [part for part in parts if not part.isdecimal()]
        return group, "/".join(variant), [int(part) for part in parts if part.isdecimal()]

    @property
    def each(self) -> float:
        """Seconds per matrix, patch or block."""
        return self.seconds / self.batch


@dataclass(frozen=True)
class BundleSeconds:
    """A bundle on a CPU core by a method and milestone; medians."""

    method: str
    milestone: str
    kernel: str  # core type of the BLAS
    repetitions: int
    stages: dict[str, float]
    seconds: float  # CPU time of all stages and between them


def _medians(runs: list[dict[str, Any]]) -> pd.DataFrame:
    """A row per successful benchmark: `count`, and medians in seconds."""
    rows = [r for r in runs if r.get("run_type", "iteration") == "iteration"]
    rows = pd.DataFrame([r for r in rows if "error_message" not in r])
    for clock in ("real_time", "cpu_time"):
        rows[clock] = rows[clock].astype(float) * rows["time_unit"].map(UNITS)
    groups = rows.groupby(rows["run_name"] if "run_name" in rows else rows["name"], sort=False)
    return groups.median(numeric_only=True).assign(count=groups.size())


def _known(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


def _kernel(name: str, row: pd.Series, where: str) -> Kernel:
    # Rates use the clock in the name, or else CPU time.
    own_clock = name.endswith(("/manual_time", "/real_time"))
    rate = row.get("items_per_second", float("nan"))
    known = rate == rate
    batch = round(rate * row["real_time" if own_clock else "cpu_time"]) if known else 1
    kernel = Kernel(SUFFIX.sub("", name), where, float(row["real_time"]), batch)
    group, _, sizes = kernel.parts
    if group == "eigh" or (not known and sizes):
        # Names have the order of the matrix, then the matrices per call.
        batch = sizes[1] if len(sizes) > 1 else 1 if group == "eigh" else sizes[0]
    flops, bytes_ = (_known(row.get(key)) for key in ("flops", "bytes_per_second"))
    return Kernel(kernel.name, where, kernel.seconds, max(batch, 1), flops, bytes_)


def _bundle(name: str, row: pd.Series, kernel: str) -> BundleSeconds:
    _, method, milestone = name.split("/")[:3]
    stages = {stage: float(row[stage]) for stage in KERNELS}
    return BundleSeconds(method, milestone, kernel, int(row["count"]), stages, row["cpu_time"])


def _read(paths: list[Path], bundles: bool) -> list[Any]:
    found = []
    for path in paths:
        data = read_json(path)
        with contents_of(path, "JSON of a micro-benchmark (--benchmark_out)"):
            context, rows = data["context"], _medians(data["benchmarks"])
            if bundles:
                [core] = [v for key, v in context.items() if key.endswith(" core")]
                found += [_bundle(name, row, core) for name, row in rows.iterrows()]
            else:
                where = context.get("gpu", "CPU")
                found += [_kernel(name, row, where) for name, row in rows.iterrows()]
    return found


def read_kernels(paths: list[Path]) -> list[Kernel]:
    """The kernels of all files."""
    return _read(paths, bundles=False)


def read_bundles(paths: list[Path]) -> list[BundleSeconds]:
    """The bundles of all files."""
    return _read(paths, bundles=True)
