"""Header and fibermap of an image in memory, such as desispec's Image, in the form of files."""

import io
from typing import Any

from .errors import UsageError


def _need_astropy() -> None:
    try:
        import astropy.io.fits  # noqa: F401
    except ImportError:
        raise ImportError(
            "no astropy, which an image with a header or a fibermap needs "
            "(expected: pip install 'spexbench[units]')"
        ) from None


def cards_of(meta: Any, camera: str) -> list[str]:
    """The cards of a header, astropy's or a mapping, which has no comments. Empty for None."""
    if not meta:
        return []
    _need_astropy()
    from astropy.io import fits

    try:
        if isinstance(meta, fits.Header):
            header = meta.copy(strip=True)
        else:
            header = fits.Header(
                [(key, meta[key]) for key in meta if key not in ("", "COMMENT", "HISTORY")]
            )
            header.strip()
        if camera:
            header["CAMERA"] = camera
        return [str(card) for one in header.cards for card in _lines(one)]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"image: its header: {error} (expected a FITS header)") from error


def _lines(card: Any) -> list[str]:
    """A card, or several that continue each other, of 80 characters each."""
    text = str(card)
    return [text[i : i + 80] for i in range(0, len(text), 80)]


def fibermap_of(table: Any) -> bytes:
    """A FITS file with the table FIBERMAP, of an astropy Table or a NumPy table; empty for None."""
    if table is None:
        return b""
    _need_astropy()
    from astropy.io import fits
    from astropy.table import Table

    try:
        hdu = fits.table_to_hdu(Table(table))
        hdu.name = "FIBERMAP"
        file = io.BytesIO()
        fits.HDUList([fits.PrimaryHDU(), hdu]).writeto(file)
        return file.getvalue()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"image: its fibermap: {error} (expected a table)") from error
