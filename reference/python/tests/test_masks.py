"""Masks of images: which pixels are rejected, and which masks are refused."""

import pickle
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
import spexbench
from astropy.io import fits
from spexbench import extract
from spexbench_fixtures import BIN, TEN, assert_same


def test_mask_rejects(night, ten):
    preproc = spexbench.read_preproc(str(night.preproc))
    mask = np.zeros(preproc.mask.shape, dtype=np.uint32)
    mask[:, 10:30] = 4
    masked = extract({"image": preproc.image, "ivar": preproc.ivar, "mask": mask}, night.psf, **TEN)
    zeroed = extract(
        {"image": preproc.image, "ivar": np.where(mask == 0, preproc.ivar, 0), "mask": None},
        night.psf,
        **TEN,
    )
    assert_same(masked, zeroed)
    assert (masked.pixmask_fraction > ten.pixmask_fraction + 0.5).any()


def without_mask(path, name):
    with fits.open(path) as hdus:
        fits.HDUList([hdu for hdu in hdus if hdu.name != "MASK"]).writeto(name, checksum=True)
    return name


def test_images_without_a_mask(night, tmp_path):
    file = without_mask(night.preproc, tmp_path / "preproc-r0.fits")
    preproc = spexbench.read_preproc(night.preproc)
    image, ivar = preproc.image, preproc.ivar
    hint = r"\(expected one.*no.mask.* all pixels as good\)"
    forms = {
        f"{file}: has no HDU MASK": file,
        "image: the mapping has no mask": {"image": image, "ivar": ivar, "msk": preproc.mask},
        "image: SimpleNamespace has no mask": SimpleNamespace(pix=image, ivar=ivar),
    }
    said = extract({"image": image, "ivar": ivar, "mask": None, "camera": "r0"}, night.psf, **TEN)
    assert any(card.startswith("NOMASK  =                    T") for card in said.header.cards)
    for line, form in forms.items():
        with pytest.raises(spexbench.Error, match=line + " " + hint):
            extract(form, night.psf, **TEN)
        frame = extract(form, night.psf, no_mask=True, **TEN)
        assert_same(frame, said)
    with pytest.raises(spexbench.DataError, match="no HDU MASK"):
        spexbench.read_preproc(file)
    read = spexbench.read_preproc(file, no_mask=True)
    assert not read.has_mask and not read.mask.any()
    assert_same(extract(read, night.psf, **TEN), said)
    assert not pickle.loads(pickle.dumps(read)).has_mask
    masked = extract(night.preproc, night.psf, no_mask=True, **TEN)  # a mask that exists counts
    assert not any(card.startswith("NOMASK") for card in masked.header.cards)
    assert_same(masked, extract(night.preproc, night.psf, **TEN))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_mask_keeps_its_bits(night, dtype):
    preproc = spexbench.read_preproc(night.preproc)
    high = -(2**31) if dtype in (np.int32, np.int64) else 2**31
    mask = np.full(preproc.mask.shape, high, dtype=dtype)
    made = spexbench.make_preproc(preproc.image, preproc.ivar, mask)
    np.testing.assert_array_equal(made.mask, np.uint32(2**31))


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (np.int64(2**32), r"mask: holds 4294967296 \(expected 32-bit integers\)"),
        (np.int64(-(2**31) - 1), r"mask: holds -2147483649 \(expected 32-bit"),
        (np.uint64(2**63), "mask: holds 9223372036854775808"),
        (4.0, r"mask: is of float64 \(expected integers\)"),
    ],
)
def test_mask_of_invalid_numbers(night, value, line):
    preproc = spexbench.read_preproc(night.preproc)
    mask = np.zeros(preproc.mask.shape, dtype=np.asarray(value).dtype)
    mask[7, 9] = value
    with pytest.raises(spexbench.UsageError, match=line):
        spexbench.make_preproc(preproc.image, preproc.ivar, mask)
    with pytest.raises(spexbench.UsageError, match=line):
        extract({"image": preproc.image, "ivar": preproc.ivar, "mask": mask}, night.psf, **TEN)


def test_mask_bits_agree_with_the_command_line(night, ten):
    preproc = spexbench.read_preproc(night.preproc)
    mask = preproc.mask.copy()
    mask[:, 10:30] |= 256  # BADREADNOISE
    image = {"image": preproc.image, "ivar": preproc.ivar, "mask": mask}
    assert_same(extract(image, night.psf, mask_bits="0x2FF", **TEN), ten)
    rejected = extract(image, night.psf, mask_bits=2**32 - 1, **TEN)
    assert (rejected.pixmask_fraction > ten.pixmask_fraction + 0.5).any()
    for bits in "all", "1023", "0X3ff", np.int64(1023):
        assert_same(extract(image, night.psf, mask_bits=bits, **TEN), rejected)


@pytest.mark.parametrize("bits", ["-1", -1, 2**40, "0x", "0x1FFFFFFFF", "some", 1.5])
def test_invalid_mask_bits(night, tmp_path, bits):
    with pytest.raises(spexbench.UsageError) as caught:
        extract(night.preproc, night.psf, mask_bits=bits, **TEN)
    command = [BIN / "spex-cpu", "-i", night.preproc, "-p", night.psf, "-o", tmp_path / "f.fits"]
    said = subprocess.run(
        [*command, f"--mask-bits={bits}"], capture_output=True, text=True, check=False
    )
    assert said.returncode == caught.value.exit_status == 2
    in_python = str(caught.value).replace("mask_bits", "--mask-bits")
    assert said.stderr.splitlines()[-1] == f"spex-cpu: {in_python}"
