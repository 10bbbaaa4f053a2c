"""Extraction on a GPU from Python: goldens, agreement with the CPU, equal bytes.

Needs no astropy, which machines with GPUs may lack.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import spexbench
from ranks import Ranks
from spexbench import extract, extract_frame

pytestmark = pytest.mark.skipif(not spexbench.has_gpu(), reason=spexbench._core.why_no_gpu())

BIN = Path(os.environ["SPEX_BUILD"]) / "bin"
GOLDEN = Path(__file__).resolve().parents[3] / "golden"
CASES = json.loads((GOLDEN / "cases.json").read_text())["cases"]
#: One milestone per GPU engine; only the first supports flux="frame".
MILESTONES = ("pipeline", "band", "batch-subbundle")
ARRAYS = ("wave", "flux", "ivar", "mask", "resolution", "chi2pix", "pixmask_fraction")
FRAME = {"wavelength": (5760, 5840, 0.8), "nsubbundles": 5}


def files_of(name):
    image = CASES[name]["image"]
    return GOLDEN / image / "preproc.fits", GOLDEN / image / "psf.fits"


def settings_of(name):
    """The common arguments of extract and extract_frame."""
    case = CASES[name]
    asked = "bundlesize nsubbundles nwavestep wavepad pixpad_frac wavepad_frac regularize psferr"
    wavelength = tuple(case[key] for key in ("wmin", "wmax", "dw"))
    common = {key: case[key] for key in (*asked.split(), "specmin", "nspec")}
    return {**common, "wavelength": wavelength}


def assert_same(frame, other):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(frame, name), getattr(other, name), err_msg=name)


@pytest.fixture(scope="module")
def frame(night):
    return extract(night.preproc, night.psf, gpu=True, **FRAME)


@pytest.mark.parametrize("milestone", MILESTONES)
@pytest.mark.parametrize("name", CASES)
def test_goldens(name, milestone, tmp_path):
    flux = CASES[name].get("flux", "patch")
    asked = {"gpu": True, "milestone": milestone, "flux": flux}
    asked["mask_bits"] = int(CASES[name].get("mask_bits", "0xFFFFFFFF"), 0)
    asked["reject_pixels"] = CASES[name].get("reject_pixels")
    if flux == "frame" and milestone != "pipeline":
        wrong = f"flux: frame is not supported by {milestone}"
        with pytest.raises(spexbench.UsageError, match=wrong):
            extract(*files_of(name), **asked, **settings_of(name))
        return
    output = tmp_path / "frame.fits"
    frame = extract(
        *files_of(name), output=output, full_precision=True, **asked, **settings_of(name)
    )
    assert frame.counts.failed == 0
    expected = GOLDEN / CASES[name]["frame"]
    comparison = spexbench.compare(output, expected, tolerance=f"{GOLDEN}/cases.json:{name}")
    assert comparison, comparison.table


@pytest.mark.parametrize("name", [name for name in CASES if "flux" not in CASES[name]])
def test_extract_frame_of_goldens(name):
    """The dictionary equals the result of extract, which is compared with the goldens."""
    frame = extract(*files_of(name), gpu=True, **settings_of(name))
    result = extract_frame(*files_of(name), gpu=True, **settings_of(name))
    pairs = {"specflux": "flux", "specivar": "ivar", "Rdiags": "resolution", "chi2pix": "chi2pix"}
    for theirs, ours in pairs.items():
        np.testing.assert_array_equal(result[theirs], getattr(frame, ours), err_msg=ours)
    np.testing.assert_array_equal(result["specmask"], frame.ivar == 0)


@pytest.mark.parametrize("method", ["eigh", "cholesky"])
def test_spectra_of_the_cpu(night, frame, method):
    on_cpu = extract(night.preproc, night.psf, method=method, **FRAME)
    comparison = spexbench.compare(frame, on_cpu, tolerance="production")
    assert comparison, comparison.table
    assert not np.array_equal(frame.flux, on_cpu.flux)  # the GPU was used


def test_flux_of_the_frame_of_the_cpu(night):
    on_gpu, on_cpu = (
        extract(night.preproc, night.psf, flux="frame", gpu=gpu, method="cholesky", **FRAME)
        for gpu in (True, False)
    )
    comparison = spexbench.compare(on_gpu, on_cpu, tolerance="production")
    assert comparison, comparison.table


def test_f_of_the_cpu(night):
    on_gpu, on_cpu = (
        extract(night.preproc, night.psf, write_f=True, gpu=gpu, method="cholesky", **FRAME)
        for gpu in (True, False)
    )
    assert np.abs((on_gpu.f - on_cpu.f) * np.sqrt(on_cpu.ivar)).max() < 1e-6
    assert np.abs((on_gpu.f - on_gpu.flux) * np.sqrt(on_cpu.ivar)).max() > 1


def test_rejected_pixels_of_the_cpu(night):
    preproc = spexbench.read_preproc(str(night.preproc))
    image = {"image": preproc.image.copy(), "ivar": preproc.ivar, "mask": preproc.mask}
    psf = spexbench.read_psf(str(night.psf))
    for fiber in range(1, 25, 3):
        x, y = (round(float(axis(fiber, 5800.0))) for axis in (psf.x, psf.y))
        image["image"][y, x + 1 : x + 3] += 3000
    image["camera"] = "r0"
    on_gpu, on_cpu = (
        extract(image, psf, reject_pixels=6, gpu=gpu, method="cholesky", **FRAME)
        for gpu in (True, False)
    )
    np.testing.assert_array_equal(on_gpu.rejected, on_cpu.rejected)
    assert (on_gpu.rejected > 0).sum() > 10
    comparison = spexbench.compare(on_gpu, on_cpu, tolerance="production")
    assert comparison, comparison.table


def test_model_of_the_cpu(night):
    on_gpu, on_cpu = (
        extract(night.preproc, night.psf, model=True, gpu=gpu, method="cholesky", **FRAME).model
        for gpu in (True, False)
    )
    assert np.abs(on_gpu - on_cpu).max() < 1e-6 * np.abs(on_cpu).max()


def test_file_of_spex_gpu(night, tmp_path):
    ours, theirs = tmp_path / "ours.fits", tmp_path / "theirs.fits"
    extract(night.preproc, night.psf, gpu=True, output=ours, **FRAME)
    command = [BIN / "spex-gpu", "-i", night.preproc, "-p", night.psf, "-o", theirs]
    subprocess.run([*command, "-w", "5760,5840,0.8", "--loglevel", "error"], check=True)
    assert spexbench.compare(ours, theirs, tolerance="identical")


def test_arrays_in_memory(night, frame):
    preproc = spexbench.read_preproc(str(night.preproc))
    image = {"image": preproc.image, "ivar": preproc.ivar, "mask": preproc.mask, "camera": "r0"}
    assert_same(extract(image, night.psf, gpu=True, **FRAME), frame)
    assert_same(extract(preproc, spexbench.read_psf(str(night.psf)), gpu=True, **FRAME), frame)


def test_arrays_of_cupy(night):
    """Production passes NumPy arrays to gpu_specter; other callers may pass CuPy arrays."""
    cupy = pytest.importorskip("cupy")
    preproc = spexbench.read_preproc(str(night.preproc))
    image = {"image": preproc.image, "ivar": np.where(preproc.mask == 0, preproc.ivar, 0)}
    on_gpu = {name: cupy.asarray(array) for name, array in image.items()}
    results = [extract_frame(i, night.psf, 25, 0, 25, gpu=True, **FRAME) for i in (image, on_gpu)]
    np.testing.assert_array_equal(results[0]["specflux"], results[1]["specflux"])


def test_again_and_by_several_threads(night, frame):
    with ThreadPoolExecutor(4) as pool:
        several = [
            pool.submit(extract, night.preproc, night.psf, gpu=True, **FRAME) for _ in range(4)
        ]
        for one in several:
            assert_same(one.result(), frame)


def test_an_extractor_of_many_frames(night, frame, tmp_path):
    files = [tmp_path / f"frame-{i}.fits" for i in range(4)]
    with spexbench.Extractor(gpu=True) as extractor:
        done = [extractor.submit(night.preproc, night.psf, output=f, **FRAME) for f in files]
        for future in done:
            assert_same(future.result(), frame)
    assert len({file.read_bytes() for file in files}) == 1
    with pytest.raises(spexbench.UsageError, match="there is no GPU 99"):
        spexbench.Extractor(gpu=True, device=99)


@pytest.mark.parametrize("size", [1, 3])
def test_ranks_share_a_frame(night, frame, size):
    def work(comm):
        files = (night.preproc, night.psf) if comm.rank == 0 else (None, None)
        return extract_frame(*files, 25, 0, 25, comm=comm, gpu=True, **FRAME)

    first, *others = Ranks(size).run(work)
    assert others == [None] * (size - 1)
    np.testing.assert_array_equal(first["specflux"], frame.flux)
    np.testing.assert_array_equal(first["Rdiags"], frame.resolution)


SCRIPT = """
import sys
from mpi4py import MPI
import numpy as np
comm = MPI.COMM_WORLD
assert comm.size == 2
if len(sys.argv) > 1:
    import spexbench
    files = sys.argv[1:3] if comm.rank == 0 else (None, None)
    frame = spexbench.extract_frame(
        *files, 25, 0, 25, "5760,5840,0.8", nsubbundles=5, comm=comm, gpu=True
    )
    if frame:
        np.save(sys.argv[3], frame["specflux"])
"""


@pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")
def test_processes_share_a_gpu(night, frame, tmp_path):
    pytest.importorskip("mpi4py")
    (tmp_path / "script.py").write_text(SCRIPT)
    command = ["mpirun", "-n", "2", sys.executable, tmp_path / "script.py"]
    if subprocess.run(command, capture_output=True, timeout=60).returncode:
        pytest.skip("mpi4py and mpirun belong to different MPI libraries")
    command += [night.preproc, night.psf, tmp_path / "flux.npy"]
    subprocess.run(command, check=True, timeout=60)
    np.testing.assert_array_equal(np.load(tmp_path / "flux.npy"), frame.flux)


@pytest.mark.skipif(spexbench.gpu_count() < 2, reason="there are not two GPUs")
def test_another_gpu(night, frame):
    assert_same(extract(night.preproc, night.psf, gpu=True, device=1, **FRAME), frame)


def test_the_gpu_works_after_interrupts(night, frame):
    """The next frame is correct after Ctrl-C at any time."""
    for delay in (1e-4, 1e-3, 3e-3, 1e-2, 3e-2):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, delay)
        try:
            with contextlib.suppress(KeyboardInterrupt):
                extract(night.preproc, night.psf, gpu=True, nwavestep=10, **FRAME)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        assert_same(extract(night.preproc, night.psf, gpu=True, **FRAME), frame)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"device": 99}, "device: there is no GPU 99"),
        (
            {"method": "eigh", "milestone": "pipeline"},
            "method: eigh is not the method of pipeline",
        ),
        ({"milestone": "cpu-refactor"}, "milestone: unknown 'cpu-refactor'"),
    ],
)
def test_errors(night, frame, arguments, line):
    with pytest.raises(spexbench.UsageError, match=line):
        extract(night.preproc, night.psf, gpu=True, **FRAME, **arguments)
    assert_same(extract(night.preproc, night.psf, gpu=True, **FRAME), frame)


def test_a_process_exits_cleanly(night):
    """GPU memory is kept until the interpreter exits."""
    script = """import sys, spexbench
spexbench.extract(*sys.argv[1:], gpu=True, nspec=5, wavelength=(5760, 5800, 0.8))"""
    command = [sys.executable, "-c", script, night.preproc, night.psf]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
