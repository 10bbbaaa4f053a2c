"""Frames as tables, specutils' spectra and desispec's frames.

specutils and desispec are no packages of `ci/venv`: their tests run where they are installed.
"""

import sys

import numpy as np
import pytest
import spexbench
from astropy.nddata import InverseVariance
from spexbench import extract
from spexbench_fixtures import SMALL


def test_table(frame, tmp_path):
    table = frame.to_table()
    np.testing.assert_array_equal(table["spectrum"], [3, 4, 5, 6, 7])
    np.testing.assert_array_equal(table["FIBER"], [3, 4, 5, 6, 7])
    for name in ("flux", "ivar", "mask", "chi2pix", "pixmask_fraction"):
        np.testing.assert_array_equal(table[name], getattr(frame, name))
    np.testing.assert_array_equal(table["wave"][2], frame.wave)
    assert (str(table["ivar"].unit), table["mask"].unit) == ("Angstrom2 / electron2", None)
    table["flux"][0, 0] = 77  # a copy
    assert frame.flux[0, 0] != 77
    odd = frame[[0, 3]].to_table()
    np.testing.assert_array_equal(odd["spectrum"], [3, 6])
    odd.write(tmp_path / "table.ecsv")


def test_table_of_a_frame_without_a_fibermap(night):
    image = spexbench.read_preproc(night.preproc)
    arrays = {"image": image.image, "ivar": image.ivar, "mask": image.mask}
    assert "FIBER" not in extract(arrays, night.psf, **SMALL).to_table().columns


def test_spectrum(night, frame, file):
    specutils = pytest.importorskip("specutils", reason="specutils is not installed")
    spectrum = frame.to_spectrum()
    np.testing.assert_array_equal(spectrum.flux.value, frame.flux)
    assert str(spectrum.flux.unit) == "electron / Angstrom"
    np.testing.assert_array_equal(spectrum.spectral_axis.value, frame.wave)
    assert isinstance(spectrum.uncertainty, InverseVariance)
    np.testing.assert_array_equal(spectrum.uncertainty.array, frame.ivar)
    np.testing.assert_array_equal(spectrum.mask, frame.mask != 0)
    assert spectrum.meta["header"]["CAMERA"] == "r0"
    np.testing.assert_array_equal(spectrum.meta["resolution"], frame.resolution)
    spexbench.register_with_specutils()
    spexbench.register_with_specutils()
    for read in (
        specutils.Spectrum.read(file),
        specutils.Spectrum.read(str(file), format="spexbench frame"),
    ):
        np.testing.assert_array_equal(read.flux.value, frame.flux.astype(np.float32))
        np.testing.assert_array_equal(read.meta["spectra"], [3, 4, 5, 6, 7])
    with pytest.raises(Exception, match=r"[Ff]ormat could not be identified"):
        specutils.Spectrum.read(night.preproc)


def test_desispec(frame, file):
    desispec = pytest.importorskip("desispec.io", reason="desispec is not installed")
    ours, theirs = frame.to_desispec(), desispec.read_frame(str(file))
    for name in ("wave", "flux", "ivar", "mask", "resolution_data", "chi2pix"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7)
    np.testing.assert_array_equal(ours.fibers, theirs.fibers)
    np.testing.assert_array_equal(ours.fibermap["TARGETID"], theirs.fibermap["TARGETID"])
    assert ours.meta["CAMERA"] == theirs.meta["CAMERA"]
    model = np.random.default_rng(1).normal(size=frame.flux.shape)
    for k in range(frame.nspec):
        np.testing.assert_allclose(ours.R[k] @ model[k], frame.convolve(model)[k], atol=1e-12)
    odd = frame[[4, 1]].to_desispec()
    np.testing.assert_array_equal(odd.fibers, [7, 4])


def test_what_is_missing_is_named(frame, monkeypatch):
    for package, call in (
        ("specutils", frame.to_spectrum),
        ("specutils", spexbench.register_with_specutils),
        ("desispec", frame.to_desispec),
    ):
        monkeypatch.setitem(sys.modules, package, None)
        monkeypatch.setitem(sys.modules, f"{package}.frame", None)
        monkeypatch.setitem(sys.modules, f"{package}.io.registers", None)
        with pytest.raises(ImportError, match=f"no {package}"):
            call()
