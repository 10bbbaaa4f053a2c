#!/usr/bin/env python3
"""Makes the golden frame of `--reject-pixels`, in NumPy.

usage: golden/reject_pixels.py CASES.json CASE OUTPUT.fits [--second]

Written from docs/extraction.md, section 5.3, alone. Each bundle's pixels are found by solutions of
the whole CCD; whole_frame.py then extracts the bundle without them. The rejected pixels, column and
row, are in the table REJECTED.
"""

from pathlib import Path

import numpy as np
import whole_frame
from astropy.io import fits

MORE_WAVEPAD = 10
ROUNDS = 5
LEAST_SPREAD = 0.1


class Bundle:
    """The test of one bundle's pixels."""

    def __init__(self, ccd, case, nwave, psferr, fibers):
        """`ccd` has the spots of the wider grid and of the surplus bins of its last step."""
        self.ccd, self.case, self.psferr, self.fibers = ccd, case, psferr, fibers
        wide = case | {"wavepad": case["wavepad"] + MORE_WAVEPAD}
        patches = whole_frame.make_patches(wide, ccd.nfiber, nwave)
        wavepad = patches[0].wavepad
        self.bins = range(-wavepad, nwave + wavepad)
        inner = whole_frame.make_patches(case, ccd.nfiber, nwave)[0].wavepad
        self.A = np.array(
            [ccd.column(s, w).ravel() for s in range(ccd.nfiber) for w in self.bins]
        ).T
        self.tested = np.zeros((ccd.ny, ccd.nx), bool)
        for s in fibers:
            for w in range(-inner, nwave + inner):
                x0, x1, y0, y1 = ccd.box(s, w)
                self.tested[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)] = True
        scale = {}
        for patch in patches:
            m = whole_frame.patch_matrices(ccd, patch, wide)[5]
            for s in patch.core_fibers:
                scale[s, patch.first // patch.nwave] = m
        step = [min(max(w, 0), nwave - 1) // case["nwavestep"] for w in self.bins]
        self.m = np.array([scale[s, k] for s in range(ccd.nfiber) for k in step])

    def solve(self, W):
        """The model image, and the variance of each of its pixels fiber by fiber."""
        W, p = W.ravel(), self.ccd.p.ravel()
        added = whole_frame.prior(self.A.T @ W, self.m, self.case)
        N = self.A.T @ (W[:, None] * self.A) + np.diag(added)
        f = np.linalg.solve(N, self.A.T @ (W * p))
        variance = np.zeros(len(p))
        n = len(self.bins)
        for s in range(self.ccd.nfiber):
            block = slice(s * n, (s + 1) * n)
            a = self.A[:, block]
            variance += np.einsum("ij,ij->i", a @ np.linalg.inv(N[block, block]), a)
        return (self.A @ f).reshape(self.tested.shape), variance.reshape(self.tested.shape)

    def reject(self):
        """The rejected pixels, an image of booleans."""
        ccd, T = self.ccd, self.case["reject_pixels"]
        rejected = np.zeros(self.tested.shape, bool)
        for _ in range(ROUNDS):
            W = np.where(rejected, 0, ccd.W)
            model, variance = self.solve(W)
            good = self.tested & (W > 0)
            spread = np.maximum(1 - W * variance, LEAST_SPREAD) / np.where(good, W, 1)
            error = self.psferr * np.maximum(largest_near(model), 0)
            threshold = np.where(largest_near(rejected.astype(float)) > 0, T / 2, T)
            residual = ccd.p - model
            found = good & (residual > 0) & (residual**2 > threshold**2 * (spread + error**2))
            if not found.any():
                break
            rejected |= found
        return rejected


def largest_near(image):
    """The largest value of each pixel and its eight neighbors."""
    ny, nx = image.shape
    padded = np.pad(image, 1, mode="edge")
    return np.max([padded[y : y + ny, x : x + nx] for y in range(3) for x in range(3)], axis=0)


def main():
    """Finds the rejected pixels of each bundle, extracts it without them, writes the frame."""
    arguments = whole_frame.parse(__doc__)
    case, psf, nwave = whole_frame.read_case(arguments)
    psferr = whole_frame.psferr_of(case, psf)
    wide = case | {"wavepad": case["wavepad"] + MORE_WAVEPAD}
    frame = None
    rejected = np.zeros((psf.header["NPIX_Y"], psf.header["NPIX_X"]), bool)
    for first in range(0, psf.nfiber, case["bundlesize"]):
        fibers = range(first, min(first + case["bundlesize"], psf.nfiber))
        ccd = whole_frame.make_ccd(arguments, wide, psf, nwave)
        of_bundle = Bundle(ccd, case, nwave, psferr, fibers).reject()
        rejected |= of_bundle
        ccd = whole_frame.make_ccd(arguments, case, psf, nwave)
        ccd.W[of_bundle] = 0
        one = whole_frame.extract(ccd, case, psf, nwave, arguments.second)
        if frame is None:
            frame = one
        for name, values in one.items():
            frame[name][fibers] = values[fibers]
    hdus = whole_frame.hdus_of(frame, case, nwave)
    hdus[0].header["REJSIGMA"] = case["reject_pixels"]
    y, x = np.nonzero(rejected)
    columns = [fits.Column("X", "J", array=x), fits.Column("Y", "J", array=y)]
    hdus.append(fits.BinTableHDU.from_columns(columns, name="REJECTED"))
    hdus.writeto(Path(arguments.output), overwrite=True)


if __name__ == "__main__":
    main()
