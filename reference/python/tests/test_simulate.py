"""simulate writes the same files as spex-sim."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import spexbench
from astropy.io import fits

BIN = Path(os.environ["SPEX_BUILD"]) / "bin"


def test_files_equal_those_of_spex_sim(tmp_path):
    frames = spexbench.simulate(
        tmp_path / "ours", cameras="b0,r0", size="tiny", flavor="flat", expid=7, exposures=2
    )
    command = [BIN / "spex-sim", "-o", tmp_path / "theirs", "--cameras", "b0,r0", "--size", "tiny"]
    command += ["--flavor", "flat", "--expid", "7", "--exposures", "2", "--loglevel", "error"]
    subprocess.run(command, check=True)
    assert [(f.camera, f.expid) for f in frames] == [("b0", 7), ("r0", 7), ("b0", 8), ("r0", 8)]
    for frame in frames:
        # The headers of preproc files name the program.
        assert frame.preproc.exists() and (tmp_path / "theirs" / frame.preproc.name).exists()
        ours, theirs = frame.preproc, tmp_path / "theirs" / frame.preproc.name
        a, b = (spexbench.read_preproc(str(file)) for file in (ours, theirs))
        assert (a.image == b.image).all() and (a.ivar == b.ivar).all()
        assert frame.psf.exists() and frame.truth.exists()


def test_wrong_choices(tmp_path):
    with pytest.raises(spexbench.UsageError, match=r"flavor: unknown 'dark' \(expected science or"):
        spexbench.simulate(tmp_path / "night", flavor="dark")


def test_cameras_one_by_one(tmp_path):
    for cameras in (["b0", "r0"], ("b0", "r0"), "b0,r0"):
        frames = spexbench.simulate(
            os.fsencode(tmp_path), cameras=cameras, size="tiny", overwrite=True
        )
        assert [frame.camera for frame in frames] == ["b0", "r0"]


def test_existing_files_stay(tmp_path):
    """Another seed in the same folder, in whatever form."""
    [frame] = spexbench.simulate(tmp_path, size="tiny", seed=1)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for compress in ("none", "gz", "fz"):
        with pytest.raises(spexbench.UsageError, match=r"\.fits: exists .* or overwrite"):
            spexbench.simulate(tmp_path, size="tiny", seed=2, compress=compress)
        assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}
    [other] = spexbench.simulate(tmp_path, size="tiny", seed=2, compress="gz", overwrite=True)
    assert other.preproc.exists() and not frame.preproc.exists()
    assert other.truth.read_bytes() != before[frame.truth]


def test_cosmics_that_the_mask_misses(tmp_path):
    """MASK has COSMIC where the truth says so."""
    [frame] = spexbench.simulate(tmp_path, size="tiny", cosmics=3, unmasked_cosmics=0.5)
    mask = spexbench.read_preproc(frame.preproc).mask
    rays = fits.getdata(frame.truth, "COSMICS")
    masked = np.zeros(mask.shape, bool)
    masked[rays["Y"][rays["MASKED"]], rays["X"][rays["MASKED"]]] = True
    assert (masked == ((mask & 16) != 0)).all()
    assert 0 < rays["MASKED"].sum() < len(rays)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"cameras": ["b0", "q0"]}, "cameras: 'q0' is not a camera"),
        ({"cameras": []}, "cameras: '' is not a camera"),
        ({"cameras": 5}, "cameras: '5' is not a camera"),
        ({"seed": -1}, "seed: '-1'"),
        ({"seed": "x"}, "seed: 'x'"),
        ({"expid": 2**40}, "expid: 1099511627776 .*32-bit"),
        ({"exptime": "long"}, "exptime: 'long' .*a number"),
        ({"threads": 0}, "threads: 0"),
        ({"cosmics": -1}, "cosmics: -1"),
        ({"unmasked_cosmics": 2}, "unmasked_cosmics: 2"),
        ({"compress_level": 0}, "compress_level: 0"),
        ({"psf": 5}, "psf: 5 is not a path"),
    ],
)
def test_wrong_arguments(tmp_path, arguments, line):
    with pytest.raises(spexbench.UsageError, match=line) as caught:
        spexbench.simulate(tmp_path / "night", size="tiny", **arguments)
    assert str(caught.value).startswith(line.split(":")[0])  # not --LINE
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "night").exists()
