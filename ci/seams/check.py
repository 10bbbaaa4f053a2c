"""Extracts simulated exposures by --flux patch and frame, and says how far the fluxes are apart.

Run by ci/seams-check, whose options these are.
"""

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import windows
from spexreports.figures import style
from spexreports.figures.seams import seams_figure
from spexreports.results.frames import read_frame
from spexreports.results.seams import BRIGHTNESS, joined, profile, read_seams

CAMERAS = ("b0", "r0", "z0")
# Bright enough for S/N 300 a bin in one fiber of 25.
SIMULATED = ("--size", "bundle", "--on-grid", "--exptime", "4600", "--loglevel", "warn")
EXTRACTED = ("--method", "cholesky", "--full-precision", "--loglevel", "warn")
FRAME = ("--flux", "frame")

# The pieces of the steps bundle and cuts: 401 bins that have a bad column, and in b and z bins that
# are masked by a block or but for a few pixels.
FIRST = {"b0": 4560.0, "r0": 6780.0, "z0": 9232.0}  # Angstrom
NWAVE, DW = 401, 0.8
# Light from beyond the piece reaches into it as it does into a patch, tenfold less every 12 bins.
ENDS = 72
AS_ONE = ("--nsubbundles", "1", "--nwavestep", str(NWAVE))
# Windows of 98 and 122 bins, which leave less than the limits of R.
WIDE = {"b0": "20", "r0": "20", "z0": "30"}

STAR = 17  # the bright fiber
MOST, RMS = 1e-4, 1e-5  # sigma
# Of f alone, with the same R: what the sweeps leave, and the ends of the piece.
F_MOST, F_RMS = 1e-7, 1e-8


@dataclass
class Rows:
    """The lines of the table."""

    count: int = 0
    failed: int = 0

    def add(self, what: str, found: str, limit: str = "", ok: bool = True) -> None:
        """Prints a line; where it is not ok, the limit is not held."""
        self.count += 1
        self.failed += not ok
        said = f"  ({limit})" if limit else ""
        print(f"{what:60} {found}{said}{'' if ok else '  FAIL'}", flush=True)

    def difference(self, what: str, result: Path, expected: Path, *limits: float) -> None:
        """Largest and rms difference of two fluxes, sigma, of which `limits` are the most."""
        a, b = read_frame(result), read_frame(expected)
        if not np.array_equal(a.ivar > 0, b.ivar > 0):
            self.add(what, "ivar is 0 in other bins", "the same bins", ok=False)
            return
        pull = ((a.flux - b.flux) * np.sqrt(b.ivar))[:, ENDS:-ENDS]
        found = (np.abs(pull).max(), np.sqrt(np.mean(pull**2)))
        limit = "at most " + ", ".join(f"{most:g}" for most in limits) if limits else ""
        ok = all(value <= most for value, most in zip(found, limits, strict=False))
        self.add(what, f"largest {found[0]:.1e}, rms {found[1]:.1e}", limit, ok)


class Extractions:
    """Simulated exposures, and their frames by spex-cpu; each is made once."""

    def __init__(self, programs: Path, out: Path):
        """Programs of a folder; files lie in `out`."""
        self.programs, self.out = programs, out
        self._made: dict[tuple[str, ...], Path] = {}
        out.mkdir(parents=True, exist_ok=True)

    def _run(self, program: str, *arguments: object) -> None:
        command = [self.programs / program, *map(str, arguments)]
        if status := subprocess.run(command).returncode:
            sys.exit(f"seams-check: {program} ended with {status}")

    def simulate(self, cameras: str, seed: int) -> Path:
        """The folder of an exposure."""
        folder = self.out / f"simulated-{seed}"
        self._run("spex-sim", "-o", folder, "--cameras", cameras, "--seed", seed, *SIMULATED)
        return folder

    def extract(self, exposure: Path, camera: str, *options: str) -> Path:
        """A frame of an exposure."""
        key = (str(exposure), camera, *options)
        if key not in self._made:
            frame = self.out / f"frame-{len(self._made)}.fits"
            image, psf = (
                exposure / f"{kind}-{camera}-00000001.fits" for kind in ("preproc", "psf")
            )
            self._run("spex-cpu", "-i", image, "-p", psf, "-o", frame, *EXTRACTED, *options)
            self._made[key] = frame
        return self._made[key]

    def piece(self, exposure: Path, camera: str, *options: str) -> Path:
        """A frame of the camera's piece."""
        first = FIRST[camera]
        grid = f"{first:g},{first + (NWAVE - 1) * DW:g},{DW:g}"
        return self.extract(exposure, camera, "-w", grid, *options)


def against_one_patch(rows: Rows, made: Extractions, exposure: Path) -> None:
    """Patches and the whole frame beside one patch of the bundle."""
    for camera in CAMERAS:
        wide = ("--wavepad", WIDE[camera])
        one = made.piece(exposure, camera, *AS_ONE)
        for what, options, limits in (
            ("--flux patch", (), ()),
            ("--flux frame, its R: f alone differs", (*FRAME, *AS_ONE), (F_MOST, F_RMS)),
            ("--flux frame", FRAME, ()),
            (f"--flux frame --wavepad {WIDE[camera]}", (*FRAME, *wide), (MOST, RMS)),
        ):
            name = f"{camera}, one patch and {what}"
            rows.difference(name, made.piece(exposure, camera, *options), one, *limits)


def of_windows(rows: Rows, made: Extractions, exposure: Path) -> None:
    """What production's windows leave is that of R: its change times f, in NumPy."""
    for camera in CAMERAS:
        image, psf = (exposure / f"{kind}-{camera}-00000001.fits" for kind in ("preproc", "psf"))
        waves = FIRST[camera] + DW * np.arange(NWAVE)
        change, stored, anywhere = windows.change_by_windows(psf, image, waves, STAR)
        patches = read_frame(made.piece(exposure, camera, *FRAME))
        one = read_frame(made.piece(exposure, camera, *FRAME, *AS_ONE))
        found = ((patches.flux - one.flux) * np.sqrt(one.ivar))[STAR]
        rms, left = (np.sqrt(np.mean(x[ENDS:-ENDS] ** 2)) for x in (found, found - change))
        text = f"rms {rms:.1e}, but for (R_window - R) f {left:.1e}"
        what = f"{camera}, star, one window and production's"
        rows.add(what, text, "a hundredth", left <= 0.01 * rms)
        rows.add(f"{camera}, change of R by the window", f"stored {stored:.1e}, all {anywhere:.1e}")


def over_cuts(rows: Rows, made: Extractions, exposure: Path) -> None:
    """The flux of the frame, however it is cut into patches."""
    for camera in CAMERAS:
        for wavepad, limits in (("10", ()), (WIDE[camera], (MOST,))):
            options = (*FRAME, "--wavepad", wavepad)
            usual = made.piece(exposure, camera, *options)
            for name, usually, values in (
                ("nwavestep", 50, ("30", "100")),
                ("nsubbundles", 5, ("1", "25")),
            ):
                for value in values:
                    other = made.piece(exposure, camera, *options, f"--{name}", value)
                    what = f"{camera}, --wavepad {wavepad}, {name} {usually} and {value}"
                    rows.difference(what, other, usual, *limits)


def against_truth(rows: Rows, made: Extractions, exposures: int) -> None:
    """Mean squared pulls at the edges of patches and away from them, and their picture."""
    parts = []
    for seed in range(1, exposures + 1):
        exposure = made.simulate("z0", seed)
        patch, frame = (made.extract(exposure, "z0", *flux) for flux in ((), FRAME))
        parts.append(read_seams(patch, frame, exposure / "truth-z0-00000001.fits"))
    seams = joined(parts)
    for name, least, most in BRIGHTNESS:
        one = profile(seams, least, most)
        if one is None:
            continue
        inside = slice(len(one.count) // 2, None)
        weight = one.count[inside] / one.count[inside].sum()
        for k, flux in enumerate(("patch", "frame")):
            edge, error = one.square[k, 0], one.error[k, 0]
            within = float(one.square[k, inside] @ weight)
            found = f"mean square {edge:.3f} ± {error:.3f} at edges, {within:.3f} inside"
            what = f"z0, S/N {name}, {one.count[0]} bins at edges, --flux {flux}"
            if flux == "frame":
                rows.add(what, found, "equal within 4 errors", abs(edge - within) <= 4 * error)
            else:
                rows.add(what, found)
    path = made.out / "seams.svg"
    style.apply()
    style.save(seams_figure(seams, "Camera z: errors near the edges of patches"), path)
    print(f"wrote {path}")


def main() -> int:
    """The exit status: 0 where all limits hold, 3 where one does not."""
    parser = argparse.ArgumentParser(prog="seams-check", description=__doc__)
    parser.add_argument("--bin", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--out", type=Path, required=True, help="folder of all files")
    parser.add_argument("--only", default="bundle,windows,cuts,truth", help="steps, commas between")
    parser.add_argument("--exposures", type=int, default=16, help="of the step truth")
    args = parser.parse_args()
    steps = args.only.split(",")
    if unknown := set(steps) - {"bundle", "windows", "cuts", "truth"}:
        parser.error(
            f"--only: no step {', '.join(unknown)} (expected bundle, windows, cuts, truth)"
        )
    rows, made = Rows(), Extractions(args.bin, args.out)
    if {"bundle", "windows", "cuts"} & set(steps):
        exposure = made.simulate(",".join(CAMERAS), 1)
        if "bundle" in steps:
            against_one_patch(rows, made, exposure)
        if "windows" in steps:
            of_windows(rows, made, exposure)
        if "cuts" in steps:
            over_cuts(rows, made, exposure)
    if "truth" in steps:
        against_truth(rows, made, args.exposures)
    print(f"{rows.count} rows, {rows.failed} beyond their limits")
    return 3 if rows.failed else 0


if __name__ == "__main__":
    sys.exit(main())
