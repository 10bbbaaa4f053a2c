"""Parts of a frame carry their header; what contradicts its header is not written."""

import dataclasses
import logging

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from spexbench import extract, read_frame

GRID = (5760, 5800, 0.8)
ARRAYS = ("flux", "ivar", "mask", "resolution", "chi2pix", "pixmask_fraction")


@pytest.fixture(scope="module")
def frame(night):
    return extract(night.preproc, night.psf, wavelength=GRID, specmin=5, model=True)


def assert_rows(part, frame, rows, bins=slice(None)):
    np.testing.assert_array_equal(part.wave, frame.wave[bins])
    for name in ARRAYS:
        np.testing.assert_array_equal(
            getattr(part, name), getattr(frame, name)[rows][..., bins], err_msg=name
        )


@pytest.mark.parametrize(
    "key", [slice(4, 7), [4, 5, 6], np.array([4, 5, 6]), (np.arange(20) // 3 * 3 == 3) | False]
)
def test_a_part_says_whose_it_is(frame, tmp_path, key):
    rows = np.arange(20)[key]
    part = frame[key]
    assert_rows(part, frame, rows)
    assert (part.specmin, part.spectra, part.nspec) == (5 + rows[0], None, 3)
    assert part.model is None
    assert part.meta["NSPEC"] == 3
    part.write(tmp_path / "part.fits")
    with fits.open(tmp_path / "part.fits") as file:
        header = file[0].header
        assert (header["SPECMIN"], header["FIBERMIN"]) == (5 + rows[0], 5 + rows[0])
        assert list(file["FIBERMAP"].data["FIBER"]) == list(5 + rows)
        assert len(file["SCORES"].data) == 3
    back = read_frame(tmp_path / "part.fits")
    np.testing.assert_array_equal(back.fibers, 5 + rows)
    assert back.counts == part.counts


def test_a_part_equals_its_extraction(night, tmp_path, frame):
    """All but the order of keywords, and what counts patches."""
    whole = dataclasses.replace(frame, header=frame.header)
    whole[3:8].write(tmp_path / "part.fits")
    extract(
        night.preproc, night.psf, wavelength=GRID, specmin=8, nspec=5, output=tmp_path / "own.fits"
    )
    with fits.open(tmp_path / "part.fits") as part, fits.open(tmp_path / "own.fits") as own:
        assert set(part[0].header) == set(own[0].header)
        other = {key for key in own[0].header if own[0].header[key] != part[0].header[key]}
        assert other <= {"NPATCH", "CHECKSUM", "DATASUM"}
        assert (part["FIBERMAP"].data == own["FIBERMAP"].data).all()


def test_spectra_that_are_not_consecutive(frame, tmp_path):
    part = frame[[9, 2, 3]]
    assert part.specmin == 14
    np.testing.assert_array_equal(part.fibers, [14, 7, 8])
    part.write(tmp_path / "part.fits")
    assert fits.getheader(tmp_path / "part.fits")["SPECLIST"] == "14,7:9"
    back = read_frame(tmp_path / "part.fits")
    np.testing.assert_array_equal(back.fibers, [14, 7, 8])
    np.testing.assert_array_equal(back.fibermap["FIBER"], [14, 7, 8])
    # A part of the part, which is consecutive again.
    back[1:].write(tmp_path / "two.fits")
    two = read_frame(tmp_path / "two.fits")
    assert (two.specmin, two.spectra) == (7, None)
    assert "SPECLIST" not in two.meta
    np.testing.assert_array_equal(frame.select(fibers=[14, 7, 8]).flux, part.flux)


def test_a_long_list_of_spectra(frame, tmp_path):
    """More than one card holds."""
    bare = type(frame.header)()
    wide = dataclasses.replace(
        frame[:20], spectra=np.arange(100, 500, 20), specmin=100, header=bare
    )
    wide.write(tmp_path / "wide.fits")
    np.testing.assert_array_equal(read_frame(tmp_path / "wide.fits").fibers, wide.fibers)
    read_frame(tmp_path / "wide.fits")[3:4].write(tmp_path / "one.fits")
    assert "SPECLIST" not in fits.getheader(tmp_path / "one.fits")
    assert "CONTINUE" not in fits.getheader(tmp_path / "one.fits")
    assert read_frame(tmp_path / "one.fits").fibers.tolist() == [160]


def test_a_range_of_wavelengths(frame, tmp_path):
    part = frame.select(wave=(5770, 5780))
    inside = slice(13, 26)  # 5770.4 to 5780
    assert_rows(part, frame, slice(None), inside)
    assert_rows(frame[2:4, 13:26], frame, slice(2, 4), inside)
    part.write(tmp_path / "part.fits")
    header = fits.getheader(tmp_path / "part.fits")
    assert (header["WAVEMIN"], header["WAVEMAX"]) == (pytest.approx(5770.4), pytest.approx(5780))
    assert header["NSPEC"] == 20
    one = frame.select(fibers=7, wave=(5775.9, 5776.1))
    assert (one.fibers.tolist(), one.wave.tolist()) == ([7], [pytest.approx(5776)])
    one.write(tmp_path / "one.fits")
    assert read_frame(tmp_path / "one.fits").step == pytest.approx(0.8)


def test_dark_bins_of_a_part(frame):
    ivar = frame.ivar.copy()
    ivar[0, :5] = 0
    dark = dataclasses.replace(frame, ivar=ivar)
    assert dark[:1].counts.dark == 5
    assert dark[:1].meta["NDARK"] == 5
    assert dark[1:].counts.dark == 0


def test_iteration(frame):
    assert len(frame) == 20
    assert [one.specmin for one in frame] == list(range(5, 25))
    assert frame[-1].specmin == 24


@pytest.mark.parametrize(
    ("select", "kind", "line"),
    [
        (lambda f: f[20], IndexError, r"frame\[...\]: 20 \(expected numbers below 20"),
        (lambda f: f[np.ones(19, bool)], IndexError, "expected numbers below 20, a slice, or a"),
        (lambda f: f[[1, 1]], ValueError, "selects a spectrum twice"),
        (lambda f: f[5:5], ValueError, "selects no spectrum"),
        (lambda f: f[1.5], ValueError, "1.5"),
        (lambda f: f["flux"], ValueError, "'flux'"),
        (lambda f: f[1, ::2], ValueError, r"expected a slice of neighbors, such as 100:200"),
        (lambda f: f.select(fibers=4), IndexError, r"fibers: 4 .expected some of 5:25"),
        (lambda f: f.select(fibers=[]), ValueError, "selects no spectrum"),
        (lambda f: f.select(fibers=[7, 7]), ValueError, "selects a spectrum twice"),
        (lambda f: f.select(fibers=[5.5]), IndexError, "fibers: 5.5"),
        (lambda f: f.select(wave=(1, 2)), IndexError, "wave: no bin from 1 to 2 Angstrom"),
        (lambda f: f.select(wave=3), ValueError, "wave: 3 .expected two wavelengths"),
    ],
)
def test_what_is_no_part(frame, select, kind, line):
    with pytest.raises(spexbench.UsageError, match=line) as caught:
        select(frame)
    assert isinstance(caught.value, kind)
    assert "\n" not in str(caught.value)


def by_hand(frame, **changes):
    rows = {name: getattr(frame, name)[10:13] for name in ARRAYS}
    return dataclasses.replace(frame, **rows, **changes)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda f: by_hand(f), "the fibermap has 20 rows, and the frame 3 spectra"),
        (lambda f: by_hand(f, header=f[:3].header, specmin=10), "SPECMIN is 5, and the .* 10"),
        (
            lambda f: dataclasses.replace(f, header=f.header.changed([("FIBERMIN", 7, "")])),
            "FIBERMIN is 7, and the fibermap begins with 5",
        ),
        (lambda f: dataclasses.replace(f, wave=f.wave + 1), "WAVEMIN is 5760, and .* 5761"),
        (lambda f: dataclasses.replace(f, wave=5760 + 2 * (f.wave - 5760)), "WAVEMAX is 5800"),
        (lambda f: dataclasses.replace(f, camera="b0"), "CAMERA is r0, and the frame has b0"),
        (lambda f: dataclasses.replace(f, spectra=np.arange(3)), "spectra are 3 numbers"),
    ],
)
def test_a_header_of_another_frame_is_not_written(frame, tmp_path, change, line):
    with pytest.raises(spexbench.UsageError, match=line):
        change(frame).write(tmp_path / "frame.fits")
    assert not list(tmp_path.iterdir())


def test_a_frame_by_hand_keeps_what_it_states(frame, tmp_path):
    """Without a header, the file gets the keywords that readers need."""
    bare = by_hand(frame, header=type(frame.header)(), specmin=15, heliocor=1.00001)
    bare.write(tmp_path / "frame.fits")
    back = read_frame(tmp_path / "frame.fits")
    assert (back.specmin, back.camera, back.heliocor) == (15, "r0", 1.00001)
    assert back.nwavestep == 50


def test_files_that_contradict_themselves_are_named(frame, tmp_path, caplog):
    frame[:3].write(tmp_path / "frame.fits")
    with fits.open(tmp_path / "frame.fits") as file:
        file[0].header["NSPEC"] = 25
        file.writeto(tmp_path / "odd.fits", checksum=True)
    with caplog.at_level(logging.WARNING, logger="spexbench"):
        odd = read_frame(tmp_path / "odd.fits")
    assert "odd.fits: header: NSPEC is 25, and the frame has 3" in caplog.text
    with pytest.raises(spexbench.UsageError, match="NSPEC is 25"):
        odd.write(tmp_path / "again.fits")
    odd[:].write(tmp_path / "again.fits")  # the header of the part is right
    assert fits.getheader(tmp_path / "again.fits")["NSPEC"] == 3
