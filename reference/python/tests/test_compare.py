"""Frames in memory are compared like their files."""

import dataclasses

import numpy as np
import pytest
import spexbench

GRID = (5760, 5800, 0.8)


@pytest.fixture(scope="module")
def frame(night):
    return spexbench.extract(night.preproc, night.psf, wavelength=GRID, specmin=5, nspec=10)


def changed(frame, **arrays):
    copies = {name: array.copy() for name, array in arrays.items()}
    return dataclasses.replace(frame, **copies)


def what_fails(comparison):
    return [c["what"] for c in comparison.report["comparison"]["checks"] if not c["ok"]]


def test_with_itself_and_its_file(night, frame, tmp_path):
    assert spexbench.compare(frame, frame, tolerance="identical")
    options = {"wavelength": GRID, "specmin": 5, "nspec": 10}
    for name, full, tolerance in (("a", True, "identical"), ("b", False, "production")):
        file = tmp_path / f"{name}.fits"
        spexbench.extract(night.preproc, night.psf, output=file, full_precision=full, **options)
        assert spexbench.compare(frame, file, tolerance=tolerance)
        assert spexbench.compare(file, frame, tolerance=tolerance)


def test_differences_are_located(frame):
    flux = frame.flux.copy()
    flux[3, 7] += 1e-3 / np.sqrt(frame.ivar[3, 7])
    other = changed(frame, flux=flux)
    comparison = spexbench.compare(other, frame)
    assert not comparison
    assert what_fails(comparison) == ["flux pull"]
    assert "first at fiber 8, 5765.60 A (bin 7)" in str(comparison)
    mask = frame.mask.copy()
    mask[0, 0] ^= 4
    assert what_fails(spexbench.compare(changed(frame, mask=mask), frame)) == [
        "bins whose mask differs"
    ]


def test_rounding_to_float32_is_allowed(frame):
    rough = dataclasses.replace(frame, flux=frame.flux.astype(np.float32))
    assert spexbench.compare(rough, frame)
    assert not spexbench.compare(rough, frame, tolerance="identical")


def test_other_shapes(frame):
    fewer = dataclasses.replace(frame, flux=frame.flux[:-1])
    assert what_fails(spexbench.compare(fewer, frame)) == ["HDUs missing or misshaped"]
    with pytest.raises(spexbench.DataError, match="expected: HDU IVAR is 10 x 51"):
        spexbench.compare(frame, fewer)


def test_flux_of_the_frame_is_named(night, frame):
    whole = spexbench.extract(
        night.preproc, night.psf, wavelength=GRID, specmin=5, nspec=10, flux="frame"
    )
    assert (whole.flux_of, whole.nwavestep) == ("frame", 50)
    assert spexbench.compare(whole, frame).report["comparison"]["flux_solvers"]


def test_truth(night, frame):
    whole = spexbench.extract(night.preproc, night.psf, wavelength=(5760, 5840, 0.8))
    assert spexbench.compare(whole, truth=night.truth)
    with pytest.raises(spexbench.UsageError, match="nothing to compare with"):
        spexbench.compare(frame)
    with pytest.raises(spexbench.UsageError, match="truth: 5 is not a path"):
        spexbench.compare(frame, truth=5)
    with pytest.raises(spexbench.UsageError, match="result: 5 is not a path"):
        spexbench.compare(5, frame)


def test_a_frame_and_its_file_in_memory(frame, tmp_path):
    """What a file rounded to float32 is compared as the file is."""
    frame.write(tmp_path / "frame.fits")
    back = spexbench.read_frame(tmp_path / "frame.fits")
    for one, other in ((frame, back), (back, frame), (back, tmp_path / "frame.fits")):
        assert spexbench.compare(one, other), str(spexbench.compare(one, other))
    off = changed(back, flux=back.flux * (1 + 1e-5))
    assert not spexbench.compare(off, back)
