"""Extracts the tiny golden frames with the package that is installed; ci/wheel-check starts it.

Prints a line for each frame. The exit status is 1 where a frame is outside its tolerance, or an
error is not the one that is expected.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import spexbench

#: What needs no library of CUDA; the last has neither the frame's flux nor rejection of pixels.
PLAIN = ("pipeline", "direct", "band")
#: Calls cuBLAS and cuSOLVER.
EIGH = "batch-subbundle"
ASKED = ("bundlesize", "nsubbundles", "nwavestep", "wavepad", "pixpad_frac", "wavepad_frac")
ASKED += ("regularize", "psferr", "specmin", "nspec")


def settings_of(case: dict) -> dict:
    """The arguments of `extract` for a case of cases.json."""
    return {
        **{name: case[name] for name in ASKED},
        "wavelength": tuple(case[name] for name in ("wmin", "wmax", "dw")),
        "mask_bits": int(case.get("mask_bits", "0xFFFFFFFF"), 0),
        "reject_pixels": case.get("reject_pixels"),
        "flux": case.get("flux", "patch"),
    }


class Check:
    """Extracts cases, and counts what is wrong."""

    def __init__(self, golden: Path, gpu: bool) -> None:
        """`golden` is the folder with cases.json."""
        self.golden, self.gpu, self.wrong = golden, gpu, 0
        data = json.loads((golden / "cases.json").read_text())
        self.cases, self.images = data["cases"], data["images"]

    def say(self, ok: bool, what: str, detail: str) -> None:
        """Prints a line, and counts it."""
        self.wrong += not ok
        print(f"{'ok  ' if ok else 'FAIL'} {what:36} {detail}", flush=True)

    def extract(self, name: str, output: Path, **more: object) -> None:
        """Writes the frame of a case."""
        case = self.cases[name]
        image = self.images[case["image"]]
        files = [self.golden / image[kind] for kind in ("preproc", "psf")]
        spexbench.extract(*files, output=output, full_precision=True, **settings_of(case), **more)

    def compare(self, name: str, folder: Path, milestone: str | None) -> None:
        """Extracts a case, and holds it to its tolerance."""
        output = folder / "frame.fits"
        self.extract(name, output, gpu=self.gpu, milestone=milestone)
        expected = self.golden / self.cases[name]["frame"]
        tolerance = f"{self.golden}/cases.json:{name}"
        found = spexbench.compare(output, expected, tolerance=tolerance)
        output.unlink()
        self.say(bool(found), f"{name}, {milestone or 'CPU'}", found.table.splitlines()[-1])

    def libraries_of_cuda(self, name: str, folder: Path) -> None:
        """With the libraries the frame is right; without them the error names their packages."""
        try:
            self.compare(name, folder, EIGH)
        except spexbench.Error as error:
            named = all(package in str(error) for package in ("nvidia-cublas", "nvidia-cusolver"))
            self.say(named and not list(folder.iterdir()), f"{name}, {EIGH}", str(error))

    def no_gpu(self, folder: Path) -> None:
        """Without a GPU, the error is a line."""
        try:
            self.extract("tiny-b", folder / "frame.fits", gpu=True)
        except spexbench.DeviceError as error:
            ok = str(error).startswith("gpu: ") and "\n" not in str(error)
            self.say(ok and not list(folder.iterdir()), "gpu=True without a GPU", str(error))
        else:
            self.say(False, "gpu=True without a GPU", "no error")


def main() -> int:
    """Runs all; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("golden", type=Path)
    parser.add_argument("--gpu", action="store_true")
    arguments = parser.parse_args()
    if arguments.gpu and not spexbench.has_gpu():
        sys.exit(f"wheel-check: {spexbench._core.why_no_gpu()}")
    print(f"{spexbench.__file__}: {spexbench.version()}, {spexbench.gpu_count()} GPUs")
    check = Check(arguments.golden, arguments.gpu)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, case in check.cases.items():
            for milestone in PLAIN if arguments.gpu else (None,):
                if milestone == "band" and case.keys() & {"flux", "reject_pixels"}:
                    continue
                try:
                    check.compare(name, folder, milestone)
                except spexbench.Error as error:
                    check.say(False, f"{name}, {milestone or 'CPU'}", str(error))
        if arguments.gpu:
            check.libraries_of_cuda("tiny-r", folder)
        elif not spexbench.has_gpu():
            check.no_gpu(folder)
    print("all as expected" if check.wrong == 0 else f"{check.wrong} wrong")
    return min(check.wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
