"""Reads results of the micro-benchmarks (bench_kernels_cpu, bench_kernels_gpu; Google Benchmark).

Names are GROUP[/VARIANT...][/SIZE...], after which Google Benchmark appends what it was told
about clocks and repetitions.
"""

import re
import statistics
from dataclasses import dataclass
from pathlib import Path

from spexreports.errors import DataError
from spexreports.results.read import read_json

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# What Google Benchmark appends to names.
SUFFIX = re.compile(
    r"/(manual_time|real_time|process_time|(min_time|min_warmup_time|iterations|repeats|threads):.*)"
)


@dataclass(frozen=True)
class Kernel:
    """A benchmark of a file; with repetitions, their median."""

    name: str  # without what Google Benchmark appends
    where: str  # the GPU, or CPU
    seconds: float  # of a call
    batch: int  # matrices, patches or blocks of a call

    @property
    def parts(self) -> tuple[str, str, list[int]]:
        """Group, variant and sizes of the name."""
        group, *parts = self.name.split("/")
        words = [part for part in parts if not part.isdecimal()]
        return group, "/".join(words), [int(part) for part in parts if part.isdecimal()]

    @property
    def each(self) -> float:
        """Seconds of one matrix, patch or block of the batch."""
        return self.seconds / self.batch


def _kernel(name: str, rows: list[dict], where: str) -> Kernel:
    seconds = statistics.median(float(r["real_time"]) * UNITS[r["time_unit"]] for r in rows)
    first = rows[0]
    # Rates are by the clock that the name gives, else by the CPU's.
    own_clock = "/manual_time" in first["name"] or "/real_time" in first["name"]
    clock = float(first["real_time" if own_clock else "cpu_time"]) * UNITS[first["time_unit"]]
    rate = first.get("items_per_second")
    batch = round(rate * clock) if rate else 1
    kernel = Kernel(name, where, seconds, batch)
    group, _, sizes = kernel.parts
    if group == "eigh" or (rate is None and sizes):
        # The order of the matrix comes first, then how many matrices a call has.
        batch = sizes[1] if len(sizes) > 1 else 1 if group == "eigh" else sizes[0]
    return Kernel(name, where, seconds, max(batch, 1))


def read_kernels(paths: list[Path]) -> list[Kernel]:
    """The benchmarks of all files; of repetitions the median, those that failed left out."""
    found = []
    for path in paths:
        data = read_json(path)
        try:
            where = data["context"].get("gpu", "CPU")
            rows: dict[str, list[dict]] = {}
            for row in data["benchmarks"]:
                if row.get("run_type", "iteration") == "iteration" and "error_message" not in row:
                    name = SUFFIX.sub("", row.get("run_name", row["name"]))
                    rows.setdefault(name, []).append(row)
            found += [_kernel(name, of, where) for name, of in rows.items()]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            expected = "JSON of bench_kernels_cpu or bench_kernels_gpu (--benchmark_out)"
            raise DataError(path, f"is broken: {error}", expected) from error
    return found
