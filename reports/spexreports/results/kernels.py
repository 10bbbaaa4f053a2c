"""Reads results of the micro-benchmarks (bench_kernels_cpu, bench_kernels_gpu; Google Benchmark).

Names are GROUP[/VARIANT...][/SIZE...], after which Google Benchmark appends what it was told
about clocks and repetitions.
"""

import json
import math
import re
import statistics
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spexreports.errors import DataError

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
EXPECTED = "JSON of bench_kernels_cpu or bench_kernels_gpu (--benchmark_out)"
# What Google Benchmark appends to names.
SUFFIX = re.compile(
    r"/(manual_time|real_time|process_time|(min_time|min_warmup_time|iterations|repeats|threads):.*)"
)
WITH_ORDER = ("eigh", "cholesky", "roots")  # groups whose names may hold the order n of the matrix


@dataclass(frozen=True)
class Kernel:
    """A benchmark of a file; with repetitions, their median."""

    name: str  # without what Google Benchmark appends
    group: str  # first part of the name
    variant: str  # parts that are no numbers, joined by "/"; may be empty
    n: int | None  # order of the matrix, where there is one
    batch: int  # matrices, patches or blocks of a call
    seconds: float  # of a call
    bytes_per_second: float | None
    file: str  # label of the file: GPU or host
    gpu: bool  # whether it ran on a GPU

    @property
    def each(self) -> float:
        """Seconds of one matrix, patch or block of the batch."""
        return self.seconds / self.batch

    @property
    def device(self) -> str:
        """Where it ran, in a word."""
        return "GPU" if self.gpu else "CPU"


@dataclass(frozen=True)
class KernelFile:
    """What a file holds."""

    label: str
    gpu: bool
    kernels: tuple[Kernel, ...]
    left_out: tuple[str, ...]  # "NAME: reason" of the benchmarks that failed


@dataclass(frozen=True)
class _Row:
    """A row of the file, in SI units."""

    seconds: float
    bytes_per_second: float | None
    items: float | None  # of a call
    order: int | None


def _number(path: Path, row: dict, key: str) -> float:
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise DataError(path, f"{key} of {row['name']} is {json.dumps(value)[:40]}", "a number")
    return float(value)


def _maybe(path: Path, row: dict, *keys: str) -> float | None:
    found = [key for key in keys if key in row]
    return _number(path, row, found[0]) if found else None


def _row(path: Path, row: dict) -> _Row:
    unit = row.get("time_unit")
    if unit not in UNITS:
        raise DataError(path, f"time_unit of {row['name']} is {json.dumps(unit)}", "s, ms, us, ns")
    real = _number(path, row, "real_time") * UNITS[unit]
    if real <= 0:
        raise DataError(path, f"real_time of {row['name']} is {real:g}", "above 0")
    # Rates are by the clock that the name gives, else by the CPU's.
    own_clock = "/manual_time" in row["name"] or "/real_time" in row["name"]
    clock = real if own_clock else _number(path, row, "cpu_time") * UNITS[unit]
    rate = _maybe(path, row, "items_per_second")
    order = _maybe(path, row, "n", "m")
    return _Row(
        seconds=real,
        bytes_per_second=_maybe(path, row, "bytes_per_second"),
        items=None if rate is None else rate * clock,
        order=None if order is None else round(order),
    )


def _middle(rows: list[_Row]) -> _Row:
    """The median of the repetitions."""
    rates = [r.bytes_per_second for r in rows if r.bytes_per_second is not None]
    return _Row(
        seconds=statistics.median(r.seconds for r in rows),
        bytes_per_second=statistics.median(rates) if rates else None,
        items=rows[0].items,
        order=rows[0].order,
    )


def _kernel(name: str, row: _Row, label: str, gpu: bool) -> Kernel:
    group, *parts = name.split("/")
    sizes = [int(part) for part in parts if part.isdecimal()]
    order = sizes[0] if group in WITH_ORDER and sizes else None
    if group == "cholesky" and len(sizes) == 1:  # cholesky/band/BATCH
        order = None
    rest = sizes if order is None else sizes[1:]
    batch = rest[-1] if rest else 1
    if group == "roots" and rest and row.items:
        batch = round(row.items)  # the name counts patches, each of which has several blocks
    return Kernel(
        name=name,
        group=group,
        variant="/".join(part for part in parts if not part.isdecimal()),
        n=row.order or order,
        batch=max(batch, 1),
        seconds=row.seconds,
        bytes_per_second=row.bytes_per_second,
        file=label,
        gpu=gpu,
    )


def _load(path: Path) -> dict:
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(path, error.strerror or str(error), "a readable file") from error
    except ValueError as error:  # of JSON or of UTF-8
        raise DataError(path, "is no JSON", EXPECTED) from error
    if (
        not isinstance(content, dict)
        or not isinstance(content.get("context"), dict)
        or not isinstance(content.get("benchmarks"), list)
        or not all(
            isinstance(row, dict) and isinstance(row.get("name"), str) and row["name"]
            for row in content["benchmarks"]
        )
    ):
        raise DataError(path, "is no output of Google Benchmark", EXPECTED)
    return content


def _cpu_label(context: dict) -> str:
    """What the file says of its CPU: the model where it is given, else its speed and kernel."""
    if context.get("cpu"):
        return str(context["cpu"])
    parts = ["CPU"]
    if isinstance(context.get("mhz_per_cpu"), int | float):
        parts = [f"CPU of {context['mhz_per_cpu'] / 1000:.1f} GHz"]
    if context.get("openblas core"):
        parts.append(f"OpenBLAS {context['openblas core']}")
    return ", ".join(parts)


def read_kernel_file(path: Path) -> KernelFile:
    """Reads a file; of repetitions the row of the median, else the median of the rows."""
    content = _load(path)
    context = content["context"]
    gpu = "gpu" in context
    label = str(context["gpu"]) if gpu else _cpu_label(context)
    rows: dict[str, list[_Row]] = {}
    medians: dict[str, _Row] = {}
    failed: dict[str, str] = {}
    for row in content["benchmarks"]:
        name = SUFFIX.sub("", row.get("run_name", row["name"]))
        if row.get("error_occurred"):
            failed.setdefault(name, str(row.get("error_message") or "failed"))
        elif row.get("run_type", "iteration") == "iteration":
            rows.setdefault(name, []).append(_row(path, row))
        elif row.get("aggregate_name") == "median":
            medians[name] = _row(path, row)
    kernels = [
        _kernel(name, medians.get(name) or _middle(rows[name]), label, gpu)
        for name in dict.fromkeys([*rows, *medians])
        if name not in failed
    ]
    if not kernels and not failed:
        raise DataError(path, "holds no benchmark", EXPECTED)
    left_out = tuple(f"{name}: {reason}" for name, reason in failed.items())
    return KernelFile(label, gpu, tuple(kernels), left_out)


def _relabelled(file: KernelFile, label: str) -> KernelFile:
    kernels = tuple(replace(kernel, file=label) for kernel in file.kernels)
    return replace(file, label=label, kernels=kernels)


def read_kernels(paths: list[Path]) -> list[KernelFile]:
    """Reads files; where labels are the same, the files' names are added."""
    found = [(path, read_kernel_file(path)) for path in paths]
    labels = [file.label for _, file in found]
    return [
        _relabelled(file, f"{file.label}, {path.stem}") if labels.count(file.label) > 1 else file
        for path, file in found
    ]
