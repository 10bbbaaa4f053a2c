#!/usr/bin/env python3
"""Makes the golden frames of `--flux frame`: least squares over a whole small CCD, in NumPy.

usage: golden/whole_frame.py CASES.json CASE OUTPUT.fits [--second]

Written from docs/extraction.md alone; it shares nothing with the extractors, not even the
evaluation of the PSF. A of the whole CCD is a dense matrix, f comes from a QR factorization of
sqrt(W) A (the normal equations are never formed), and Q of each patch from eigendecompositions.
--second takes f from the normal equations, refined in long double, and C of a patch from an
eigendecomposition: how far such a frame is from the first is the `spread` of cases.json.
"""

import argparse
import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from astropy.io import fits

ERF = np.vectorize(math.erf, otypes=[float])


@dataclass
class Psf:
    """The PSF of a camera, as its file holds it (section 1)."""

    header: fits.Header
    xtrace: fits.PrimaryHDU
    ytrace: fits.ImageHDU
    coeff: dict

    @classmethod
    def read(cls, path):
        """Reads a PSF file."""
        with fits.open(path, memmap=False) as hdus:
            table = hdus["PSF"]
            coeff = {
                name.strip(): np.array(value, float)
                for name, value in zip(table.data["PARAM"], table.data["COEFF"], strict=True)
            }
            return cls(table.header.copy(), hdus["XTRACE"].copy(), hdus["YTRACE"].copy(), coeff)

    @property
    def nfiber(self):
        """Number of fibers."""
        return self.xtrace.data.shape[0]

    @staticmethod
    def polynomial(coeff, header, wave):
        """A Legendre series at `wave`, with the wavelength range of its own header."""
        low, high = header["WAVEMIN"], header["WAVEMAX"]
        u = 2 * (wave - low) / (high - low) - 1
        return np.polynomial.legendre.legval(u, np.asarray(coeff, float))

    def spot(self, fiber, wave):
        """The box of a spot (section 2): its values, first column, first row."""
        h = self.header
        x = self.polynomial(self.xtrace.data[fiber], self.xtrace.header, wave)
        y = self.polynomial(self.ytrace.data[fiber], self.ytrace.header, wave)
        value = {k: self.polynomial(c[fiber], h, wave) for k, c in self.coeff.items()}
        Px = integrals(x, value["GHSIGX"], 2 * h["HSIZEX"] + 1, h["GHDEGX"])
        Py = integrals(y, value["GHSIGY"], 2 * h["HSIZEY"] + 1, h["GHDEGY"])
        g = np.array(
            [[value[f"GH-{i}-{j}"] for j in range(len(Py))] for i in range(len(Px))], dtype=float
        )
        spot = np.maximum(np.einsum("ij,ix,jy->yx", g, Px, Py), 0)
        return (
            spot / spot.sum(),
            math.floor(x - h["HSIZEX"] + 0.5),
            math.floor(y - h["HSIZEY"] + 0.5),
        )


def integrals(center, sigma, n, degree):
    """P_k[m] of section 2, [degree + 1][n]."""
    dx = (center + 0.5) % 1 - 0.5
    e = (np.arange(n + 1) - n // 2 - 0.5 - dx) / sigma
    P = [np.diff(ERF(e / math.sqrt(2))) / 2]
    phi = np.exp(-(e**2) / 2) / math.sqrt(2 * math.pi)
    He = [np.polynomial.hermite_e.hermeval(e, [0] * k + [1]) for k in range(degree)]
    return np.array(P + [-np.diff(h * phi) for h in He])


class Ccd:
    """Pixels, weights, and the images of all spots: columns of A over the whole CCD."""

    def __init__(self, preproc, psf, wave_of, first, nwave, mask_bits="all"):
        """Bins [first, first + nwave) of all fibers; wave_of(w) in Angstrom."""
        with fits.open(preproc, memmap=False) as hdus:
            image = np.array(hdus["IMAGE"].data, float)
            ivar = np.array(hdus["IVAR"].data, float)
            mask = np.array(hdus["MASK"].data)
        bad = mask != 0 if mask_bits == "all" else (mask & int(mask_bits, 0)) != 0
        self.W = np.where(bad | ~np.isfinite(image) | ~(ivar > 0), 0, ivar)
        self.p = np.where(np.isfinite(image), image, 0)
        self.ny, self.nx = self.p.shape
        self.first, self.nwave, self.nfiber = first, nwave, psf.nfiber
        self.spots = [
            [psf.spot(s, wave_of(w)) for w in range(first, first + nwave)]
            for s in range(psf.nfiber)
        ]

    def column(self, s, w):
        """A of bin w of fiber s, an image."""
        image = np.zeros((self.ny, self.nx))
        spot, xc, yc = self.spots[s][w - self.first]
        ny, nx = spot.shape
        y0, y1 = max(yc, 0), min(yc + ny, self.ny)
        x0, x1 = max(xc, 0), min(xc + nx, self.nx)
        if y0 < y1 and x0 < x1:
            image[y0:y1, x0:x1] = spot[y0 - yc : y1 - yc, x0 - xc : x1 - xc]
        return image

    def box(self, s, w):
        """First and one past the last column and row of a spot, before any cut."""
        spot, xc, yc = self.spots[s][w - self.first]
        return xc, xc + spot.shape[1], yc, yc + spot.shape[0]


@dataclass
class Patch:
    """One patch of section 3; bins may lie beyond the grid."""

    core_fibers: range
    fibers: range
    first: int
    nkept: int
    nwave: int
    wavepad: int

    @property
    def bins(self):
        """All bins, with padding."""
        return range(self.first - self.wavepad, self.first + self.nwave + self.wavepad)


def make_patches(case, nfiber, nwave):
    """All patches of all fibers (section 3)."""
    size, nsub, step = case["bundlesize"], case["nsubbundles"], case["nwavestep"]
    wavepad = case["wavepad"] + int(case["wavepad"] * case["wavepad_frac"])
    patches = []
    for begin in range(0, nfiber, size):
        end = min(begin + size, nfiber)
        for first in range(begin, end, size // nsub):
            last = min(first + size // nsub, end)
            padded = range(max(first - 1, begin), min(last + 1, end))
            patches += [
                Patch(range(first, last), padded, w, min(step, nwave - w), step, wavepad)
                for w in range(0, nwave, step)
            ]
    return patches


def used_rows(ccd, patch, frac):
    """The pixels of a patch: x0, x1, y0, y1 (section 3)."""
    core = range(patch.first, patch.first + patch.nwave)
    boxes = {(s, w): ccd.box(s, w) for s in patch.fibers for w in patch.bins}
    x0 = min(b[0] for b in boxes.values())
    x1 = max(b[1] for b in boxes.values())
    ypadmin = min(b[2] for b in boxes.values())
    ypadmax = max(b[3] for b in boxes.values())
    ymin = min(boxes[s, w][2] for s in patch.fibers for w in core)
    ymax = max(boxes[s, w][3] for s in patch.fibers for w in core)
    low = ypadmin + int((ymin - ypadmin) * (1 - frac))
    high = ypadmin + int((ymax - ypadmin) + (ypadmax - ymax) * frac)
    return max(x0, 0), min(x1, ccd.nx), max(low, 0), min(high, ccd.ny)


def power(matrix, exponent):
    """A power of a symmetric matrix, eigenvalues clipped to 1e-14 of the largest."""
    u, V = np.linalg.eigh(matrix)
    return (V * np.maximum(u, 1e-14 * u[-1]) ** exponent) @ V.T


def patch_matrices(ccd, patch, case):
    """A, W, p of a patch's pixels, its N with the prior, q, and m."""
    x0, x1, y0, y1 = used_rows(ccd, patch, case["pixpad_frac"])
    A = np.array(
        [ccd.column(s, w)[y0:y1, x0:x1].ravel() for s in patch.fibers for w in patch.bins]
    ).T
    W, p = ccd.W[y0:y1, x0:x1].ravel(), ccd.p[y0:y1, x0:x1].ravel()
    q = A.T @ W
    m = 1e-4 * q.max()
    return A, W, p, A.T @ (W[:, None] * A) + np.diag(prior(q, m, case)), q, m


def prior(q, m, case):
    """What the prior adds to the diagonal (section 4)."""
    return np.where(q <= m, m - q, case["regularize"]) ** 2 + 1e-15


def whole_frame(ccd, case, patches, nwave, second):
    """F of all fibers at the bins of the extended grid, [fiber][bin] (section 5.2)."""
    wavepad = patches[0].wavepad
    bins = range(-wavepad, nwave + wavepad)
    A = np.array([ccd.column(s, w).ravel() for s in range(ccd.nfiber) for w in bins]).T
    W, p = ccd.W.ravel(), ccd.p.ravel()
    m = {}
    for patch in patches:
        scale = patch_matrices(ccd, patch, case)[5]
        for s in patch.core_fibers:
            m[s, patch.first // patch.nwave] = scale
    step = [min(max(w, 0), nwave - 1) // case["nwavestep"] for w in bins]
    scale = np.array([m[s, k] for s in range(ccd.nfiber) for k in step])
    added = prior(A.T @ W, scale, case)
    seen = W > 0
    root = np.sqrt(W[seen])[:, None]
    system = np.vstack(
        [
            np.hstack([root * A[seen], root * p[seen, None]]),
            np.hstack([np.diag(np.sqrt(added)), np.zeros((len(added), 1))]),
        ]
    )
    if second:
        f = refined(A[seen], W[seen], p[seen], added)
    else:
        R = np.linalg.qr(system, mode="r")
        f = np.linalg.solve(R[:-1, :-1], R[:-1, -1])
    return f.reshape(ccd.nfiber, len(bins))


def refined(A, W, p, added):
    """The solution of the normal equations, refined in long double."""
    inverse = np.linalg.inv(A.T @ (W[:, None] * A) + np.diag(added))
    A, W, p = (v.astype(np.longdouble) for v in (A, W, p))
    f = np.zeros(len(added), np.longdouble)
    for _ in range(10):
        f += inverse @ (A.T @ (W * (p - A @ f)) - added * f).astype(float)
    return f.astype(float)


def extract_patch(ccd, patch, case, psferr, f_frame, second, frame):
    """Fills in the core bins of one patch: flux = Q f_frame / r."""
    A, W, p, N, q, _ = patch_matrices(ccd, patch, case)
    m = len(patch.bins)
    C = power(N, -1) if second else np.linalg.inv(N)
    first = -patch.wavepad
    f = C @ (A.T @ (W * p))
    for i, s in enumerate(patch.fibers):
        for k, w in enumerate(patch.bins):
            if w - first < f_frame.shape[1]:
                f[i * m + k] = f_frame[s, w - first]
    model = A @ f
    t = np.where(W > 0, 1 / ((psferr * model) ** 2 + 1 / np.where(W > 0, W, 1)), 0)
    weight = A.T @ (t > 0)
    chi2 = np.where(weight > 0, A.T @ ((p - model) ** 2 * t) / np.where(weight > 0, weight, 1), 0)
    masked = np.clip(1 - A.T @ (W > 0), 0, 1)
    ndiag = frame["RESOLUTION"].shape[1] // 2
    for i, s in enumerate(patch.fibers):
        if s not in patch.core_fibers:
            continue
        block = slice(i * m, (i + 1) * m)
        Q = power(C[block, block], -0.5)
        r = Q.sum(axis=1)
        R = Q / r[:, None]
        flux = R @ f[block]
        for w in range(patch.nkept):
            k, j = patch.wavepad + w, patch.first + w
            if q[i * m + k] == 0:
                continue
            frame["FLUX"][s, j] = flux[k]
            frame["IVAR"][s, j] = r[k] ** 2
            frame["CHI2PIX"][s, j] = chi2[i * m + k]
            frame["PIXMASK_FRACTION"][s, j] = masked[i * m + k]
            for d in range(2 * ndiag + 1):
                row = k - ndiag + d
                if 0 <= row < m:
                    frame["RESOLUTION"][s, d, j] = R[row, k]


def parse(description):
    """The command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path)
    parser.add_argument("case")
    parser.add_argument("output", type=Path)
    parser.add_argument("--second", action="store_true", help="the same in other ways of solving")
    return parser.parse_args()


def files_of(arguments):
    """The files of the case's image."""
    listed = json.loads(arguments.cases.read_text())
    image = listed["images"][listed["cases"][arguments.case]["image"]]
    return {key: arguments.cases.parent / name for key, name in image.items()}


def read_case(arguments):
    """The case, its PSF, and the number of bins."""
    case = json.loads(arguments.cases.read_text())["cases"][arguments.case]
    nwave = math.ceil((case["wmax"] + case["dw"] / 2 - case["wmin"]) / case["dw"] - 1e-9)
    return case, Psf.read(files_of(arguments)["psf"]), nwave


def psferr_of(case, psf):
    """The fractional error of the PSF in use."""
    return case["psferr"] if case["psferr"] is not None else psf.header.get("PSFERR", 0.01)


def make_ccd(arguments, case, psf, nwave):
    """The pixels, and the spots of all padded bins."""
    last = make_patches(case, psf.nfiber, nwave)[-1]
    bins = last.first + case["nwavestep"] + 2 * last.wavepad
    return Ccd(
        files_of(arguments)["preproc"],
        psf,
        lambda w: case["wmin"] + w * case["dw"],
        -last.wavepad,
        bins,
        case.get("mask_bits", "all"),
    )


def extract(ccd, case, psf, nwave, second):
    """The arrays of the frame, of all fibers."""
    patches = make_patches(case, psf.nfiber, nwave)
    f_frame = whole_frame(ccd, case, patches, nwave, second)
    shape = (psf.nfiber, nwave)
    frame = {name: np.zeros(shape) for name in ("FLUX", "IVAR", "CHI2PIX")}
    frame["PIXMASK_FRACTION"] = np.ones(shape)
    frame["RESOLUTION"] = np.zeros((psf.nfiber, 2 * psf.header["HSIZEY"] + 1, nwave))
    for patch in patches:
        extract_patch(ccd, patch, case, psferr_of(case, psf), f_frame, second, frame)
    frame["FLUX"] /= case["dw"]
    frame["IVAR"] *= case["dw"] ** 2
    return frame


def hdus_of(frame, case, nwave):
    """The HDUs of the frame's file."""
    wanted = slice(case["specmin"], case["specmin"] + case["nspec"])
    wave = case["wmin"] + case["dw"] * np.arange(nwave)
    hdus = [fits.PrimaryHDU(frame["FLUX"][wanted]), fits.ImageHDU(frame["IVAR"][wanted])]
    hdus.append(fits.ImageHDU(wave))
    hdus += [
        fits.ImageHDU(frame[name][wanted].astype("f4"))
        for name in ("RESOLUTION", "PIXMASK_FRACTION", "CHI2PIX")
    ]
    names = ["FLUX", "IVAR", "WAVELENGTH", "RESOLUTION", "PIXMASK_FRACTION", "CHI2PIX"]
    for hdu, name in zip(hdus, names, strict=True):
        hdu.header["EXTNAME"] = name
    for key, name in {
        "SPECMIN": "specmin",
        "NSPEC": "nspec",
        "BUNDLESZ": "bundlesize",
        "NSUBBUN": "nsubbundles",
        "NWAVESTP": "nwavestep",
        "WAVEPAD": "wavepad",
        "PIXPADFR": "pixpad_frac",
        "WAVPADFR": "wavepad_frac",
        "REGULARZ": "regularize",
    }.items():
        hdus[0].header[key] = case[name]
    hdus[0].header["WAVESTEP"] = case["dw"]
    hdus[0].header["FLUXSOLV"] = "frame"
    return fits.HDUList(hdus)


def main():
    """Reads the case, extracts it, writes the frame."""
    arguments = parse(__doc__)
    case, psf, nwave = read_case(arguments)
    ccd = make_ccd(arguments, case, psf, nwave)
    frame = extract(ccd, case, psf, nwave, arguments.second)
    hdus_of(frame, case, nwave).writeto(arguments.output, overwrite=True)


if __name__ == "__main__":
    main()
