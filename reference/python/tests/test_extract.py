"""Extraction: the frames of the programs, arrays, settings, errors, concurrent threads."""

import importlib
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from spexbench import extract
from spexbench_fixtures import BIN, TEN, assert_same


def test_flux_of_the_frame_equals_spex_cpu(night, tmp_path):
    theirs = tmp_path / "theirs.fits"
    command = [BIN / "spex-cpu", "-i", night.preproc, "-p", night.psf, "-o", theirs]
    command += ["-w", "5760,5800,0.8", "-n", "10", "--flux", "frame"]
    subprocess.run(command, check=True)
    ours = tmp_path / "ours.fits"
    extract(night.preproc, night.psf, output=ours, flux="frame", **TEN)
    assert spexbench.compare(ours, theirs, tolerance="identical")
    with pytest.raises(spexbench.UsageError, match="patch or frame"):
        extract(night.preproc, night.psf, flux="whole", **TEN)


def test_file_equals_spex_cpu(night, tmp_path):
    ours, theirs = tmp_path / "ours.fits", tmp_path / "theirs.fits"
    model = tmp_path / "ours-model.fits"
    frame = extract(night.preproc, night.psf, output=ours, model=model, **TEN)
    command = [BIN / "spex-cpu", "-i", night.preproc, "-p", night.psf, "-o", theirs]
    command += ["-w", "5760,5800,0.8", "-n", "10", "-m", tmp_path / "theirs-model.fits"]
    subprocess.run(command, check=True)
    assert spexbench.compare(ours, theirs, tolerance="identical")
    for file in model, tmp_path / "theirs-model.fits":
        np.testing.assert_array_equal(fits.getdata(file), frame.model)


def test_subbundles_of_the_milestone(night):
    """A bundle is one subbundle of scalar, unless another number is asked for."""
    asked = {"wavelength": (5760, 5764, 0.8), "nspec": 10}
    own = extract(night.preproc, night.psf, milestone="scalar", **asked)
    assert own.counts.patches == 1
    five = extract(night.preproc, night.psf, milestone="scalar", nsubbundles=5, **asked)
    assert five.counts.patches == 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wavelengths_as_an_array(night, ten, dtype):
    asked = {**TEN, "wavelength": np.linspace(5760, 5800, 51).astype(dtype)}
    assert_same(extract(night.preproc, night.psf, **asked), ten)
    whole = {**TEN, "wavelength": np.arange(5760, 5801)}
    np.testing.assert_array_equal(
        extract(night.preproc, night.psf, **whole).wave, whole["wavelength"]
    )
    thirds = {**TEN, "wavelength": 5760 + np.arange(31) / 3}
    wave = extract(night.preproc, night.psf, **thirds).wave
    np.testing.assert_allclose(wave, thirds["wavelength"], rtol=0, atol=1e-9)


def test_golden(tmp_path):
    golden = Path(__file__).resolve().parents[3] / "golden"
    extract(
        golden / "tiny-b/preproc.fits",
        golden / "tiny-b/psf.fits",
        bundlesize=5,
        nsubbundles=1,
        nspec=10,
        wavelength=(3610, 3700, 0.8),
        output=tmp_path / "frame.fits",
    )
    comparison = spexbench.compare(
        tmp_path / "frame.fits",
        golden / "tiny-b/frame-tiny-b.fits",
        tolerance=f"{golden}/cases.json:tiny-b",
    )
    assert comparison, comparison.table


def test_arrays_and_their_units(ten):
    assert ten.flux.shape == ten.ivar.shape == ten.mask.shape == (10, 51)
    assert ten.resolution.shape == (10, 11, 51)
    assert ten.mask.dtype == np.uint32
    assert ten.flux.flags.writeable and ten.flux.flags.c_contiguous
    assert ten.counts.patches == 4 and ten.counts.failed == 0
    flux = ten.quantity("flux")
    assert str(flux.unit) == "electron / Angstrom"
    assert np.shares_memory(flux.value, ten.flux)
    with pytest.raises(spexbench.UsageError, match="unknown 'fluxes'"):
        ten.quantity("fluxes")


def test_units_need_astropy(ten, monkeypatch):
    monkeypatch.setitem(sys.modules, "astropy", None)
    with pytest.raises(ImportError, match=r"pip install 'spexbench\[units\]'"):
        ten.quantity("flux")


def test_bad2dfit_by_the_rule_of_older_productions(night):
    preproc = spexbench.read_preproc(night.preproc)
    pixels = preproc.image.copy()
    pixels[np.unravel_index(pixels.argmax(), pixels.shape)] *= 10  # a cosmic ray
    image = {"image": pixels, "ivar": preproc.ivar, "mask": preproc.mask}
    bad = {rule: extract(image, night.psf, bad2dfit=rule, **TEN) for rule in ("relative", "chi2")}
    np.testing.assert_array_equal(bad["chi2"].mask & 128 != 0, bad["chi2"].chi2pix > 100)
    others = ~np.uint32(128)
    np.testing.assert_array_equal(bad["chi2"].mask & others, bad["relative"].mask & others)
    with pytest.raises(spexbench.UsageError, match="relative or chi2"):
        extract(image, night.psf, bad2dfit="100", **TEN)


def test_threads_and_model(night, ten):
    one = extract(night.preproc, night.psf, threads=1, model=True, **TEN)
    assert_same(one, ten)
    assert ten.model is None
    assert one.model.shape == (300, 200)


def test_flux_of_the_frame(night, ten):
    seamless = extract(night.preproc, night.psf, flux="frame", **TEN)
    assert not np.array_equal(seamless.flux, ten.flux)
    np.testing.assert_array_equal(seamless.ivar, ten.ivar)
    with pytest.raises(spexbench.UsageError, match=r"flux: unknown 'all' \(expected patch or"):
        extract(night.preproc, night.psf, flux="all")


def test_barycentric_wavelengths(night, ten):
    corrected = extract(night.preproc, night.psf, barycentric_correction=True, **TEN)
    assert 1e-6 < abs(corrected.heliocor - 1) < 1.1e-4
    np.testing.assert_array_equal(corrected.wave, ten.wave)
    observed = tuple(x / corrected.heliocor for x in TEN["wavelength"])
    same = extract(night.preproc, night.psf, **{**TEN, "wavelength": observed})
    pull = (corrected.flux - same.flux) * np.sqrt(same.ivar)
    assert np.abs(pull).max() < 1e-6
    given = extract(
        night.preproc,
        night.psf,
        barycentric_correction=True,
        heliocor=corrected.heliocor,
        **TEN,
    )
    assert_same(given, corrected)
    assert ten.heliocor == 1
    with pytest.raises(spexbench.UsageError, match="heliocor: requires a barycentric correction"):
        extract(night.preproc, night.psf, heliocor=1.0001)


def test_methods_agree(night, ten):
    other = extract(night.preproc, night.psf, method="eigh", **TEN)
    assert not np.array_equal(other.flux, ten.flux)
    pull = np.abs(other.flux - ten.flux) * np.sqrt(ten.ivar)
    assert pull.max() < 1e-6


@pytest.mark.parametrize(
    ("arguments", "kind", "line"),
    [
        ({"specmin": 400}, spexbench.UsageError, "specmin: 400 exceeds the PSF"),
        ({"wavelength": "5760,5800"}, spexbench.UsageError, "wavelength: .* three numbers"),
        ({"wavelength": (9000, 9100, 1)}, spexbench.UsageError, "lies outside of the CCD"),
        ({"method": "svd"}, spexbench.UsageError, r"method: unknown 'svd' \(expected eigh or"),
        ({"threads": 0}, spexbench.UsageError, "threads: 0"),
        ({"model": "m.fits"}, spexbench.UsageError, "model: a file without an output"),
        ({"specmin": 2**40}, spexbench.UsageError, "specmin: 1099511627776 .* 32-bit"),
        ({"nspec": 2.5}, spexbench.UsageError, r"nspec: '2.5' \(expected an integer\)"),
        ({"psferr": "1%"}, spexbench.UsageError, r"psferr: '1%' \(expected a number\)"),
        ({"heliocor": [1]}, spexbench.UsageError, r"heliocor: \[1\] \(expected a number"),
        ({"threads": "2"}, spexbench.UsageError, r"threads: '2' \(expected an integer"),
        ({"flux": b"patch"}, spexbench.UsageError, "flux: unknown .* patch or frame"),
        ({"wavelength": np.ones((9, 99))}, spexbench.UsageError, "is not an equidistant grid"),
        ({"wavelength": np.array([5800, 5760.0])}, spexbench.UsageError, "is not an equidistant"),
        ({"wavelength": np.array([5800.0])}, spexbench.UsageError, "is a single one, without a st"),
        (
            {"wavelength": np.geomspace(5760, 5800, 51)},
            spexbench.UsageError,
            "is not an equidistant",
        ),
        ({"output": 5}, spexbench.UsageError, "output: 5 is not a path"),
        ({"output": b"\xff.fits"}, spexbench.UsageError, "output: .* is not UTF-8"),
        ({"output": "f.fits", "model": 5}, spexbench.UsageError, "model: 5 is not a path"),
        ({"output": "no/such/folder/f.fits"}, spexbench.DataError, "no/such/folder/f.fits"),
    ],
)
def test_errors(night, arguments, kind, line):
    with pytest.raises(kind, match=line) as caught:
        extract(night.preproc, night.psf, **arguments)
    assert "\n" not in str(caught.value)
    assert "--" not in str(caught.value)  # Python's names of arguments, not the programs'
    assert isinstance(caught.value, spexbench.Error)
    assert caught.value.exit_status == (2 if kind is spexbench.UsageError else 1)


def test_errors_agree_with_the_programs(night, tmp_path):
    with pytest.raises(spexbench.DataError) as caught:
        extract(night.preproc, tmp_path / "no-psf.fits")
    command = [BIN / "spex-cpu", "-i", night.preproc, "-p", tmp_path / "no-psf.fits", "-o"]
    said = subprocess.run([*command, tmp_path / "f.fits"], capture_output=True, text=True)
    assert said.returncode == caught.value.exit_status
    assert said.stderr.splitlines()[-1] == f"spex-cpu: {caught.value}"


@pytest.mark.skipif(spexbench.has_gpu(), reason="there is a GPU")
def test_no_gpu(night, tmp_path):
    with pytest.raises(spexbench.DeviceError, match="gpu: ") as caught:
        extract(night.preproc, night.psf, gpu=True)
    command = [BIN / "spex-gpu", "-i", night.preproc, "-p", night.psf, "-o", tmp_path / "f.fits"]
    assert subprocess.run(command, capture_output=True).returncode == caught.value.exit_status


@pytest.mark.skipif(spexbench.has_gpu(), reason="there is a GPU")
def test_two_packages_in_one_environment(night, tmp_path, monkeypatch):
    """spexbench, installed after spexbench-gpu, replaces its files: pip does not say so."""
    monkeypatch.syspath_prepend(tmp_path)
    line = "both installed.*expected both to be uninstalled"
    for name in ("spexbench", "spexbench-gpu"):
        with pytest.raises(spexbench.DeviceError, match="gpu: ") as caught:
            extract(night.preproc, night.psf, gpu=True)
        assert not re.search(line, str(caught.value))
        folder = tmp_path / f"{name.replace('-', '_')}-1.0.0.dist-info"
        folder.mkdir()
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0.0\n"
        (folder / "METADATA").write_text(text)
        importlib.invalidate_caches()
    with pytest.raises(spexbench.DeviceError, match=line):
        extract(night.preproc, night.psf, gpu=True)


def test_other_threads_run_concurrently(night):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.002):
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick)
    other.start()
    start = time.monotonic()
    extract(night.preproc, night.psf, threads=1)
    end = time.monotonic()
    stop.set()
    other.join()
    gaps = np.diff([start, *(t for t in ticks if start < t < end), end])
    assert gaps.max() < 0.5 * (end - start)


def test_interrupt(night):
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        extract(night.preproc, night.psf, threads=1, milestone="baseline")
    timer.join()
