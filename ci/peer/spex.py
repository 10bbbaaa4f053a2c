"""gpu_specter's program bin/spex, run by ci/peer-bench: the same arguments, the same function.

It runs twice in one process. The first run compiles kernels, which a process of many frames does
once; the second shows the extraction alone, and its seconds are printed: "again: 12.3456". With
SPEX_PEER_RUNS=1 it runs once.

Two things differ where this Python or its MPI lacks something, and ci/peer-bench says so:

- Without fitsio, files are read and written by astropy.
- gpu_specter broadcasts arrays on the GPU. With SPEX_PEER_BROADCAST=host they go by the host, for
  an MPI that is not CUDA-aware.
"""

import importlib.util
import os
import sys
import time
import types
from pathlib import Path
from typing import Any


def by_the_host(comm: Any) -> Any:
    """The communicator, with a Bcast for arrays on the GPU that copies them through the host."""
    import cupy
    from mpi4py import MPI

    class ByTheHost(MPI.Intracomm):
        """Broadcasts through the host."""

        def Bcast(self, buf: Any, root: int = 0) -> None:  # noqa: N802
            """Sends the array of `root` to all ranks."""
            if not isinstance(buf, cupy.ndarray):
                super().Bcast(buf, root)
                return
            host = cupy.asnumpy(buf)
            super().Bcast(host, root)
            if self.rank != root:
                buf.set(host)

    return ByTheHost(comm)


def read_img(filename: str) -> dict[str, Any]:
    """As gpu_specter.io.read_img, by astropy."""
    from astropy.io import fits

    with fits.open(filename) as file:
        image = {name.lower(): file[name].data.astype("f8") for name in ("IMAGE", "IVAR")}
        image["mask"] = file["MASK"].data
        image["ivar"][image["mask"] != 0] = 0.0
        image["imagehdr"] = file["IMAGE"].header.copy()
        image["fibermap"] = file["FIBERMAP"].data.copy()
        image["fibermaphdr"] = file["FIBERMAP"].header.copy()
    return image


def read_psf(filename: str) -> dict[str, Any]:
    """As gpu_specter.io.read_psf, by astropy."""
    from astropy.io import fits
    from astropy.table import Table

    psf = {"PSF": Table.read(filename, "PSF")}
    psf["PSF"].meta.setdefault("PSFERR", 0.01)
    with fits.open(filename) as file:
        for name in ("XTRACE", "YTRACE"):
            header = file[name].header
            meta = {key: header[key] for key in ("WAVEMIN", "WAVEMAX")}
            psf[name] = Table({name[0]: file[name].data.astype("f8")}, meta=meta)
    return psf


def write_frame(filename: str, frame: dict[str, Any]) -> None:
    """As gpu_specter.io.write_frame, by astropy."""
    from astropy.io import fits

    arrays = {"FLUX": "specflux", "IVAR": "specivar", "MASK": "specmask", "WAVELENGTH": "wave"}
    arrays |= {"RESOLUTION": "Rdiags", "CHI2PIX": "chi2pix"}
    hdus = fits.HDUList([fits.PrimaryHDU()])
    for name, key in arrays.items():
        whole = name in ("MASK", "WAVELENGTH")
        hdus.append(fits.ImageHDU(frame[key] if whole else frame[key].astype("f4"), name=name))
    hdus.append(fits.BinTableHDU(frame["fibermap"], name="FIBERMAP"))
    hdus.writeto(f"{filename}.tmp", overwrite=True)
    Path(f"{filename}.tmp").rename(filename)


def main() -> None:
    """Extracts a frame, twice or once."""
    own_files = importlib.util.find_spec("fitsio") is not None
    if not own_files:
        sys.modules["fitsio"] = types.ModuleType("fitsio")  # gpu_specter.io imports it
    import gpu_specter.spex as program

    if not own_files:
        program.read_img, program.read_psf, program.write_frame = read_img, read_psf, write_frame
    args = program.parse()
    comm = None
    if args.mpi:
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        if args.use_gpu and os.environ.get("SPEX_PEER_BROADCAST") == "host":
            comm = by_the_host(comm)
    program.main_gpu_specter(args, comm=comm)
    if os.environ.get("SPEX_PEER_RUNS") == "1":
        return
    start = time.perf_counter()
    program.main_gpu_specter(args, comm=comm)
    if comm is None or comm.rank == 0:
        print(f"again: {time.perf_counter() - start:.4f}")


if __name__ == "__main__":
    main()
