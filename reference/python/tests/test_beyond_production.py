"""What production's extractors do not have (docs/beyond-production.md)."""

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from spexbench import extract
from spexbench_fixtures import TEN


def test_rejected_pixels(night, tmp_path):
    camera = spexbench.read_preproc(night.preproc).camera
    with fits.open(night.preproc) as hdus:
        pixels = {name: np.array(hdus[name].data) for name in ("IMAGE", "IVAR", "MASK")}
    psf = spexbench.read_psf(night.psf)
    x, y = (round(float(axis(3, 5780.0))) for axis in (psf.x, psf.y))
    pixels["IMAGE"][y, x + 1] += 5000
    arrays = {name.lower(): pixel for name, pixel in pixels.items()} | {"camera": camera}
    frame = extract(arrays, night.psf, reject_pixels=6, **TEN)
    assert frame.rejected.dtype == np.uint8
    assert frame.rejected.shape == pixels["IMAGE"].shape
    assert frame.rejected[y, x + 1] == spexbench.PixelMask.COSMIC
    assert frame.counts.rejected_pixels == (frame.rejected > 0).sum()
    assert frame.counts.rejecting > 0
    assert frame.counts.reject_rounds > 0
    assert frame[3:5].rejected is None
    masked = arrays | {"mask": arrays["mask"] | frame.rejected}
    same = extract(masked, night.psf, **TEN)
    for name in ("flux", "ivar", "mask", "resolution", "chi2pix", "pixmask_fraction"):
        np.testing.assert_array_equal(getattr(frame, name), getattr(same, name), err_msg=name)
    assert extract(arrays, night.psf, **TEN).rejected is None

    file = tmp_path / "rejected.fits"
    written = tmp_path / "frame.fits"
    extract(arrays, night.psf, reject_pixels=6, output=written, rejected=file, **TEN)
    np.testing.assert_array_equal(fits.getdata(file), frame.rejected)
    assert spexbench.read_frame(written).counts == frame.counts
    with pytest.raises(spexbench.UsageError, match="rejected: no file to write"):
        extract(arrays, night.psf, rejected=file, output=written, **TEN)


# flux = R f, except for what lies beyond the stored diagonals and beside the patch.
@pytest.mark.parametrize("flux", ["patch", "frame"])
def test_f_before_reconvolution(night, tmp_path, flux):
    options = {**TEN, "flux": flux, "ndiag": 12}
    frame = extract(night.preproc, night.psf, write_f=True, output=tmp_path / "f.fits", **options)
    sigma = 1 / np.sqrt(frame.ivar)
    inner = slice(12, -12)
    again = frame.convolve(frame.f)
    assert np.abs((again - frame.flux) / sigma)[:, inner].max() < 0.05
    assert np.abs((frame.f - frame.flux) / sigma)[:, inner].max() > 3
    written = spexbench.read_frame(tmp_path / "f.fits")
    np.testing.assert_array_equal(written.f, frame.f.astype(np.float32))
    np.testing.assert_array_equal(frame[1:3].f, frame.f[1:3])
    frame.write(tmp_path / "again.fits")
    np.testing.assert_array_equal(spexbench.read_frame(tmp_path / "again.fits").f, written.f)
    without = extract(night.preproc, night.psf, **options)
    assert without.f is None
    np.testing.assert_array_equal(without.flux, frame.flux)
