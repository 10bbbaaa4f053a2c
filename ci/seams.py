"""Extracts simulated exposures by --flux patch and frame, and compares the fluxes.

Run by ci/seams-check, whose options these are.
"""

import argparse
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from spexreports.figures import style
from spexreports.figures.seams import seams_figure
from spexreports.results.frames import read_frame
from spexreports.results.seams import BRIGHTNESS, joined, profile, read_seams
from table import Findings

CAMERAS = ("b0", "r0", "z0")
# Bright enough for S/N 300 a bin in one fiber of 25.
SIMULATED = (
    "--size",
    "bundle",
    "--on-grid",
    "--exptime",
    "4600",
    "--overwrite",
    "--loglevel",
    "warn",
)
EXTRACTED = ("--method", "cholesky", "--full-precision", "--loglevel", "warn")
FRAME = ("--flux", "frame")

# The pieces that are compared: 401 bins that have a bad column, and in b and z bins that are
# masked by a block or except for a few pixels.
FIRST = {"b0": 4560.0, "r0": 6780.0, "z0": 9232.0}  # Angstrom
NWAVE, DW = 401, 0.8
# Light from beyond the piece reaches into the piece as into a patch, tenfold less every 12 bins.
ENDS = 72
AS_ONE = ("--nsubbundles", "1", "--nwavestep", str(NWAVE))
# Windows of 98 and 122 bins, whose R differs by less than the limits.
WIDE = {"b0": "20", "r0": "20", "z0": "30"}

MOST, RMS = 1e-4, 1e-5  # sigma
# Differences of f with the same R: where the sweeps stop, and at the ends of the piece.
F_MOST, F_RMS = 1e-7, 1e-8


def difference(findings: Findings, what: str, camera: str, frames: list[Path], *limits: float):
    """Largest and rms difference of the fluxes of two frames, sigma; `limits` of these, or none."""
    a, b = (read_frame(frame) for frame in frames)
    if not np.array_equal(a.ivar > 0, b.ivar > 0):
        findings.add(what, camera, "ivar is 0 in other bins", "the same bins", False)
        return
    pull = ((a.flux - b.flux) * np.sqrt(b.ivar))[:, ENDS:-ENDS]
    found = (np.abs(pull).max(), np.sqrt(np.mean(pull**2)))
    limit = "≤ " + ", ".join(f"{most:g}" for most in limits) if limits else ""
    ok = all(value <= most for value, most in zip(found, limits, strict=False))
    findings.add(what, camera, f"largest {found[0]:.1e}, rms {found[1]:.1e}", limit, ok)


@dataclass
class Extractions:
    """Simulated exposures, and their frames by spex-cpu; each is made once."""

    programs: Path
    out: Path
    made: dict[tuple[str, ...], Path] = field(default_factory=dict)

    def simulate(self, cameras: str, seed: int) -> Path:
        """The folder of an exposure."""
        folder = self.out / f"simulated-{seed}"
        command = [self.programs / "spex-sim", "-o", folder, "--cameras", cameras, *SIMULATED]
        subprocess.run([*command, "--seed", str(seed)], check=True)
        return folder

    def extract(self, exposure: Path, camera: str, *options: str) -> Path:
        """A frame of an exposure."""
        frame = self.out / f"frame-{len(self.made)}.fits"
        key = (str(exposure), camera, *options)
        if self.made.setdefault(key, frame) is frame:
            files = [exposure / f"{kind}-{camera}-00000001.fits" for kind in ("preproc", "psf")]
            command = [self.programs / "spex-cpu", "-i", files[0], "-p", files[1], "-o", frame]
            subprocess.run([*command, *EXTRACTED, *options], check=True)
        return self.made[key]

    def piece(self, exposure: Path, camera: str, *options: str) -> Path:
        """A frame of the camera's piece."""
        grid = f"{FIRST[camera]:g},{FIRST[camera] + (NWAVE - 1) * DW:g},{DW:g}"
        return self.extract(exposure, camera, "-w", grid, *options)


def against_one_patch(findings: Findings, made: Extractions, exposure: Path, camera: str) -> None:
    """Patches and the whole frame against one patch of the bundle."""
    wide = (*FRAME, "--wavepad", WIDE[camera])
    one = made.piece(exposure, camera, *AS_ONE)
    for what, options, limits in (
        ("--flux patch", (), ()),
        ("--flux frame, its R: f alone differs", (*FRAME, *AS_ONE), (F_MOST, F_RMS)),
        ("--flux frame", FRAME, ()),
        ("--flux frame, wide windows", wide, (MOST, RMS)),
    ):
        frames = [made.piece(exposure, camera, *options), one]
        difference(findings, f"one patch and {what}", camera, frames, *limits)


def over_cuts(findings: Findings, made: Extractions, exposure: Path, camera: str) -> None:
    """The flux of the frame with other patches."""
    windows = {"production's windows": ("10", ()), "wide windows": (WIDE[camera], (MOST,))}
    for name, (wavepad, limits) in windows.items():
        options = (*FRAME, "--wavepad", wavepad)
        usual = made.piece(exposure, camera, *options)
        for cut in ("nwavestep 30", "nwavestep 100", "nsubbundles 1", "nsubbundles 25"):
            other = made.piece(exposure, camera, *options, *f"--{cut}".split())
            what = f"--flux frame, {name}, default and {cut}"
            difference(findings, what, camera, [other, usual], *limits)


def against_truth(findings: Findings, made: Extractions, exposures: int) -> None:
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
            what = f"S/N {name}, {one.count[0]} bins at edges, --flux {flux}"
            limit = "equal within 4 errors" if flux == "frame" else ""
            findings.add(what, "z0", found, limit, not limit or abs(edge - within) <= 4 * error)
    path = made.out / "seams.svg"
    style.apply()
    style.save(seams_figure(seams, "Camera z: errors near the edges of patches"), path)
    print(f"wrote {path}")


def main() -> int:
    """The exit status: 0 where all limits hold, 3 where one does not."""
    parser = argparse.ArgumentParser(prog="seams-check", description=__doc__)
    parser.add_argument("--bin", type=Path, required=True, help="folder of the programs")
    parser.add_argument("--out", type=Path, required=True, help="folder of all files")
    parser.add_argument("--exposures", type=int, default=16, help="against the truth")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    findings, made = Findings(), Extractions(args.bin, args.out)
    exposure = made.simulate(",".join(CAMERAS), 1)
    for camera in CAMERAS:
        against_one_patch(findings, made, exposure, camera)
        over_cuts(findings, made, exposure, camera)
    against_truth(findings, made, args.exposures)
    print(findings.table())
    return 3 if findings.failed() else 0


if __name__ == "__main__":
    sys.exit(main())
