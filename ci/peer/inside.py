"""What ci/peer-bench asks of the Python that has gpu_specter's packages.

usage: inside.py versions          prints versions as JSON; null for what is missing
       inside.py golden FRAME OUT  copies what spex-compare compares of a frame of gpu_specter
       inside.py replace GOLDEN FRAME FIBER
                                   replaces flux, ivar and R of fibers from FIBER on by FRAME's
"""

import contextlib
import importlib
import json
import os
import shutil
import subprocess
import sys

PACKAGES = ("numpy", "scipy", "astropy", "numba", "fitsio", "cupy", "mpi4py")
# Without MASK, which in gpu_specter's frames only says that ivar is 0: desispec makes MASK.
COMPARED = ("FLUX", "IVAR", "WAVELENGTH", "RESOLUTION", "CHI2PIX")


def mpi_knows_gpus() -> bool:
    """Whether the MPI takes pointers to the memory of a GPU."""
    if os.environ.get("MPICH_GPU_SUPPORT_ENABLED") == "1":
        return True
    if shutil.which("ompi_info") is None:
        return False
    command = ["ompi_info", "--parsable", "--all"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "mpi_built_with_cuda_support:value:true" in done.stdout


def versions() -> dict[str, str | None]:
    """Versions of Python, its packages and CUDA's runtime; the way of broadcasts of GPU arrays."""
    found: dict[str, str | None] = dict.fromkeys((*PACKAGES, "cuda"))
    for name in PACKAGES:
        # A package may be there and not start: CuPy without a driver.
        with contextlib.suppress(Exception):
            found[name] = str(importlib.import_module(name).__version__)
    if found["cupy"]:
        with contextlib.suppress(Exception):
            version = importlib.import_module("cupy").cuda.runtime.runtimeGetVersion()
            found["cuda"] = f"{version // 1000}.{version % 1000 // 10}"
    found["python"] = sys.version.split()[0]
    found["broadcast"] = "device" if mpi_knows_gpus() else "host"
    return found


def golden(frame: str, out: str) -> None:
    """Writes the frame in the form of a golden (docs/adding-a-golden.md)."""
    from astropy.io import fits

    with fits.open(frame) as file:
        kept = [fits.ImageHDU(hdu.data, name=hdu.name) for hdu in file if hdu.name in COMPARED]
        fits.HDUList([fits.PrimaryHDU(), *kept]).writeto(out, overwrite=True)


def replace(golden_file: str, frame: str, fiber: str) -> None:
    """Replaces the spectra of some fibers of a golden by those of another frame of gpu_specter."""
    from astropy.io import fits

    with fits.open(golden_file, mode="update") as file, fits.open(frame) as bundle:
        for name in ("FLUX", "IVAR", "RESOLUTION"):
            rows = bundle[name].data
            file[name].data[int(fiber) : int(fiber) + len(rows)] = rows


if __name__ == "__main__":
    if sys.argv[1] == "versions":
        print(json.dumps(versions()))
    elif sys.argv[1] == "replace":
        replace(*sys.argv[2:])
    else:
        golden(*sys.argv[2:])
