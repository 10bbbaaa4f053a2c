#!/usr/bin/env python3
"""Takes the effect of a charge trap out of a simulated image, with the model of an extraction.

usage: docs/cte.py [option...] (--help shows them); what is done, and what was measured, is in
docs/beyond-production.md, "Charge that arrives late"
"""

import argparse
import logging
import tempfile
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import spexbench
from scipy.ndimage import median_filter

READ_NOISE = 3.0  # electron
# Spectra brighter than this many times the median are targets, not sky.
BRIGHT = 3
SMOOTHED_BINS = 31
# Bins at both ends of the grid whose spots the model image does not hold as a whole.
ENDS = 15
# Median of a faint spectrum, sky included, at most; electron / Angstrom.
FAINT = 150
GRIDS = {"tiny": (5760, 5850, 0.8), "bundle": (5760, 7620, 0.8)}


class Trap(NamedTuple):
    """A trap of the serial register, which is read toward smaller columns."""

    column: int  #: the first column whose charge passes the trap
    capacity: float  #: electron
    leak: float  #: fraction of the held charge that is released with each pixel

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The image [ny, nx], electron, after the trap, which is empty as each row begins."""
        late = image.copy()
        held = np.zeros(len(image))
        for x in range(self.column, image.shape[1]):
            charge = np.maximum(image[:, x], 0)
            caught = np.minimum(charge * (1 - held / self.capacity), self.capacity - held)
            change = self.leak * held - caught
            late[:, x] += change
            held -= change
        return late


class Scene(NamedTuple):
    """One bundle with a trap in its middle. Images [ny, nx], electron."""

    psf: spexbench.Psf
    grid: tuple[float, float, float]  #: Angstrom
    trap: Trap
    light: np.ndarray  #: expected electrons
    without: np.ndarray  #: the image, as it is without the trap
    trapped: np.ndarray  #: the image, as it is read
    wave: np.ndarray  #: of the true spectra, Angstrom
    flux: np.ndarray  #: true spectra, electron / Angstrom

    def extract(self, image: np.ndarray, **options: object) -> spexbench.Frame:
        """The frame of an image of this scene."""
        ivar = 1 / (self.light + READ_NOISE**2)
        pixels = {"image": image, "ivar": ivar, "mask": None, "camera": "r0"}
        return spexbench.extract(pixels, self.psf, no_mask=True, wavelength=self.grid, **options)

    def beyond(self, wave: np.ndarray) -> np.ndarray:
        """Whether all charge of a spectrum passes the trap [nspec]."""
        centers = [self.psf.x(k, wave) for k in range(len(self.flux))]
        return np.min(centers, axis=1) - self.psf.hsizex > self.trap.column


Model = Callable[[Scene, np.ndarray], np.ndarray]


def simulate(size: str, capacity: float, leak: float, seed: int = 1) -> Scene:
    """Spectra and PSF of spex-sim, with photon noise, then the trap, then read noise."""
    with tempfile.TemporaryDirectory() as folder:
        [files] = spexbench.simulate(folder, cameras="r0", size=size, seed=seed, on_grid=True)
        truth, psf = spexbench.read_truth(files.truth), spexbench.read_psf(files.psf)
    light = spexbench.project(psf, truth.wave, truth.flux)
    random = np.random.default_rng(seed)
    charge = random.poisson(light).astype(float)
    read = random.normal(0, READ_NOISE, light.shape)
    # Between two fibers in the middle of the bundle.
    middle = psf.x(np.arange(12, 14), GRIDS[size][0]).mean()
    trap = Trap(round(float(middle)), capacity, leak)
    trapped = trap.apply(charge) + read
    return Scene(psf, GRIDS[size], trap, light, charge + read, trapped, truth.wave, truth.flux)


def model_image(scene: Scene, image: np.ndarray) -> np.ndarray:
    """The model image of the extraction."""
    return scene.extract(image, model=True).model


def smooth_model(scene: Scene, image: np.ndarray) -> np.ndarray:
    """The image of smoothed spectra: what fibers share, and running medians of the rest."""
    frame = scene.extract(image)
    level = np.median(frame.flux, axis=1, keepdims=True)
    sky = level[:, 0] < BRIGHT * np.median(level)
    shared = level * np.median((frame.flux / level)[sky], axis=0)
    rest = median_filter(frame.flux - shared, size=(1, SMOOTHED_BINS), mode="nearest")
    return spexbench.project(scene.psf, frame.wave, shared + rest)


def correct(scene: Scene, model: Model, times: int) -> list[np.ndarray]:
    """The images corrected once, twice and so on: trapped - (the trap's effect on the model)."""
    images = [scene.trapped]
    for _ in range(times):
        expected = model(scene, images[-1])
        images.append(scene.trapped - (scene.trap.apply(expected) - expected))
    return images[1:]


class Errors(NamedTuple):
    """Errors of the faint spectra beyond the trap, relative to R times the truth."""

    name: str  #: of the image
    bias: float  #: mean error over mean flux
    worst: float  #: the same of the spectrum where it is largest
    scatter: float  #: standard deviation of error / sigma
    total: float  #: root of the mean square of error / sigma


def measure(scene: Scene, name: str, image: np.ndarray) -> Errors:
    """The errors of the frame of an image."""
    frame = scene.extract(image)
    first = np.abs(scene.wave - frame.wave[0]).argmin()
    truth = frame.convolve(scene.flux[:, first : first + len(frame.wave)])
    faint = scene.beyond(frame.wave) & (np.median(truth, axis=1) < FAINT)
    inner = slice(ENDS, -ENDS)
    truth = truth[faint, inner]
    error = frame.flux[faint, inner] - truth
    pull = error * np.sqrt(frame.ivar[faint, inner])
    of_fiber = error.mean(axis=1) / truth.mean(axis=1)
    worst = of_fiber[np.abs(of_fiber).argmax()]
    rms = np.sqrt((pull**2).mean())
    return Errors(name, error.mean() / truth.mean(), worst, pull.std(), rms)


def run(scene: Scene, times: int = 2) -> list[Errors]:
    """Errors without the trap, with it, and after corrections by each model."""
    images = {"without the trap": scene.without, "not corrected": scene.trapped}
    models = {"model image": model_image, "smoothed spectra": smooth_model}
    for name, model in models.items():
        for k, image in enumerate(correct(scene, model, times), start=1):
            images[f"{name}, corrected {k} x"] = image
    # The best model, which only a simulation knows.
    [images["true light"]] = correct(scene, lambda *_: scene.light, 1)
    return [measure(scene, name, image) for name, image in images.items()]


def draw(scene: Scene, path: str) -> None:
    """A figure: the faint spectrum next to the trap, in running medians."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    once, twice = correct(scene, smooth_model, 2)
    for name, image in {
        "without the trap": scene.without,
        "not corrected": scene.trapped,
        "corrected once": once,
        "corrected twice": twice,
    }.items():
        frame = scene.extract(image)
        k = int(np.flatnonzero(scene.beyond(frame.wave))[0])
        axes.plot(frame.wave, median_filter(frame.flux[k], size=SMOOTHED_BINS), label=name)
    axes.set_xlabel("wavelength (Å)")
    axes.set_ylabel("flux (electron / Å)")
    axes.legend()
    figure.savefig(path)


def main() -> None:
    """Prints the errors, and the time of a model image and of the trap."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=GRIDS, default="bundle", help="of the simulated image")
    parser.add_argument("--capacity", type=float, default=50, help="of the trap, electrons")
    parser.add_argument("--leak", type=float, default=0.2, help="fraction released with each pixel")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, default=2, help="how often the image is corrected")
    parser.add_argument("--figure", metavar="FILE", help="also draw spectra beside the trap")
    options = parser.parse_args()
    # The image is of the spots of single wavelengths, as the extraction takes it: no warning.
    logging.getLogger("spexbench").setLevel(logging.ERROR)
    scene = simulate(options.size, options.capacity, options.leak, options.seed)
    print(f"{'image':34}{'bias':>9}{'worst':>9}{'scatter':>9}{'total':>9}")
    for row in run(scene, options.times):
        print(f"{row.name:34}{row.bias:9.2%}{row.worst:9.2%}{row.scatter:9.2f}{row.total:9.2f}")
    begin = time.perf_counter()
    expected = model_image(scene, scene.trapped)
    extracted = time.perf_counter()
    scene.trap.apply(expected)
    applied = time.perf_counter()
    print(f"a model image: {extracted - begin:.2f} s; the trap: {applied - extracted:.3f} s")
    if options.figure:
        draw(scene, options.figure)


if __name__ == "__main__":
    main()
