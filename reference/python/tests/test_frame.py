"""Writing, reading and plotting of a Frame."""

import dataclasses
import io
import pickle

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
import spexbench
from astropy.io import fits
from spexbench import Frame, extract, make_preproc, read_frame, read_preproc
from spexbench_fixtures import SMALL

matplotlib.use("Agg")

ARRAYS = ("wave", "flux", "ivar", "mask", "resolution", "chi2pix", "pixmask_fraction")


def assert_equal(frame: Frame, other: Frame) -> None:
    for field in dataclasses.fields(Frame):
        ours, theirs = getattr(frame, field.name), getattr(other, field.name)
        if field.name == "header":
            assert (ours.cards, ours.fibermap) == (theirs.cards, theirs.fibermap)
        else:
            np.testing.assert_equal(ours, theirs, err_msg=field.name)


@pytest.mark.parametrize("name", ["frame.fits", "frame.fits.gz"])
def test_values_survive_writing(frame, tmp_path, name):
    frame.write(tmp_path / name, full_precision=True)
    back = read_frame(tmp_path / name)
    for array in ARRAYS:
        np.testing.assert_array_equal(getattr(back, array), getattr(frame, array), err_msg=array)
    for one in ("specmin", "camera", "flux_of", "nwavestep", "heliocor", "counts"):
        assert getattr(back, one) == getattr(frame, one)
    assert back.header.cards == frame.header.cards


def test_the_file_equals_the_extractions(frame, file, tmp_path):
    """Including FIBERMAP, SCORES and the header."""
    frame.write(tmp_path / "frame.fits")
    assert spexbench.compare(tmp_path / "frame.fits", file, tolerance="identical")
    with fits.open(tmp_path / "frame.fits") as ours, fits.open(file) as theirs:
        assert [hdu.name for hdu in ours] == [hdu.name for hdu in theirs]
        assert set(ours[0].header) == set(theirs[0].header)
        for key in set(ours[0].header) - {"CHECKSUM", "DATASUM"}:
            assert ours[0].header[key] == theirs[0].header[key]


def test_reading_and_writing_preserve_a_file(file, tmp_path):
    again, twice = tmp_path / "again.fits", tmp_path / "twice.fits"
    frame = read_frame(file)
    assert frame.pixmask_fraction is None
    frame.write(again)
    assert_equal(read_frame(again), frame)
    read_frame(again).write(twice)
    assert twice.read_bytes() == again.read_bytes()
    with fits.open(file) as before, fits.open(again) as after:
        for name in ("FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION", "CHI2PIX"):
            assert before[name].data.dtype == after[name].data.dtype
            np.testing.assert_array_equal(before[name].data, after[name].data)
        np.testing.assert_array_equal(before["FIBERMAP"].data, after["FIBERMAP"].data)
    with pytest.raises(spexbench.UsageError, match=r"full_precision: .* no pixmask_fraction"):
        frame.write(again, full_precision=True)


def test_the_fibermap_and_the_cards_are_there(frame):
    [_, fibermap] = fits.open(io.BytesIO(frame.header.fibermap))
    assert fibermap.name == "FIBERMAP"
    header = fits.Header.fromstring("".join(card.ljust(80) for card in frame.header.cards))
    assert (header["CAMERA"], header["SPECMIN"], header["SPEXPROG"]) == ("r0", 3, "spexbench")


def test_a_frame_is_pickled_with_its_header(frame, tmp_path):
    back = pickle.loads(pickle.dumps(frame))
    assert_equal(back, frame)
    for one, name in ((frame, "a.fits"), (back, "b.fits")):
        one.write(tmp_path / name)
    assert (tmp_path / "a.fits").read_bytes() == (tmp_path / "b.fits").read_bytes()


def test_changed_arrays_are_written(frame, tmp_path):
    changed = dataclasses.replace(frame, flux=(2 * frame.flux).astype(">f4"))
    changed.write(tmp_path / "frame.fits")
    np.testing.assert_array_equal(read_frame(tmp_path / "frame.fits").flux, changed.flux)


def test_a_frame_of_arrays_has_no_fibermap(night, tmp_path):
    image = read_preproc(night.preproc)
    frame = extract(make_preproc(image.image, image.ivar, image.mask), night.psf, **SMALL)
    frame.write(tmp_path / "frame.fits")
    with fits.open(tmp_path / "frame.fits") as written:
        assert not {"FIBERMAP", "SCORES"} & {hdu.name for hdu in written}
    assert read_frame(tmp_path / "frame.fits").camera == ""


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"flux": np.full((5, 51), np.nan)}, "flux: has a value that is not finite"),
        ({"chi2pix": np.full((5, 51), 1e39)}, r"chi2pix: has a value beyond float32 \(expected at"),
        ({"ivar": np.zeros((5, 50))}, r"ivar: has the shape 5 x 50 \(expected 5 x 51\)"),
        ({"resolution": np.zeros((5, 4, 51))}, "resolution: "),
    ],
)
def test_wrong_arrays_are_rejected(frame, tmp_path, change, line):
    with pytest.raises(spexbench.UsageError, match=line):
        dataclasses.replace(frame, **change).write(tmp_path / "frame.fits")
    assert not list(tmp_path.iterdir())


def test_full_precision_holds_more_than_float32(frame, tmp_path):
    large = dataclasses.replace(frame, chi2pix=np.full((5, 51), 1e39))
    large.write(tmp_path / "frame.fits", full_precision=True)
    np.testing.assert_array_equal(read_frame(tmp_path / "frame.fits").chi2pix, large.chi2pix)


def test_bins_beyond_float32(night, tmp_path, caplog):
    image = read_preproc(night.preproc)
    ivar = image.ivar.copy()
    ivar[120, 100] = 3e38
    odd = make_preproc(image.image, ivar, image.mask, "r0")
    grid = (5760, 5880, 0.8)
    frame = extract(odd, night.psf, wavelength=grid, output=tmp_path / "frame.fits")
    nodata = (frame.mask & 256) != 0
    assert frame.counts.overflowed == nodata.sum() > 0
    assert f"{nodata.sum()} bins are beyond the range of float32" in caplog.text
    assert not frame.ivar[nodata].any() and not frame.flux[nodata].any()
    with np.errstate(over="raise"):
        frame.ivar.astype(np.float32)
    assert read_frame(tmp_path / "frame.fits").counts == frame.counts


def test_wrong_names_and_files_are_rejected(frame, file, night, tmp_path):
    with pytest.raises(spexbench.DataError, match=r"a\.txt: is not the name of a FITS file"):
        frame.write(tmp_path / "a.txt")
    with pytest.raises(spexbench.DataError, match=r"none\.fits: no such file"):
        read_frame(tmp_path / "none.fits")
    with pytest.raises(spexbench.DataError, match="no HDU"):
        read_frame(night.preproc)
    with fits.open(file) as hdus:
        hdus["IVAR"].data = hdus["IVAR"].data[:, :-1]
        hdus.writeto(tmp_path / "cut.fits", checksum=True)
    with pytest.raises(spexbench.DataError, match=r"IVAR has the shape 5 x 50 \(expected 5 x 51\)"):
        read_frame(tmp_path / "cut.fits")


def test_plot(frame):
    panels = frame.plot()
    assert len(panels) == 5
    [line] = panels[0].lines
    np.testing.assert_array_equal(line.get_xdata(), frame.wave)
    shown = line.get_ydata()
    good = (frame.ivar[0] > 0) & (frame.mask[0] == 0)
    np.testing.assert_array_equal(shown[good], frame.flux[0][good])
    assert np.isnan(shown[~good]).all()
    [one] = frame.plot(2)
    assert frame.plot([1, 2], one) == [one]
    assert [line.get_label() for line in one.lines] == [f"spectrum {k}" for k in (5, 4, 5)]
    with pytest.raises(spexbench.OutOfRangeError, match=r"spectra: 5 \(expected 0 to 4\)"):
        frame.plot([0, 5])
    with pytest.raises(spexbench.UsageError, match="spectra: none"):
        frame.plot([])
    matplotlib.pyplot.close("all")


def test_panels_of_many_spectra(night):
    """None is empty, and a high line does not hide the others."""
    frame = extract(night.preproc, night.psf, wavelength=(5760, 5800, 0.8))
    flux = frame.flux.copy()
    flux[3, 20] = 1e6
    high = dataclasses.replace(frame, flux=flux)
    panels = high.plot(range(25), model=frame.convolve(frame.flux))
    panels[0].figure.canvas.draw()
    assert len(panels) == 25
    assert min(panel.get_window_extent().height for panel in panels) > 40
    assert panels[3].get_ylim()[1] < 1e5
    assert "1e+06" in panels[3].texts[0].get_text()
    np.testing.assert_array_equal(panels[2].lines[1].get_ydata(), frame.convolve(frame.flux)[2])
    matplotlib.pyplot.close("all")


def test_what_notebooks_show(frame):
    assert "<td>5: 3:8</td>" in frame._repr_html_()
    assert "51: 5760 to 5800 Å, steps of 0.8 Å" in frame._repr_html_()


def test_a_frame_of_one_wavelength(night, tmp_path):
    """A single bin is drawn as a point with its error, in panels and on given axes."""
    file = tmp_path / "one.fits"
    grid = {"wavelength": (5780, 5780, 0.8)}
    frame = extract(night.preproc, night.psf, output=file, model=True, **grid)
    wide = extract(night.preproc, night.psf, wavelength=(5772, 5788, 0.8))
    # The bins beyond count in the same way, as the padding of either grid.
    middle = np.argmin(np.abs(wide.wave - 5780))
    np.testing.assert_allclose(frame.flux[:, 0], wide.flux[:, middle], rtol=5e-2)
    assert frame.nwave == 1 and read_frame(file).step == frame.step == 0.8
    for drawn in (frame.plot(model=np.ones(1)), frame.plot(2, matplotlib.pyplot.figure().gca())):
        for axes in drawn:
            axes.figure.canvas.draw()
            points = [line for line in axes.lines if line.get_marker() == "o"]
            assert points and all(len(line.get_xdata()) == 1 for line in points)
            assert axes.containers, "the error"
    matplotlib.pyplot.close("all")
    axes = spexbench.read_psf(night.psf).plot(wave=5780.0)
    axes.figure.canvas.draw()
    matplotlib.pyplot.close("all")
