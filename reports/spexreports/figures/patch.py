"""A patch of the CCD: the image, the model of the extraction, and the residual."""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.frames import Ccd, Frame, Traces


@dataclass
class Window:
    """Pixels [y0, y1) × [x0, x1)."""

    x0: int
    x1: int
    y0: int
    y1: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """The window as index of an image."""
        return slice(self.y0, self.y1), slice(self.x0, self.x1)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """The window for imshow: pixel centers are at whole numbers."""
        return self.x0 - 0.5, self.x1 - 0.5, self.y0 - 0.5, self.y1 - 0.5


def brightest_wave(frame: Frame) -> float:
    """Wavelength (Å) of the strongest line of most fibers, away from the grid's ends."""
    typical = np.median(np.where(frame.good, frame.flux, 0), axis=0)
    edge = min(len(typical) // 10, 60)
    return float(frame.wave[edge + np.argmax(typical[edge : len(typical) - edge])])


def window_around(
    ccd: Ccd, traces: Traces, indices: np.ndarray, wave: float, rows: int = 90
) -> Window:
    """The columns of fibers `indices` and `rows` rows about `wave`, cut to the CCD."""
    ny, nx = ccd.image.shape
    x = [float(traces.column(fiber, wave)) for fiber in indices[[0, -1]]]
    y = float(np.mean([traces.row(fiber, wave) for fiber in indices]))
    y0 = int(np.clip(y - rows / 2, 0, max(ny - rows, 0)))
    return Window(
        x0=max(int(min(x)) - 6, 0), x1=min(int(max(x)) + 8, nx), y0=y0, y1=min(y0 + rows, ny)
    )


def patch_figure(ccd: Ccd, model: np.ndarray, window: Window, title: str) -> Figure:
    """Image, model and residual; pixels without weight are gray in the residual."""
    image = ccd.image[window.slices]
    good = ccd.good[window.slices]
    predicted = model[window.slices]
    residual = (image - predicted) * np.sqrt(np.where(good, ccd.ivar[window.slices], 0))
    residual = np.where(good, residual, np.nan)
    norm = style.electron_norm(float(np.max(predicted)))
    diverging = plt.get_cmap("PuOr").with_extremes(bad="#B0B0B0")

    figure, axes = plt.subplots(1, 3, figsize=(9.5, 5.2), sharey=True, layout="constrained")
    shown = [
        axes[0].imshow(image, norm=norm, cmap="cividis", extent=window.extent, aspect="auto"),
        axes[1].imshow(predicted, norm=norm, cmap="cividis", extent=window.extent, aspect="auto"),
        axes[2].imshow(
            residual, vmin=-5, vmax=5, cmap=diverging, extent=window.extent, aspect="auto"
        ),
    ]
    names = ("image", "model: A · f", "residual")
    for axis, name in zip(axes, names, strict=True):
        axis.set_title(name)
        axis.set_xlabel("column (pixel)")
    axes[0].set_ylabel("row (pixel); wavelength increases upwards")
    electrons = figure.colorbar(
        shown[0], ax=axes[:2], orientation="horizontal", label="electron per pixel", aspect=40
    )
    style.set_electron_ticks(electrons, norm)
    figure.colorbar(
        shown[2],
        ax=axes[2],
        orientation="horizontal",
        label="(image − model) / σ; gray: masked",
        ticks=[-4, -2, 0, 2, 4],
        extend="both",
    )
    style.set_title(figure, title)
    return figure
