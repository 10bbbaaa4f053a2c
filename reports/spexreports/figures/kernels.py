"""Kernels: beside their floors, one by one, and eigendecompositions over the order of a matrix."""

from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.checks import KernelTimes
from spexreports.results.micro import Kernel
from spexreports.results.result import KERNELS, Result
from spexreports.tables.ladder import best_rungs


def floor_figure(results: list[Result]) -> Figure | None:
    """Milliseconds of each stage of `direct`, with a mark at its floor."""
    found = [
        r
        for r in best_rungs(results)
        if r.milestone == "direct"
        and r.gpus == 1
        and {p["stage"] for p in r.roofline} >= {*KERNELS}
    ]
    if not found:
        return None
    result = found[0]
    points = {p["stage"]: p for p in result.roofline}
    drawn, axes = style.figure(2.5)
    axis = axes[0, 0]
    for row, stage in enumerate(KERNELS):
        p, took = points[stage], result.stage_seconds[stage]
        flops, moved = p["flops"] / p["ceiling_flops"], p["bytes"] / p["ceiling_bytes"]
        floor = 1e3 * max(flops, moved) / result.frames_asked
        label = {"label": "measured"} if row == 0 else {}
        axis.barh(row, 1e3 * took, 0.6, color=style.SKY, **label)
        label = {"label": "floor: arithmetic or memory at the GPU's ceilings"} if row == 0 else {}
        axis.plot([floor, floor], [row - 0.4, row + 0.4], color=style.VERMILION, lw=2.5, **label)
        text = f"{took * 1e3 / floor:.0f} floors"
        place = {"textcoords": "offset points", "va": "center", "fontsize": style.FONT - 0.5}
        axis.annotate(text, (1e3 * took, row), (4, 0), **place)
    axis.set_yticks(range(len(KERNELS)), labels=KERNELS)
    axis.set_ylim(len(KERNELS) - 0.4, -0.6)
    axis.margins(x=0.18)
    axis.set_xlim(left=0)
    axis.set_xlabel("milliseconds of a frame, direct")
    drawn.legend(loc="outside lower left", ncols=1, handlelength=1.4)
    return drawn


def times_figure(times: list[KernelTimes], most: int = 12) -> Figure | None:
    """The longest kernels of a frame, the mean of its arms."""
    if not times:
        return None
    means = [(name, sum(ms.values()) / len(ms)) for name, ms in times[0].kernels]
    # The rows of a template, one for each order, are one kernel.
    joined: dict[str, float] = {}
    for name, ms in means:
        joined[name.split("<")[0]] = joined.get(name.split("<")[0], 0.0) + ms
    longest = sorted(joined.items(), key=lambda pair: -pair[1])[:most]
    drawn, axes = style.figure(0.7 + 0.21 * len(longest))
    axis = axes[0, 0]
    axis.barh(range(len(longest)), [ms for _, ms in longest], color=style.SKY)
    names = [name.removesuffix("_kernel") for name, _ in longest]
    axis.set_yticks(range(len(longest)), labels=names)
    axis.invert_yaxis()
    axis.set_xlabel(f"milliseconds of a frame, {times[0].milestone}, kernel alone")
    return drawn


def eigh_figure(found: list[Kernel]) -> Figure | None:
    """Milliseconds of one eigendecomposition over the order of the matrix, CPU core and GPU."""
    lines: dict[str, list[tuple[int, float]]] = {}
    names = {"": "one CPU core", "single": "GPU, one at a time"}
    names |= {"xsyev": "GPU, batched (XsyevBatched)", "jacobi": "GPU, batched (syevjBatched)"}
    for kernel in found:
        group, variant, sizes = kernel.parts
        # 512 lies so near 518 that only noise would be seen between them.
        if group == "eigh" and variant in names and sizes and sizes[0] != 512:
            lines.setdefault(names[variant], []).append((sizes[0], 1e3 * kernel.each))
    lines = {name: sorted(points) for name, points in lines.items() if len(points) > 1}
    if not lines:
        return None
    drawn, axes = style.figure(3.1)
    axis = axes[0, 0]
    for index, (name, points) in enumerate(lines.items()):
        colour, marker = style.look(index)
        axis.plot(*zip(*points, strict=True), color=colour, marker=marker, ms=4, label=name)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    style.whole_ticks(axis.xaxis, [32, 64, 128, 256, 518, 1024, 2048])
    axis.set_xlabel("order of the matrix (a patch of production: 518)")
    axis.set_ylabel("ms of one eigendecomposition")
    drawn.legend(loc="outside lower left", ncols=2, handlelength=1.6, columnspacing=1.0)
    return drawn
