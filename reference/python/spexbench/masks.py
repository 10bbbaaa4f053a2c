"""The bits of masks, by their names in DESI (docs/extraction.md, sections 1 and 7)."""

from enum import IntFlag


class SpecMask(IntFlag):
    """Bits of `Frame.mask`: what is wrong with a bin of a spectrum; 0 is good.

    >>> SpecMask(257)
    <SpecMask.SOMEBADPIX|NODATA: 257>
    >>> frame = extract(night.preproc, night.psf, nspec=5, wavelength=(5760, 5776, 0.8))
    >>> int(((frame.mask & SpecMask.NODATA) != 0).sum())
    0
    """

    SOMEBADPIX = 1 << 0  #: more than half of the bin's light fell on unused pixels
    ALLBADPIX = 1 << 1  #: all of it
    BAD2DFIT = 1 << 7  #: the model does not explain the pixels, or the prior pulls the bin
    NODATA = 1 << 8  #: not solved, without light, or beyond float32
    BADCOLUMN = 1 << 10  #: of desi_proc, not of an extraction


class PixelMask(IntFlag):
    """Bits of `Preproc.mask`: what is wrong with a pixel; 0 is good.

    Pixels with any of these bits are not used, except BADREADNOISE (`mask_bits` of `extract`).

    >>> PixelMask(20)
    <PixelMask.DEAD|COSMIC: 20>
    """

    BAD = 1 << 0  #: of the mask of bad pixels
    HOT = 1 << 1  #: high dark current
    DEAD = 1 << 2  #: no response
    SATURATED = 1 << 3  #: full well
    COSMIC = 1 << 4  #: hit by a cosmic ray
    PIXFLATZERO = 1 << 5  #: 0 in the pixel flat
    PIXFLATLOW = 1 << 6  #: low in the pixel flat
    HIGHVAR = 1 << 7  #: high variance
    BADREADNOISE = 1 << 8  #: of an amplifier with high read noise; used all the same
    BADAMP = 1 << 9  #: of a bad amplifier
