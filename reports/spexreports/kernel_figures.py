"""Micro-benchmarks: pictures by subject, and a table of all."""

from collections.abc import Callable, Iterable
from pathlib import Path

from matplotlib.axes import Axes

from spexreports import page, style
from spexreports.kernel_bars import Bar, bar_picture
from spexreports.kernel_results import Kernel, KernelFile, read_kernels
from spexreports.numbers import number, time_text
from spexreports.section import Missing, Picture, by_group

EIGH = {
    "": "dsyevd",
    "single": "one dsyevd",
    "with_copies": "one dsyevd, with copies",
    "one_by_one": "dsyevd, one by one",
    "xsyev": "XsyevBatched",
    "jacobi": "syevjBatched",
}
CHOLESKY = {
    "band_blocks": "band, with blocks of the inverse",
    "dense_inverse": "dense, with the inverse",
    "potrf": "dense (potrf)",
    "potrs": "dense, solve alone (potrs)",
    "inverse": "dense, with the inverse",
    "solve_batched": "dense factor and solve, batched",
    "solve_one_by_one": "dense factor and solve, one by one",
}
# Group: what it is, of what a time is, whether a call's time is divided by its batch.
ASSEMBLY = {
    "normal_equations": ("normal equations, per patch", True),
    "projection": ("projection matrix, per patch", True),
    "spots": ("spots, per call", False),
    "legendre": ("Legendre sums, per call", False),
    "roots": ("roots, per block", True),
    "fibers": ("stages of direct and of cholesky, per patch", True),
}
# Groups of which a benchmark has no name of its own.
UNNAMED = {"projection": "dense, with weights"}
FITS = {"fits_read": "reading", "fits_write": "writing"}


def _kernels(files: list[KernelFile], *groups: str) -> list[Kernel]:
    return [k for file in files for k in file.kernels if k.group in groups]


def _colours(files: list[KernelFile]) -> dict[str, str]:
    return {f.label: style.CYCLE[i % len(style.CYCLE)] for i, f in enumerate(files)}


def _with_file(label: str, kernel: Kernel, files: list[KernelFile]) -> str:
    """The label, with the file's where another file is of the same device."""
    alike = sum(f.gpu == kernel.gpu for f in files)
    return f"{label}, {kernel.file}" if alike > 1 else label


def _batch(kernel: Kernel) -> str:
    return f" × {kernel.batch}" if kernel.batch > 1 else ""


def _order(kernel: Kernel) -> str:
    return f", n = {kernel.n}" if kernel.n else ""


def _labels(files: list[KernelFile], kernels: Iterable[Kernel]) -> str:
    present = {k.file for k in kernels}
    return "; ".join(f.label for f in files if f.label in present)


def _eigh_line(axis: Axes, kernels: list[Kernel], label: str, colour: str, marker: str) -> None:
    """A line for each size of batch; a larger batch has filled markers."""
    groups = by_group(kernels, lambda k: k.batch)
    for batch, points in sorted(groups.items(), reverse=True):
        points = sorted(points, key=lambda k: k.n)
        axis.plot(
            [k.n for k in points],
            [k.each for k in points],
            color=colour,
            marker=marker,
            markerfacecolor=colour if batch == max(groups) else "white",
            label=f"{label} × {batch}" if batch > 1 else label,
        )


def _eigh(files: list[KernelFile]) -> Picture | None:
    kernels = [k for k in _kernels(files, "eigh") if k.n]
    if not kernels:
        return None
    figure, axes = style.column_figure(82)
    axis = axes[0, 0]
    groups = by_group(kernels, lambda k: (k.file, k.variant))
    for i, points in enumerate(groups.values()):
        first = points[0]
        label = f"{first.device} {EIGH.get(first.variant, first.variant)}"
        colour, marker = style.look(i)
        _eigh_line(axis, points, _with_file(label, first, files), colour, marker)
    axis.set(xscale="log", yscale="log")
    orders = {k.n for k in kernels}
    style.whole_ticks(
        axis.xaxis, [t for t in (2**e for e in range(20)) if t in orders] or [*orders]
    )
    axis.set_xlabel("order n of the matrix (rows)")
    axis.set_ylabel("time per matrix (s)")
    figure.legend(loc="outside upper left", ncols=2)
    caption = (
        "Eigendecomposition of symmetric matrices, double precision, with eigenvectors; of a "
        "batch (× its matrices, open markers for smaller batches) the time of the call divided by "
        f"its matrices. One thread of the CPU. {_labels(files, kernels)}."
    )
    return Picture("kernels-eigh", figure, caption)


def _bars(
    kernels: Iterable[Kernel], label: Callable[[Kernel], str], value: Callable[[Kernel], float]
) -> list[Bar]:
    """Bars, those of the CPU first."""
    ordered = sorted(kernels, key=lambda k: k.gpu)
    return [Bar(f"{k.device} {label(k)}".strip(), value(k), k.file) for k in ordered]


def _each(kernel: Kernel) -> float:
    return kernel.each


def _by_batching(kernels: list[Kernel]) -> str:
    """What batching brings to a dense factor and solution, on each GPU that has both."""
    words = []
    for file, own in by_group([k for k in kernels if k.gpu], lambda k: k.file).items():
        each = {k.variant: k.each for k in sorted(own, key=lambda k: (k.n or 0, k.batch))}
        one, batched = each.get("solve_one_by_one"), each.get("solve_batched")
        if one and batched:
            words.append(f"{one / batched:.3g} times as long one by one as batched ({file})")
    if not words:
        return ""
    return f" Factor and solution take {', '.join(words)}; the paper's batching brought 3.3."


def _cholesky(files: list[KernelFile]) -> Picture | None:
    kernels = _kernels(files, "cholesky")
    if not kernels:
        return None
    groups: dict[str, list[Bar]] = {}
    for order, members in sorted(by_group(kernels, lambda k: k.n or 0).items()):
        heading = f"n = {order}" if order else "of a patch"
        groups[heading] = _bars(
            members, lambda k: CHOLESKY.get(k.variant, k.variant) + _batch(k), _each
        )
    caption = (
        "Cholesky factors and what is made of them, per matrix: of a batch (× its matrices) the "
        "time of the call divided by its matrices. The band of the GPU is padded to whole blocks, "
        f"hence its larger n. One thread of the CPU. {_labels(files, kernels)}."
        + _by_batching(kernels)
    )
    figure = bar_picture(
        groups, _colours(files), "time per matrix (s), logarithmic", "kernel", time_text
    )
    return Picture("kernels-cholesky", figure, caption)


def _assembly_label(kernel: Kernel) -> str:
    variant = kernel.variant.replace("_", " ") or UNNAMED.get(kernel.group, "")
    if kernel.group == "spots":
        return variant or f"{kernel.batch} patches"
    order = _order(kernel) if kernel.group == "roots" else ""
    return (variant + order).removeprefix(", ") + _batch(kernel)


def _assembly(files: list[KernelFile]) -> Picture | None:
    groups: dict[str, list[Bar]] = {}
    for group, (heading, divided) in ASSEMBLY.items():
        members = _kernels(files, group)
        value = _each if divided else (lambda k: k.seconds)
        if members:
            groups[heading] = _bars(members, _assembly_label, value)
    if not groups:
        return None
    caption = (
        "Kernels before and after the solution, and the stages of direct, which are those of "
        "cholesky on the CPU. Per patch and per block: "
        "of a batch (× its members) the time of the call divided by them. Per call: spots of a "
        "bundle on the CPU, of all the patches named on the GPU (235 are a bundle); Legendre sums "
        "of all parameters, fibers and wavelengths of a bundle. One thread of the CPU. "
        f"{_labels(files, _kernels(files, *ASSEMBLY))}."
    )
    figure = bar_picture(groups, _colours(files), "time (s), logarithmic", "kernel", time_text)
    return Picture("kernels-assembly", figure, caption)


def _fits(files: list[KernelFile]) -> Picture | None:
    kernels = [k for k in _kernels(files, *FITS) if k.bytes_per_second]
    groups = {
        heading: [
            Bar(k.variant, k.bytes_per_second / 1e6, k.file) for k in kernels if k.group == group
        ]
        for group, heading in FITS.items()
    }
    groups = {heading: bars for heading, bars in groups.items() if bars}
    if not groups:
        return None
    caption = (
        "Reading and writing of a preprocessed CCD image with ivar and mask: bytes in memory, so "
        "before compression, over the wall clock. Files are in the system's cache. gz: gzip, fz: "
        f"compression of FITS tiles. {_labels(files, kernels)}."
    )
    figure = bar_picture(
        groups, _colours(files), "speed (MB/s), logarithmic", "kind of file", lambda v: f"{v:,.0f}"
    )
    return Picture("kernels-fits", figure, caption)


DIRECTIONS = {"to_device": "to the GPU", "to_host": "to the host"}


def _transfer_parts(kernel: Kernel) -> tuple[str, str, int]:
    """Direction, memory, MiB of transfer/DIRECTION/MEMORY/64MB; empty where it is no such name."""
    parts = kernel.variant.split("/")
    if len(parts) != 3 or parts[0] not in DIRECTIONS or not parts[2][:-2].isdecimal():
        return "", "", 0
    return parts[0], parts[1], int(parts[2].removesuffix("MB"))


def _transfers(files: list[KernelFile]) -> Picture | None:
    kernels = [
        k
        for k in _kernels(files, "transfer")
        if k.bytes_per_second is not None and _transfer_parts(k)[0]
    ]
    if not kernels:
        return None
    figure, axes = style.column_figure(62)
    axis = axes[0, 0]
    looks = by_group(kernels, lambda k: (k.file, _transfer_parts(k)[1]))
    for i, points in enumerate(looks.values()):
        memory = _with_file(_transfer_parts(points[0])[1], points[0], files)
        for direction, line in zip(DIRECTIONS, ("-", "--"), strict=True):
            chosen = [k for k in points if _transfer_parts(k)[0] == direction]
            chosen.sort(key=lambda k: _transfer_parts(k)[2])
            if chosen:
                axis.plot(
                    [_transfer_parts(k)[2] for k in chosen],
                    [k.bytes_per_second / 2**30 for k in chosen],
                    color=style.CYCLE[i % len(style.CYCLE)],
                    marker="o" if line == "-" else "s",
                    ls=line,
                    markerfacecolor=None if line == "-" else "white",
                    label=f"{memory}, {DIRECTIONS[direction]}",
                )
    axis.set_xscale("log")
    axis.set_ylim(bottom=0)
    style.whole_ticks(axis.xaxis, sorted({_transfer_parts(k)[2] for k in kernels}))
    axis.set_xlabel("size of the copy (MiB)")
    axis.set_ylabel("speed (GiB/s)")
    figure.legend(loc="outside upper left", ncols=2)
    caption = (
        "Copies between the memories of host and GPU, from page-locked (pinned) and from ordinary "
        f"(pageable) memory of the host. {_labels(files, kernels)}."
    )
    return Picture("kernels-transfers", figure, caption)


def kernel_figures(files: list[Path]) -> list[Picture] | Missing:
    """Eigendecomposition, Cholesky, assembly, FITS and transfers, as far as the files have them."""
    if not files:
        return Missing("no output of the micro-benchmarks (--micro)")
    read = read_kernels(files)
    style.apply_column()
    drawn = [draw(read) for draw in (_eigh, _cholesky, _assembly, _fits, _transfers)]
    pictures = [picture for picture in drawn if picture]
    return pictures or Missing("none of the kernels that are drawn is in the files of --micro")


def kernel_table(files: list[Path]) -> page.Html:
    """HTML: all benchmarks of the files, and those that failed."""
    read = read_kernels(files)
    rows = [
        (
            k.name,
            time_text(k.seconds),
            "–" if k.bytes_per_second is None else f"{number(k.bytes_per_second / 1e9)} GB/s",
            k.file,
        )
        for file in read
        for k in file.kernels
    ]
    notes = [
        page.note(f"Left out, as it failed: {line} ({file.label})")
        for file in read
        for line in file.left_out
    ]
    return page.join(
        [page.table(("name", "time of a call", "rate", "machine"), rows, numbers=(1, 2)), *notes]
    )
