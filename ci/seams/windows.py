"""What the window of a patch changes of R, and with it of the flux: (R_window - R) f, in NumPy.

From the definition (docs/extraction.md, sections 4 and 5) and the PSF as golden/whole_frame.py
evaluates it: a fiber with one neighbour on each side, its N over all bins of the piece, and Q of
all bins and of each patch's.
"""

from pathlib import Path

import numpy as np
from astropy.io import fits
from whole_frame import Psf

WAVEPAD = 12  # production's
STEP = 50
STORED = 5  # diagonals of R on either side, at least


def _equations(psf: Path, image: Path, waves: np.ndarray, fibers: list[int]) -> tuple:
    """N and y of all bins, spectrum by spectrum."""
    with fits.open(image) as hdus:
        good = (hdus["MASK"].data == 0) & (hdus["IVAR"].data > 0)
        weight = np.where(good, hdus["IVAR"].data, 0).astype(float)
        value = np.where(good, hdus["IMAGE"].data, 0).astype(float)
    model = Psf.read(psf)
    spots = [model.spot(s, wave) for s in fibers for wave in waves]
    n, reach = len(waves), 2 * len(spots[0][0])
    N, y = np.zeros((len(spots), len(spots))), np.zeros(len(spots))
    ny, nx = spots[0][0].shape
    for j, (spot, x, row) in enumerate(spots):
        # The piece lies within the CCD.
        box = slice(row, row + ny), slice(x, x + nx)
        weighted = spot * weight[box]
        y[j] = (weighted * value[box]).sum()
        for other in range(len(fibers)):
            for w in range(max(j % n - reach, 0), min(j % n + reach + 1, n)):
                k = other * n + w
                if k < j:
                    continue
                b, bx, by = spots[k]
                dx, dy = bx - x, by - row
                if abs(dx) >= nx or abs(dy) >= ny:
                    continue
                mine = slice(max(dy, 0), min(ny + dy, ny)), slice(max(dx, 0), min(nx + dx, nx))
                its = slice(max(-dy, 0), min(ny - dy, ny)), slice(max(-dx, 0), min(nx - dx, nx))
                N[j, k] = N[k, j] = (weighted[mine] * b[its]).sum()
    return N, y


def _root(N: np.ndarray, n: int, fiber: int, bins: range) -> np.ndarray:
    """Q of a fiber, C_s^(-1/2), of the bins of a window."""
    chosen = np.concatenate([np.array(bins) + s * n for s in range(len(N) // n)])
    m = len(bins)
    C = np.linalg.inv(N[np.ix_(chosen, chosen)])
    u, V = np.linalg.eigh(C[fiber * m : (fiber + 1) * m, fiber * m : (fiber + 1) * m])
    return (V / np.sqrt(u)) @ V.T


def change_by_windows(
    psf: Path, image: Path, waves: np.ndarray, fiber: int
) -> tuple[np.ndarray, float, float]:
    """(R_window - R) f, sigma, of the bins of `waves`; and by how much R changes.

    The largest change of R in the diagonals that are stored, and anywhere, 72 bins from the ends.
    """
    nwave, dw = len(waves), waves[1] - waves[0]
    padded = waves[0] + dw * np.arange(-WAVEPAD, nwave + WAVEPAD)
    n = len(padded)
    N, y = _equations(psf, image, padded, [fiber - 1, fiber, fiber + 1])
    f = np.linalg.solve(N, y)[n : 2 * n]
    Q = _root(N, n, 1, range(n))
    r = Q.sum(axis=1)
    change, stored, anywhere = np.zeros(nwave), 0.0, 0.0
    for first in range(0, nwave, STEP):
        window = range(first, min(first + STEP + 2 * WAVEPAD, n))
        Q_w = _root(N, n, 1, window)
        for w in range(first, min(first + STEP, nwave)):
            j = w + WAVEPAD
            row = -Q[j] / r[j]
            row[window.start : window.stop] += Q_w[j - first] / Q_w[j - first].sum()
            change[w] = row @ f * r[j]
            if 72 <= w < nwave - 72:
                stored = max(stored, np.abs(row[j - STORED : j + STORED + 1]).max())
                anywhere = max(anywhere, np.abs(row).max())
    return change, stored, anywhere
