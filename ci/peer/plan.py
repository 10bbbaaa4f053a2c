"""What ci/peer-bench runs: each program with the same settings, on the same files."""

from dataclasses import dataclass
from pathlib import Path

# wmin,wmax,dw of production, Angstrom.
GRID = {"b": "3600.0,5800.0,0.8", "r": "5760.0,7620.0,0.8", "z": "7520.0,9824.0,0.8"}
# Options by settings: those of production's call of desi_extract_spectra, which all are defaults of
# gpu_specter, and those of gpu_specter's bin/desi_benchmark_extract.
SETTINGS = {
    "production": ("50", "0.8", "0.2"),
    "script": ("30", "0", "0"),
}
NSUBBUNDLES = "5"
# psferr of production by arm; the script takes that of the PSF file.
PSFERR = {"b": "0.04", "r": "0.01", "z": "0.01"}
# What is extracted: spex-sim's --size and the number of spectra.
BUNDLE = 25  # fibers
SIZES = {"gpu": ("full", 500), "cpu": ("bundle", BUNDLE)}
PEER = "gpu_specter"


@dataclass(frozen=True)
class Program:
    """A program of the comparison."""

    name: str
    device: str  # gpu or cpu
    ranks: int = 1
    options: tuple[str, ...] = ()

    @property
    def is_peer(self) -> bool:
        """Whether it is gpu_specter."""
        return self.name.startswith(PEER)


PROGRAMS = (
    Program(f"{PEER}-1", "gpu"),
    Program(f"{PEER}-5", "gpu", ranks=5),
    Program("pipeline", "gpu", options=("--milestone", "pipeline")),
    Program("direct", "gpu", options=("--milestone", "direct")),
    Program(PEER, "cpu"),
    Program("eigh", "cpu", options=("--method", "eigh")),
    Program("default", "cpu"),
)


@dataclass(frozen=True)
class Places:
    """Folders and files."""

    bin: Path  # programs of spexbench
    python: Path  # that has gpu_specter's packages
    data: Path  # images, PSFs and frames
    core: int  # CPU of the runs without a GPU

    def file(self, kind: str, camera: str, size: str) -> Path:
        """An image (preproc) or a PSF (psf) of spex-sim."""
        return self.data / size / f"{kind}-{camera}-00000001.fits"

    def frame(self, program: Program, camera: str, settings: str) -> Path:
        """The frame of a program."""
        return self.data / "frames" / f"{program.device}-{program.name}-{settings}-{camera}.fits"


def options(camera: str, settings: str) -> list[str]:
    """The options that all programs have in common."""
    nwavestep, pixpad_frac, wavepad_frac = SETTINGS[settings]
    words = ["-w", GRID[camera[0]], "--nsubbundles", NSUBBUNDLES, "--nwavestep", nwavestep]
    words += ["--wavepad", "10", "--pixpad-frac", pixpad_frac, "--wavepad-frac", wavepad_frac]
    return [*words, "--psferr", PSFERR[camera[0]]] if settings == "production" else words


def command(program: Program, camera: str, settings: str, places: Places) -> list[str]:
    """The command line of a run."""
    size, nspec = SIZES[program.device]
    frame = places.frame(program, camera, settings)
    words = ["-i", places.file("preproc", camera, size), "-p", places.file("psf", camera, size)]
    words += ["-o", frame, "-n", nspec, *options(camera, settings)]
    start: list[object] = []
    if program.is_peer:
        start = [places.python, Path(__file__).with_name("spex.py")]
        words += ["--use-gpu"] if program.device == "gpu" else []
        if program.ranks > 1:
            launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
            start = [places.bin / "mps-wrapper", *launcher, "-n", program.ranks, *start]
            words += ["--mpi"]
    elif program.device == "gpu":
        # CHI2PIX as gpu_specter computes it on GPUs (docs/extraction.md, section 6).
        start, words = [places.bin / "spex-gpu"], [*words, "--chi2-pixels", "bright"]
    else:
        start, words = [places.bin / "spex-cpu"], [*words, "--threads", "1"]
    if not program.is_peer:
        # gpu_specter rejects the pixels of any bit of MASK.
        words += [*program.options, "--mask-bits", "all"]
        words += ["--events", events(frame), "--loglevel", "warn"]
    if program.device == "cpu":
        start = ["taskset", "-c", places.core, *start]
    return [str(word) for word in [*start, *words]]


def bundle_command(
    camera: str, settings: str, bundle: int, places: Places
) -> tuple[list[str], Path]:
    """The command line of gpu_specter on one CPU core for a bundle of a full frame; its frame."""
    frame = places.data / "frames" / f"bundle-{bundle}-{settings}-{camera}.fits"
    words = ["taskset", "-c", places.core, places.python, Path(__file__).with_name("spex.py")]
    for option, kind in (("-i", "preproc"), ("-p", "psf")):
        words += [option, places.file(kind, camera, "full")]
    words += ["-o", frame, "--specmin", bundle * BUNDLE, "-n", BUNDLE, *options(camera, settings)]
    return [str(word) for word in words], frame


def events(frame: Path) -> Path:
    """The run log beside a frame of ours."""
    return frame.with_suffix(".events.json")
