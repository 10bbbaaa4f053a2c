"""The pulls of the extracted flux against the truth."""

import numpy as np
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.truth import Pulls


def summary(pulls: Pulls) -> list[tuple[str, float, float]]:
    """Name, measured value, and the value for correct errors; spex-compare --truth judges it."""
    return [
        ("mean", pulls.mean, 0.0),
        ("standard deviation", pulls.std, 1.0),
        ("68% half-width", pulls.half_width, 1.0),
        ("correlation", pulls.correlation, 0.0),
    ]


def pulls_figure(pulls: Pulls, title: str) -> Figure:
    """Histogram of the pulls with the unit normal, and the numbers of the truth check."""
    edges = np.arange(-6, 6.01, 0.2)
    centers = (edges[1:] + edges[:-1]) / 2
    count, _ = np.histogram(np.clip(pulls.pull, -5.99, 5.99), edges)
    density = count / pulls.pull.size / np.diff(edges)
    error = np.sqrt(count) / pulls.pull.size / np.diff(edges)
    normal = np.exp(-0.5 * centers**2) / np.sqrt(2 * np.pi)

    figure, axes = style.figure(6.0, nrows=2)
    axes = axes[:, 0]
    for axis in axes:
        axis.stairs(density, edges, fill=True, color=style.SKY, label="pulls")
        axis.errorbar(centers, density, error, fmt="none", ecolor=style.BLUE, lw=0.8)
        axis.plot(centers, normal, color=style.VERMILION, lw=1.6, label="unit normal")
        axis.set_xlabel("pull = (flux − R · truth) / σ")
        axis.set_ylabel("probability density")
        axis.set_xlim(-6, 6)
    axes[0].legend(loc="upper right")
    beyond = int((np.abs(pulls.pull) > 6).sum())
    lines = [f"{pulls.pull.size:,} bins, {beyond} beyond ±6"] + [
        f"{name} {value:.3f}, expected {want:g}" for name, value, want in summary(pulls)
    ]
    text = "\n".join(lines).replace(" -", " −")
    axes[0].set_ylim(0, 1.65 * max(normal.max(), density.max()))
    axes[0].text(0.02, 0.98, text, transform=axes[0].transAxes, va="top", fontsize=9)
    axes[0].set_title("all pulls")
    axes[1].set_yscale("log")
    axes[1].set_ylim(0.3 / pulls.pull.size / 0.2, 2)
    axes[1].set_title("the same, logarithmic: the tails")
    style.set_title(figure, title)
    return figure
