"""Names of input and output files."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import spexbench
from astropy.io import fits
from spexbench import extract
from spexbench_fixtures import BIN, TEN, assert_same


def path_forms(path):
    return path, str(path), os.fsencode(path)


def test_paths_in_any_form(night, ten, tmp_path):
    for preproc, psf in zip(path_forms(night.preproc), path_forms(night.psf), strict=True):
        assert spexbench.read_preproc(preproc).camera == "r0"
        assert spexbench.read_psf(psf).nfiber == 25
        assert_same(extract(preproc, psf, **TEN), ten)
    outputs, models = path_forms(tmp_path / "f.fits"), path_forms(tmp_path / "m.fits")
    for output, model in zip(outputs, models, strict=True):
        extract(night.preproc, night.psf, output=output, model=model, **TEN)
        assert spexbench.compare(output, ten)
        assert fits.getdata(tmp_path / "m.fits").shape == (300, 200)
        (tmp_path / "f.fits").unlink()
        (tmp_path / "m.fits").unlink()


@pytest.mark.parametrize("read", [spexbench.read_preproc, spexbench.read_psf])
def test_invalid_path(read):
    with pytest.raises(spexbench.UsageError, match="path: 3 is not a path") as caught:
        read(3)
    assert "\n" not in str(caught.value)
    with pytest.raises(spexbench.DataError, match="no-such"):
        read(Path("no-such.fits"))


def contents(files):
    return [file.read_bytes() for file in files]


@pytest.mark.parametrize("taken", ["preproc", "psf"])
@pytest.mark.parametrize("argument", ["output", "model"])
def test_no_input_is_overwritten(night, tmp_path, taken, argument):
    files = [tmp_path / "preproc.fits", tmp_path / "psf.fits"]
    for file, source in zip(files, (night.preproc, night.psf), strict=True):
        file.write_bytes(source.read_bytes())
    before = contents(files)
    link = tmp_path / "link.fits"
    link.symlink_to(f"{taken}.fits")
    (tmp_path / "sub").mkdir()
    for name in tmp_path / f"{taken}.fits", link, f"{tmp_path}/sub/../{taken}.fits":
        outputs = {"output": tmp_path / "frame.fits", argument: name}
        line = f"{name}: would overwrite an input (expected another name for the output)"
        with pytest.raises(spexbench.UsageError) as caught:
            extract(*files, **outputs, **TEN)
        assert str(caught.value) == line
        # Before the PSF, for example, is read.
        with pytest.raises(spexbench.UsageError, match="would overwrite"):
            extract(*files, nsubbundles=7, **outputs, **TEN)
    command = [BIN / "spex-cpu", "-i", files[0], "-p", files[1], "-o", files[taken == "psf"]]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.stderr == (
        f"spex-cpu: {tmp_path / taken}.fits: would overwrite an input "
        "(expected another name for the output)\n"
    )
    assert contents(files) == before
    assert not (tmp_path / "frame.fits").exists()


def test_files_in_their_other_form(night, ten, tmp_path):
    packed = tmp_path / "preproc.fits.gz"
    shutil.copy(night.preproc, packed)  # the content says whether it is compressed
    plain, output = tmp_path / "preproc.fits", tmp_path / "frame.fits"
    written = extract(plain, night.psf, output=output, **TEN)
    assert_same(written, ten)
    assert_same(spexbench.read_frame(f"{output}.gz"), spexbench.read_frame(output))
    assert fits.getheader(output)["IN_IMG"] == str(packed)
    with pytest.raises(spexbench.UsageError, match=r"preproc\.fits\.gz: would overwrite an input"):
        extract(plain, night.psf, output=packed, **TEN)
    for write in (
        lambda name: extract(plain, night.psf, output=name, **TEN),
        lambda name: written.write(name),
    ):
        with pytest.raises(
            spexbench.DataError, match=r"frame\.fits\.gz: exists already as .*\.fits"
        ):
            write(f"{output}.gz")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["frame.fits", "preproc.fits.gz"]


def test_the_two_outputs_have_two_names(night, tmp_path):
    file = tmp_path / "f.fits"
    with pytest.raises(spexbench.UsageError) as caught:
        extract(night.preproc, night.psf, output=file, model=f"{tmp_path}/./f.fits", **TEN)
    said = f"{tmp_path}/./f.fits: is the name of both outputs (expected two names)"
    assert str(caught.value) == said
    assert not file.exists()


def test_no_table_of_the_iers_is_overwritten(night, tmp_path):
    table = tmp_path / "finals.fits"
    table.write_text("0")
    arguments = {"barycentric_correction": True, "iers": table, "output": table}
    with pytest.raises(spexbench.UsageError, match=r"finals\.fits: would overwrite an input"):
        extract(night.preproc, night.psf, **arguments)
    assert table.read_text() == "0"
