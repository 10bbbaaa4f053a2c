"""The longest kernels, and times of eigendecompositions by order of the matrix."""

from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.checks import KernelTimes
from spexreports.results.micro import Kernel


def times_figure(times: list[KernelTimes], count: int = 12) -> Figure | None:
    """The longest kernels of a frame, the mean of its arms."""
    if not times:
        return None
    means = [(name, sum(ms.values()) / len(ms)) for name, ms in times[0].kernels]
    # Instances of a kernel template, one per order, count as one kernel.
    joined: dict[str, float] = {}
    for name, ms in means:
        joined[name.split("<")[0]] = joined.get(name.split("<")[0], 0.0) + ms
    longest = sorted(joined.items(), key=lambda pair: -pair[1])[:count]
    drawn, axes = style.figure(0.7 + 0.21 * len(longest))
    axis = axes[0, 0]
    axis.barh(range(len(longest)), [ms for _, ms in longest], color=style.SKY)
    names = [name.removesuffix("_kernel") for name, _ in longest]
    axis.set_yticks(range(len(longest)), labels=names)
    axis.invert_yaxis()
    axis.set_xlabel(f"milliseconds of a frame, {times[0].milestone}, kernel alone")
    return drawn


def eigh_figure(found: list[Kernel]) -> Figure | None:
    """Milliseconds of one eigendecomposition by order of the matrix, on a CPU core and the GPU."""
    lines: dict[str, list[tuple[int, float]]] = {}
    names = {"": "one CPU core", "single": "GPU, one at a time"}
    names |= {"xsyev": "GPU, batched (XsyevBatched)", "jacobi": "GPU, batched (syevjBatched)"}
    for kernel in found:
        group, variant, sizes = kernel.parts
        # 512 is so near 518 that only noise would be visible between them.
        if group == "eigh" and variant in names and sizes and sizes[0] != 512:
            lines.setdefault(names[variant], []).append((sizes[0], 1e3 * kernel.each))
    lines = {name: sorted(points) for name, points in lines.items() if len(points) > 1}
    if not lines:
        return None
    drawn, axes = style.figure(3.1)
    axis = axes[0, 0]
    for index, (name, points) in enumerate(lines.items()):
        color, marker = style.line_style(index)
        axis.plot(*zip(*points, strict=True), color=color, marker=marker, ms=4, label=name)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    style.whole_ticks(axis.xaxis, [32, 64, 128, 256, 518, 1024, 2048])
    axis.set_xlabel("order of the matrix (a patch of production: 518)")
    axis.set_ylabel("ms of one eigendecomposition")
    drawn.legend(loc="outside lower left", ncols=2, handlelength=1.6, columnspacing=1.0)
    return drawn
