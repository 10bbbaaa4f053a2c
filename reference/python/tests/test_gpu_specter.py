"""extract_frame: gpu_specter's arguments, inputs and result, on one and several ranks."""

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from astropy.table import Table
from ranks import Ranks
from spexbench import extract_frame

ARGUMENTS = {"wavelength": "5760,5800,0.8", "nsubbundles": 5}


def read_tables(path):
    """A PSF as read by gpu_specter."""
    psf = {"PSF": Table.read(path, "PSF")}
    psf["PSF"].meta.setdefault("PSFERR", 0.01)
    with fits.open(path) as file:
        for name, hdu in (("XTRACE", file[0]), ("YTRACE", file["YTRACE"])):
            meta = {key: hdu.header[key] for key in ("WAVEMIN", "WAVEMAX")}
            psf[name] = Table({name[0]: hdu.data}, meta=meta)
    return psf


@pytest.fixture(scope="module")
def inputs(night):
    preproc = spexbench.read_preproc(str(night.preproc))
    ivar = np.where(preproc.mask == 0, preproc.ivar, 0).astype(float)
    return {"image": preproc.image.astype(float), "ivar": ivar}, read_tables(night.psf)


@pytest.fixture(scope="module")
def alone(inputs):
    return extract_frame(*inputs, 25, 0, 25, **ARGUMENTS)


def assert_same(result, expected):
    assert list(result) == list(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(result[name], value, err_msg=name)


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("PSFTYPE", "PCA-PIX", "psf: PSF: PSFTYPE is PCA-PIX"),
        ("PSFVER", 2, "psf: PSF: PSFVER is 2"),
        ("CAMERA", "'z0      '", "psf: is the PSF of z0"),
    ],
)
def test_psfs_of_another_kind_or_arm(inputs, night, key, value, line):
    tables = read_tables(night.psf)
    tables["PSF"].meta[key] = value
    image = {**inputs[0], "camera": "r0"}
    with pytest.raises(spexbench.DataError, match=line):
        extract_frame(image, tables, 25, 0, 5, **ARGUMENTS)


def test_fit_of_the_psf_is_logged(inputs, night, caplog):
    tables = read_tables(night.psf)
    tables["PSF"].meta["B00RCHI2"] = 0.0
    names = [name.strip() for name in tables["PSF"]["PARAM"]]
    tables["PSF"]["COEFF"][names.index("TAILAMP")][2] = 0.5
    with caplog.at_level("WARNING", logger="spexbench"):
        extract_frame(inputs[0], tables, 25, 0, 5, **ARGUMENTS)
    assert "5 fibers are in bundles whose PSF was not fitted" in caplog.text
    assert "the PSF of 1 fibers has tails" in caplog.text


def test_signature():
    """The order is gpu_specter's: callers pass the first fourteen by position."""
    names = (
        "img psf bundlesize specmin nspec wavelength nwavestep nsubbundles model regularize psferr "
        "comm gpu loglevel timing wavepad pixpad_frac wavepad_frac batch_subbundle ranks_per_bundle"
    )
    parameters = inspect.signature(extract_frame).parameters.values()
    by_place = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert [p.name for p in by_place] == names.split()
    defaults = [p.default for p in by_place[5:]]
    assert defaults == [
        *(None, 50, 1, None, 0, None, None, None, None, None, 10, 0.8, 0.2, True, None)
    ]


def test_result(alone):
    types = {
        "specflux": ("f8", (25, 51)),
        "specivar": ("f8", (25, 51)),
        "specmask": ("i8", (25, 51)),
        "wave": ("f8", (51,)),
        "Rdiags": ("f8", (25, 11, 51)),
        "pixmask_fraction": ("f8", (25, 51)),
        "chi2pix": ("f8", (25, 51)),
    }
    assert set(alone) == {*types, "modelimage"}
    assert alone["modelimage"] is None
    for name, (dtype, shape) in types.items():
        assert (alone[name].dtype, alone[name].shape) == (np.dtype(dtype), shape), name
    np.testing.assert_array_equal(alone["wave"], np.arange(5760, 5800.4, 0.8))
    np.testing.assert_array_equal(alone["specmask"], alone["specivar"] == 0)


def test_same_as_extract(night, alone):
    frame = spexbench.extract(
        night.preproc, night.psf, wavelength=(5760, 5800, 0.8), mask_bits=0xFFFFFFFF
    )
    np.testing.assert_array_equal(alone["specflux"], frame.flux)
    np.testing.assert_array_equal(alone["Rdiags"], frame.resolution)


@pytest.mark.parametrize("wavelength", [(5760, 5800, 0.8), np.arange(5760, 5800.4, 0.8)])
def test_forms_of_wavelength(inputs, alone, wavelength):
    result = extract_frame(*inputs, 25, 0, 25, wavelength, nsubbundles=5)
    np.testing.assert_allclose(result["specflux"], alone["specflux"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(result["wave"], alone["wave"], rtol=0, atol=1e-9)


def test_mask_of_a_mapping_is_in_its_ivar(inputs, alone):
    """gpu_specter uses only image and ivar."""
    image = {**inputs[0], "mask": np.ones(inputs[0]["image"].shape, dtype=np.int32)}
    assert_same(extract_frame(image, inputs[1], 25, 0, 25, **ARGUMENTS), alone)


def test_timing_and_model(inputs, alone):
    timing = {}
    result = extract_frame(*inputs, 25, 0, 25, model="m.fits", timing=timing, **ARGUMENTS)
    assert result["modelimage"].shape == inputs[0]["image"].shape
    np.testing.assert_array_equal(result["specflux"], alone["specflux"])
    names = "init-mpi-comm init-mpi-bcast host-to-device extracted-bundles staged-bundles"
    assert list(timing)[:5] == names.split()
    assert timing["assembled-frame"] >= timing["extracted-bundles"] >= timing["init-mpi-comm"]


def test_wrong_tables(inputs):
    image, psf = inputs
    with pytest.raises(spexbench.UsageError, match="psf: 'XTRACE'"):
        extract_frame(image, {"PSF": psf["PSF"]}, 25, 0, 25)
    broken = Table(psf["PSF"], copy=True)
    broken["COEFF"][0, 0, 0] = np.nan
    with pytest.raises(spexbench.UsageError, match="COEFF: has a coefficient that is not finite"):
        extract_frame(image, {**psf, "PSF": broken}, 25, 0, 25)


@pytest.mark.parametrize("size", [1, 3])
def test_ranks_share_a_frame(inputs, alone, size):
    def work(comm):
        image, psf = inputs if comm.rank == 0 else (None, None)
        return extract_frame(image, psf, 25, 0, 25, comm=comm, threads=1, **ARGUMENTS)

    first, *others = Ranks(size).run(work)
    assert_same(first, alone)
    assert others == [None] * (size - 1)


@pytest.mark.parametrize("wrong", ["image of rank 0", "specmin of rank 1"])
def test_an_error_of_one_rank_is_raised_on_all(inputs, wrong):
    def work(comm):
        image, psf = inputs if comm.rank == 0 else (None, None)
        if wrong == "image of rank 0":
            image = "no-such-file.fits"
        specmin = 400 if comm.rank == 1 and wrong == "specmin of rank 1" else 0
        return extract_frame(image, psf, 25, specmin, 25, comm=comm, threads=1, **ARGUMENTS)

    outcomes = Ranks(2).run(work)
    assert [type(outcome) for outcome in outcomes] in (
        [spexbench.DataError] * 2,
        [spexbench.UsageError] * 2,
    )
    assert str(outcomes[0]) == str(outcomes[1])


@pytest.mark.skipif(spexbench.has_gpu(), reason="there is a GPU")
def test_no_gpu(inputs):
    def work(comm):
        image, psf = inputs if comm.rank == 0 else (None, None)
        return extract_frame(image, psf, 25, 0, 25, comm=comm, gpu=True, **ARGUMENTS)

    for outcome in Ranks(2).run(work):
        assert isinstance(outcome, spexbench.DeviceError)
        assert str(outcome).startswith("gpu: ") and outcome.exit_status == 77
    with pytest.raises(spexbench.DeviceError, match=r"a build for it, docs/python\.md; or gpu"):
        extract_frame(*inputs, 25, 0, 25, gpu=True, **ARGUMENTS)


SCRIPT = """
import sys
from mpi4py import MPI
import numpy as np
import spexbench
comm = MPI.COMM_WORLD
files = sys.argv[1:3] if comm.rank == 0 else (None, None)
frame = spexbench.extract_frame(
    *files, 25, 0, 25, "5760,5800,0.8", nsubbundles=5, comm=comm, threads=1
)
assert (frame is None) == (comm.rank > 0)
if frame:
    np.save(sys.argv[3], frame["specflux"])
"""


@pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")
def test_mpi4py(night, tmp_path):
    pytest.importorskip("mpi4py")
    (tmp_path / "script.py").write_text(SCRIPT)
    command = ["mpirun", "-n", "2", sys.executable, tmp_path / "script.py"]
    command += [night.preproc, night.psf, tmp_path / "flux.npy"]
    subprocess.run(command, check=True, timeout=60)
    frame = spexbench.extract_frame(night.preproc, night.psf, 25, 0, 25, **ARGUMENTS)
    np.testing.assert_array_equal(np.load(tmp_path / "flux.npy"), frame["specflux"])


def test_package_belongs_to_the_build():
    assert Path(spexbench._core.__file__).is_relative_to(Path(os.environ["SPEX_BUILD"]).resolve())
