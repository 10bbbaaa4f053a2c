"""Frames of DESI's pipeline beside ours: how large the differences are, and where."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.production import Agreement, Pair, Report

SMALLEST = 1e-9  # of a color scale; a difference below it is none


def sizes_figure(found: list[Agreement], edges: np.ndarray, title: str) -> Figure:
    """How many values differ by how much: flux, ivar, R and chi2pix."""
    drawn, axes = style.figure(7.6, nrows=len(found), sharex=True)
    for axis, one in zip(axes[:, 0], found, strict=True):
        axis.stairs(one.histogram, edges, fill=True, color=style.SKY)
        axis.axvline(one.limit, color=style.VERMILION, lw=1.4)
        axis.set_xscale("log")
        if one.histogram.any():
            axis.set_yscale("log")
        axis.set_ylim(0.5, max(10.0, 3 * one.histogram.max()))
        axis.set_ylabel("values")
        equal = 100 * one.equal / max(one.compared, 1)
        axis.set_title(f"{one.what}: {equal:.4g}% equal to the last bit")
    axes[-1, 0].set_xlabel("difference of the stored values (red: limit beyond rounding)")
    style.set_title(drawn, title)
    return drawn


def patches_figure(pairs: list[Pair], title: str) -> Figure | None:
    """The largest flux pull of each patch, of all frames of an arm."""
    arms: dict[tuple[str, tuple[int, ...]], np.ndarray] = {}
    for pair in pairs:
        if pair.worst_pulls.size == 0:
            continue
        key = (pair.camera[:1], pair.worst_pulls.shape)
        arms[key] = np.fmax(arms.get(key, np.zeros(pair.worst_pulls.shape)), pair.worst_pulls)
    if not arms:
        return None
    drawn, axes = style.figure(0.8 + 2.3 * len(arms), nrows=len(arms))
    largest = max(float(np.nanmax(worst)) for worst in arms.values())
    norm = LogNorm(SMALLEST, max(largest, 1e-6))
    cmap = plt.get_cmap("cividis")
    for axis, ((arm, _), worst) in zip(axes[:, 0], sorted(arms.items()), strict=True):
        shown = axis.imshow(np.fmax(worst, SMALLEST), norm=norm, cmap=cmap, aspect="auto")
        axis.set_title(f"arm {arm}" if arm else "frames")
        axis.set_ylabel("subbundle")
    axes[-1, 0].set_xlabel("wavelength step of the extraction")
    drawn.colorbar(shown, ax=list(axes[:, 0]), label="largest |flux pull| of a patch (σ)")
    style.set_title(drawn, title)
    return drawn


def frames_figure(report: Report, title: str) -> Figure:
    """A mark for each camera and exposure: as expected, not, missing."""
    cameras = sorted({one.camera for one in report.pairs}, reverse=True)
    exposures = sorted({one.expid for one in report.pairs})
    drawn, axes = style.figure(1.6 + 0.16 * len(cameras))
    axis = axes[0, 0]
    kinds = (
        ("as expected", "s", style.SKY, lambda one: one.ok),
        ("not expected", "X", style.VERMILION, lambda one: not one.ok and not one.missing_in),
        ("missing", "o", style.GRAY, lambda one: bool(one.missing_in)),
    )
    for label, marker, color, chosen in kinds:
        some = [one for one in report.pairs if chosen(one)]
        if not some:
            continue
        axis.plot(
            [exposures.index(one.expid) for one in some],
            [cameras.index(one.camera) for one in some],
            ls="none",
            marker=marker,
            color=color,
            fillstyle="none" if label == "missing" else "full",
            label=label,
        )
    axis.set_yticks(range(len(cameras)), cameras)
    shown = range(0, len(exposures), max(1, -(-len(exposures) // 8)))
    axis.set_xticks(shown, [str(int(exposures[k])) for k in shown], rotation=45)
    axis.set_xlim(-0.7, len(exposures) - 0.3)
    axis.set_ylim(-0.7, len(cameras) - 0.3)
    axis.set_xlabel("exposure")
    axis.set_ylabel("camera")
    drawn.legend(loc="outside upper right", ncols=3)
    style.set_title(drawn, title)
    return drawn
