"""Errors of the flux by the distance of a bin from its patch's edge.

A patch models only the light of its own bins (docs/extraction.md, section 5.2). With `--flux patch`
the flux near its edges is therefore wrong; with `--flux frame` it is not.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from astropy.io import fits

from spexreports.errors import DataError
from spexreports.results import frames
from spexreports.results.truth import expected_flux

# Median S/N per bin of a fiber: name, minimum, maximum.
BRIGHTNESS = ((10, 5, 20), (100, 70, 180), (300, 220, 450))


@dataclass
class Seams:
    """Pulls of good bins `[2, bin]`, with --flux patch and frame, and properties of the bins."""

    pull: np.ndarray
    distance: np.ndarray  # bins from the nearest inner edge of a patch; 0: at the edge
    brightness: np.ndarray  # median S/N per bin of the fiber
    nwavestep: int


def read_seams(patch: Path, frame: Path, truth: Path) -> Seams:
    """The pulls of one exposure with both options."""
    steps = []
    for path, solver in ((patch, "patch"), (frame, "frame")):
        header = fits.getheader(path)
        if header.get("FLUXSOLV", "patch") != solver:
            raise DataError(path, f"is not of --flux {solver}", f"a frame by --flux {solver}")
        steps.append(header["NWAVESTP"])
    if steps[0] != steps[1]:
        raise DataError(frame, f"has NWAVESTP {steps[1]}", f"{steps[0]}, as the other")
    read = [frames.read_frame(path) for path in (patch, frame)]
    simulated = frames.read_truth(truth)
    nwave, step = len(read[0].wave), steps[0]
    w = np.arange(nwave)
    distance = np.minimum(w % step, step - 1 - w % step)
    # The ends of the grid are not seams.
    inner = (w >= step) & (w < (nwave - 1) // step * step)
    good = read[0].good & read[1].good & inner
    expected = [expected_flux(extracted, simulated) for extracted in read]
    pulls = [
        (extracted.flux - flux) * np.sqrt(np.maximum(extracted.ivar, 0))
        for extracted, flux in zip(read, expected, strict=True)
    ]
    noise = np.where(good, np.sqrt(np.maximum(read[0].ivar, 0)), np.nan)
    if not good.any():
        raise DataError(patch, "has no good bin of a patch within its grid", "three steps or more")
    brightness = np.nanmedian(np.where(good, expected[0] * noise, np.nan)[:, inner], axis=1)
    fiber = np.nonzero(good)[0]
    return Seams(
        pull=np.array([p[good] for p in pulls]),
        distance=np.broadcast_to(distance, good.shape)[good],
        brightness=brightness[fiber],
        nwavestep=step,
    )


def joined(parts: list[Seams]) -> Seams:
    """All pulls of several exposures with the same patches."""
    if len({part.nwavestep for part in parts}) != 1:
        raise ValueError("the frames have patches of different sizes (NWAVESTP)")
    return Seams(
        pull=np.concatenate([p.pull for p in parts], axis=1),
        distance=np.concatenate([p.distance for p in parts]),
        brightness=np.concatenate([p.brightness for p in parts]),
        nwavestep=parts[0].nwavestep,
    )


@dataclass
class Profile:
    """Statistics by distance from the edge, for fibers of one brightness; `[distance]`."""

    count: np.ndarray
    square: np.ndarray  # mean squared pull `[2, distance]`, of patch and of frame
    error: np.ndarray  # error of it
    apart: np.ndarray  # rms difference of the two fluxes, sigma


def profile(seams: Seams, minimum: float, maximum: float) -> Profile | None:
    """The profile of fibers with S/N in [minimum, maximum); None without such fibers."""
    chosen = (seams.brightness >= minimum) & (seams.brightness < maximum)
    if not chosen.any():
        return None
    pull, distance = seams.pull[:, chosen], seams.distance[chosen]
    count = np.bincount(distance)
    square = np.array([np.bincount(distance, p**2) for p in pull]) / count
    fourth = np.array([np.bincount(distance, p**4) for p in pull]) / count
    return Profile(
        count=count,
        square=square,
        error=np.sqrt(np.maximum(fourth - square**2, 0) / count),
        apart=np.sqrt(np.bincount(distance, (pull[0] - pull[1]) ** 2) / count),
    )
