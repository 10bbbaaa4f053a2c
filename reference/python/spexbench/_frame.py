"""The extracted spectra of one camera."""

from __future__ import annotations  # signatures show npt.NDArray as written

import html
import io
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core, _plot
from ._arguments import PathLike, path_of
from ._convert import to_desispec, to_spectrum, to_table
from ._header import contradiction, for_file, spectra_of, spectra_text
from ._resolution import Resolution, convolve
from ._select import item, select
from .errors import UsageError

if TYPE_CHECKING:
    from astropy.io.fits import Header
    from astropy.table import Table
    from astropy.units import Quantity
    from matplotlib.axes import Axes

log = logging.getLogger("spexbench")

_NO_ASTROPY = "no astropy (expected: pip install 'spexbench[units]')"

#: Units of a Frame's arrays, as astropy reads them.
UNITS = {
    "wave": "Angstrom",
    "flux": "electron / Angstrom",
    "ivar": "Angstrom2 / electron2",
    "mask": "",
    "resolution": "",
    "chi2pix": "",
    "pixmask_fraction": "",
    "f": "electron / Angstrom",
    "model": "electron",
}


@dataclass(frozen=True)
class Counts:
    """Counts of a frame's patches by status, of its bins, and of its fibers."""

    patches: int  #: all patches of the frame
    guarded: int  #: rejected by a guard (extraction.md, section 5.1) and solved as a whole
    fell_back: int  #: solved by eigh because the method failed
    failed: int  #: not solved; their bins are NODATA in the mask
    direct: int  #: for flux="frame": flux solved directly instead of by sweeps
    dark: int  #: bins (not patches) without a usable pixel; their ivar is 0
    overflowed: int  #: bins (not patches) beyond the range of float32; zeroed, NODATA in the mask
    beyond: int  #: bins beyond the wavelengths of the PSF; NODATA in the mask
    pulled: int  #: bins whose flux the prior pulls; BAD2DFIT in the mask
    failed_fit: int  #: fibers for which the fit of the PSF failed
    unfitted: int  #: fibers in bundles whose PSF was not fitted
    tails: int  #: fibers whose PSF has tails, which are ignored
    rejected_pixels: int  #: pixels that reject_pixels rejected
    rejecting: int  #: patches with such a pixel
    reject_rounds: int  #: rounds of rejection


@dataclass(frozen=True, eq=False)
class Frame:
    """Spectra, one row per fiber, as `extract` and `read_frame` return them.

    `frame[10:13]`, `frame[mask]` and `frame.select(fibers=..., wave=...)` are frames of a
    part, with its header and the rows of its fibermap. The caller may keep and change the arrays;
    section 7 of docs/extraction.md describes them. Wavelengths are in vacuum.

    Attributes:
        wave: float64 [nwave], Angstrom, in equal steps; the same for all spectra.
        flux: float64 [nspec, nwave], electron / Angstrom: R times the spectrum, so that the errors
            of the bins are independent.
        ivar: float64 [nspec, nwave], (electron / Angstrom)^-2; 0 where nothing is known.
        mask: uint32 [nspec, nwave], bits of SpecMask; 0 is good.
        resolution: float64 [nspec, 2 ndiag + 1, nwave]: the diagonals of R. Element [k, d, w] is
            R[w + d - ndiag, w] of spectrum k: the column w of R from row w - ndiag down, as
            scipy.sparse.dia_matrix has it with the offsets ndiag ... -ndiag. `R` and `convolve`
            know the order.
        chi2pix: float64 [nspec, nwave]: reduced chi^2 of the pixels of a bin.
        pixmask_fraction: float64 [nspec, nwave]: part of a bin's light on unused pixels, 0 to 1;
            None if the frame's file lacks it.
        f: float64 [nspec, nwave], electron / Angstrom: the spectrum before reconvolution, whose
            errors are correlated; None without write_f=True.
        model: float64 [ny, nx], electron: the model image of the whole frame; None without
            model=True, of a file, and of a part of a frame.
        rejected: uint8 [ny, nx], the bit COSMIC of PixelMask at the pixels that reject_pixels
            rejected; None without it, of a file, and of a part of a frame.
        specmin: the first spectrum, counted from 0 in the PSF.
        camera: such as "r0"; empty if the image does not state it.
        flux_of: "patch" or "frame": what each flux was solved in.
        nwavestep: core bins of a patch.
        heliocor: factor from the telescope's wavelengths to `wave`, which is barycentric; 1
            without a correction.
        counts: patches by status, bins and fibers of the extraction.
        header: header cards and fibermap for `write`; `meta` and `fibermap` show them.
        units: of each array, as astropy reads them.
        spectra: int64 [nspec]: numbers of the spectra in the PSF where they are not consecutive;
            None: specmin, specmin + 1 ...

    >>> frame = extract(night.preproc, night.psf, wavelength=(5760, 5800, 0.8))
    >>> part = frame[10:13]
    >>> part, part.specmin, part.header.number("NSPEC")
    (<Frame r0: 3 spectra, 5760 to 5800 Angstrom>, 10, 3.0)
    """

    wave: npt.NDArray[np.float64]
    flux: npt.NDArray[np.float64]
    ivar: npt.NDArray[np.float64]
    mask: npt.NDArray[np.uint32]
    resolution: npt.NDArray[np.float64]
    chi2pix: npt.NDArray[np.float64]
    pixmask_fraction: npt.NDArray[np.float64] | None
    model: npt.NDArray[np.float64] | None
    specmin: int
    camera: str
    flux_of: str
    nwavestep: int
    heliocor: float
    counts: Counts
    header: _core.Header = field(default_factory=_core.Header, repr=False)
    units: dict[str, str] = field(default_factory=lambda: dict(UNITS))
    spectra: npt.NDArray[np.int64] | None = None
    rejected: npt.NDArray[np.uint8] | None = None
    f: npt.NDArray[np.float64] | None = None

    @property
    def nspec(self) -> int:
        """Number of spectra."""
        return int(self.flux.shape[0])

    @property
    def nwave(self) -> int:
        """Number of wavelength bins."""
        return int(self.flux.shape[1])

    @property
    def ndiag(self) -> int:
        """Diagonals of R on either side of the main one."""
        return int(self.resolution.shape[1] // 2)

    @property
    def step(self) -> float:
        """Step of the wavelengths, Angstrom; of a single one, WAVESTEP of the header, or 1."""
        if self.nwave == 1:
            return self.header.number("WAVESTEP") or 1.0
        return float((self.wave[-1] - self.wave[0]) / (self.nwave - 1))

    @property
    def fibers(self) -> npt.NDArray[np.int64]:
        """Numbers of the spectra, counted from 0 in the PSF: int64 [nspec]."""
        if self.spectra is not None:
            return self.spectra
        return np.arange(self.specmin, self.specmin + self.nspec)

    @property
    def error(self) -> npt.NDArray[np.float64]:
        """Standard deviation of `flux`, electron / Angstrom [nspec, nwave]; infinite for ivar 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(1 / np.sqrt(self.ivar))

    @property
    def snr(self) -> npt.NDArray[np.float64]:
        """Signal to noise of each bin [nspec, nwave]; 0 for ivar 0."""
        return np.asarray(self.flux * np.sqrt(self.ivar))

    @property
    def R(self) -> Resolution:  # noqa: N802 the symbol of docs/extraction.md
        """The resolution matrices: R[k] @ truth[k] is a noiseless flux[k]. Needs scipy.

        R[k] is a scipy.sparse.dia_matrix [nwave, nwave] of spectrum k (from 0 in this frame),
        dimensionless. `convolve` does the same for all spectra, without scipy.
        """
        return Resolution(self.resolution)

    def convolve(self, model: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """R times a model: what this extraction would make of spectra, without noise.

        Within ndiag bins of either end the result lacks the light of wavelengths beyond `wave`.

        Args:
            model: [nspec, nwave] or, the same for all, [nwave], at the wavelengths `wave`, in the
                unit of the result, such as electron / Angstrom.

        Returns:
            float64 [nspec, nwave], to be compared with `flux`.

        Raises:
            UsageError: the model has another shape.

        >>> frame = extract(night.preproc, night.psf, nspec=5, wavelength=(5760, 5800, 0.8))
        >>> flat = frame.convolve(np.ones(frame.nwave))
        >>> bool(np.allclose(flat[:, frame.ndiag : -frame.ndiag], 1, atol=5e-3))
        True
        """
        return convolve(self.resolution, model)

    @property
    def meta(self) -> Header:
        """The primary header of the frame's file, a copy. Needs astropy.

        >>> extract(night.preproc, night.psf, wavelength=(5760, 5776, 0.8)).meta["CAMERA"]
        'r0'
        """
        try:
            from astropy.io.fits import Header
        except ImportError:
            raise ImportError(_NO_ASTROPY) from None
        return Header.fromstring("".join(card.ljust(80) for card in self.header.cards))

    @property
    def fibermap(self) -> Table | None:
        """The fibermap, a row per spectrum, a copy; None without one. Needs astropy.

        >>> frame = extract(night.preproc, night.psf, wavelength=(5760, 5776, 0.8))
        >>> frame[3:6].fibermap["FIBER"].tolist()
        [3, 4, 5]
        """
        try:
            from astropy.table import Table
        except ImportError:
            raise ImportError(_NO_ASTROPY) from None
        if not self.header.fibermap:
            return None
        return Table.read(io.BytesIO(self.header.fibermap), format="fits", hdu=1)

    def __len__(self) -> int:
        return self.nspec

    def __getitem__(self, key: Any) -> Frame:
        """A frame of some spectra by their places: frame[3], frame[10:13], frame[mask].

        Two keys also select neighboring bins: frame[10:13, 100:200]. What is copied: arrays, header
        (NSPEC, SPECMIN, FIBERMIN, WAVEMIN, WAVEMAX of the part) and rows of the fibermap. `counts`
        are those of the whole extraction, except `dark`.

        Raises:
            OutOfRangeError: the frame has no such spectrum (also an IndexError).
            UsageError: nothing is selected, or a spectrum twice, or bins that are no neighbors.
        """
        return item(self, key)

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(self.nspec))

    def select(
        self,
        *,
        fibers: int | Iterable[int] | None = None,
        wave: tuple[float, float] | None = None,
    ) -> Frame:
        """A frame of some fibers and a range of wavelengths, with its header, as frame[...].

        Args:
            fibers: counted from 0 in the PSF, as `specmin` and the attribute `fibers` are.
            wave: first and last wavelength, Angstrom, both included.

        Raises:
            OutOfRangeError: the frame has no such fiber or wavelength (also an IndexError).

        >>> frame = extract(night.preproc, night.psf, specmin=5, nspec=5)
        >>> frame.select(fibers=[7, 9], wave=(6000, 6100))
        <Frame r0: 2 spectra, 6000 to 6100 Angstrom>
        """
        return select(self, fibers, wave)

    def quantity(self, name: str) -> Quantity:
        """An array with its unit, without a copy. Needs astropy.

        >>> frame = extract(night.preproc, night.psf, nspec=5, wavelength=(5760, 5776, 0.8))
        >>> frame.quantity("flux").unit
        Unit("electron / Angstrom")
        """
        try:
            from astropy import units
        except ImportError:
            raise ImportError(_NO_ASTROPY) from None

        if name not in self.units:
            raise UsageError(f"name: unknown {name!r} (expected {', '.join(self.units)})")
        if getattr(self, name) is None:
            raise UsageError(f"name: this frame has no {name} (expected one that has)")
        return units.Quantity(getattr(self, name), self.units[name], copy=False)

    def write(self, path: PathLike, *, scores: bool = True, full_precision: bool = False) -> None:
        """Writes the frame in DESI's form (docs/file-formats.md), for `read_frame` and desispec.

        The file has the header and the fibermap of the image that the frame was extracted from.
        The file holds float32, except with full_precision=True. `model` and `rejected` are not
        written.

        Args:
            path: .fits or .fits.gz. A file of that name is replaced.
            scores: with the HDU SCORES, computed from the arrays; never without a camera.
            full_precision: write float64, and the HDU PIXMASK_FRACTION.

        Raises:
            UsageError: an array has another shape or type, or a value that is not finite, also
                after rounding to float32; or the header contradicts the arrays, as where spectra
                were selected by hand (frame[10:13] takes its header along).
            DataError: the file cannot be written.

        >>> frame = extract(night.preproc, night.psf, nspec=5, wavelength=(5760, 5776, 0.8))
        >>> frame.write(folder / "frame.fits", full_precision=True)
        >>> bool((read_frame(folder / "frame.fits").flux == frame.flux).all())
        True
        """
        arrays: dict[str, Any] = {
            name: np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            for name in ("wave", "flux", "ivar", "resolution", "chi2pix")
        }
        for name in ("pixmask_fraction", "f"):
            array = getattr(self, name)
            arrays[name] = None if array is None else np.ascontiguousarray(array, dtype=np.float64)
        _core.write_spectra(
            path_of("path", path),
            header=for_file(self),
            camera=self.camera,
            mask=np.ascontiguousarray(self.mask, dtype=np.uint32),
            scores=bool(scores),
            full_precision=bool(full_precision),
            **arrays,
        )

    def to_table(self) -> Table:
        """A row per spectrum: its number, FIBER, and arrays [nwave] with units. Needs astropy.

        >>> frame = extract(night.preproc, night.psf, nspec=5, wavelength=(5760, 5776, 0.8))
        >>> table = frame.to_table()
        >>> table["flux"].shape, str(table["flux"].unit), table.meta["CAMERA"]
        ((5, 21), 'electron / Angstrom', 'r0')
        """
        return to_table(self)

    def to_spectrum(self) -> Any:
        """A specutils.Spectrum of all spectra, with InverseVariance. Needs specutils.

        Its mask is true where `mask` is not 0 or nothing is known. Its meta has header, fibermap,
        spectra (their numbers), bits (`mask`) and resolution. `register_with_specutils` makes
        Spectrum.read do the same.
        """
        return to_spectrum(self)

    def to_desispec(self) -> Any:
        """A desispec.frame.Frame of copies of the arrays, with header and fibermap. Needs desispec.

        Its fibers are those of the fibermap, or without one FIBERMIN of the header and so on.
        """
        return to_desispec(self)

    def plot(
        self,
        spectra: int | Iterable[int] | None = None,
        axes: Axes | None = None,
        *,
        model: npt.ArrayLike | None = None,
    ) -> list[Axes]:
        """Plots flux ± σ over wavelength, without masked bins. Needs matplotlib.

        Each spectrum has a panel, whose scale leaves the highest lines out and says how high they
        are.

        Args:
            spectra: which, counted from 0 in this frame; None is five of them.
            axes: where to draw all of them; None makes a figure with panels.
            model: electron / Angstrom [nspec, nwave], drawn over the flux: `convolve` makes it.

        Returns:
            The axes, of matplotlib.

        Raises:
            OutOfRangeError: the frame has no such spectrum.
            ImportError: there is no matplotlib.
        """
        return _plot.plot(self, spectra, axes, model)

    def __repr__(self) -> str:
        ends = f"{self.wave[0]:g} to {self.wave[-1]:g} Angstrom"
        return f"<Frame {self.camera or 'of no camera'}: {self.nspec} spectra, {ends}>"

    def _repr_html_(self) -> str:
        """A table of what the frame holds, for notebooks."""
        good = self.mask == 0
        rows = {
            "camera": self.camera or "none",
            "spectra": f"{self.nspec}: {spectra_text(self.fibers)}",
            "wavelengths": f"{self.nwave}: {self.wave[0]:g} to {self.wave[-1]:g} Å, "
            f"steps of {self.step:.4g} Å",
            "good bins": f"{good.mean():.1%}",
            "median S/N of good bins": f"{np.median(self.snr[good]):.3g}" if good.any() else "none",
            "patches": f"{self.counts.patches}, {self.counts.failed} failed",
        }
        cells = (f"<tr><th>{name}</th><td>{html.escape(v)}</td></tr>" for name, v in rows.items())
        return f"<table><caption>Frame</caption>{''.join(cells)}</table>"


def read_frame(path: PathLike, *, checksums: bool = True) -> Frame:
    """Reads a frame's file from spex-cpu, Frame.write or production (.fits, .gz, .fz).

    Values of float32 become float64 without a change. The model image is no part of the file.

    Args:
        path: the file.
        checksums: compare DATASUM and CHECKSUM where the file has them.

    Raises:
        UsageError: it is no path.
        DataError: the file is missing or malformed, has no such HDUs as a frame has, or a checksum
            is wrong.

    A header that contradicts the arrays, of another program's selection, is logged as a warning.

    >>> written = extract(night.preproc, night.psf, nspec=5, output=night.frame)
    >>> frame = read_frame(night.frame)
    >>> frame, frame.counts == written.counts, frame.header.cards == written.header.cards
    (<Frame r0: 5 spectra, 5760 to 7620 Angstrom>, True, True)
    """
    name = path_of("path", path)
    parts = _core.read_spectra(name, bool(checksums))
    frame = frame_of(parts, model=None, spectra=spectra_of(parts.pop("spectra_list")))
    if wrong := contradiction(frame):
        log.warning("%s: header: %s", name, wrong)
    return frame


def frame_of(parts: dict[str, Any], **others: Any) -> Frame:
    """A Frame from the extension module's dictionary and `others`."""
    counts = Counts(**{one.name: parts.pop(one.name) for one in fields(Counts)})
    return Frame(counts=counts, **parts, **others)
