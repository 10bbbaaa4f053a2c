"""Extracts many frames with the same threads or on the same GPU."""

from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Unpack

from . import _run
from ._arguments import PathLike, whole
from ._extract import extract
from ._frame import Frame
from ._inputs import ImageLike, PsfLike
from ._options import ExtractOptions
from .errors import UsageError


class ExtractSettings(ExtractOptions, total=False):
    """The keywords of `extract`, except those of the Extractor itself."""

    no_mask: bool
    barycentric_correction: bool
    barycentric_by_obstype: bool
    heliocor: float | None
    iers: PathLike | None
    model: bool | PathLike
    write_f: bool
    rejected: PathLike | None
    progress: _run.Progress | None
    checksums: bool
    output: PathLike | None
    scores: bool
    full_precision: bool
    fibermap_by_row: bool


class Extractor:
    """Extracts many frames, and reads and writes frames during the extraction of others.

    The Extractor starts the GPU, and takes its memory, once. It extracts one frame at a time, as
    fast as its threads or its GPU can. Meanwhile the threads of `submit` read the next frames and
    write the last ones. Methods may be called from any thread. Where `with` ends by Ctrl-C, frames
    in progress stop; by another error, they end, and those that have not begun are canceled.

    Args:
        gpu: on a GPU.
        device: which, counted from 0.
        threads: of the CPU, that extract a frame; None is all that the process may use.
        frames: how many frames `submit` has in memory at once.

    Raises:
        UsageError: there is no such GPU; a number is too small or too large.
        DeviceError: gpu=True, and there is none.

    >>> with Extractor() as extractor:
    ...     futures = [
    ...         extractor.submit(night.preproc, night.psf, specmin=s, nspec=5) for s in (0, 5)
    ...     ]
    ...     [future.result().specmin for future in futures]
    [0, 5]
    """

    def __init__(
        self, *, gpu: bool = False, device: int = 0, threads: int | None = None, frames: int = 3
    ) -> None:
        if not 1 <= whole("frames", frames) <= 64:
            raise UsageError(f"frames: {frames} (expected 1 to 64)")
        self.gpu = bool(gpu)
        self.worker = _run.Worker(self.gpu, device, threads)
        self._pool = ThreadPoolExecutor(frames, thread_name_prefix="spexbench")

    def extract(
        self, preproc: ImageLike, psf: PsfLike, **settings: Unpack[ExtractSettings]
    ) -> Frame:
        """Extracts a frame, as the function `extract` does."""
        return extract(preproc, psf, extractor=self, **settings)

    def submit(
        self, preproc: ImageLike, psf: PsfLike, **settings: Unpack[ExtractSettings]
    ) -> Future[Frame]:
        """Starts to extract a frame; result() returns the Frame or raises errors of `extract`.

        Without an `output` each Frame stays in memory until its Future is gone.
        """
        return self._pool.submit(self.extract, preproc, psf, **settings)

    def close(self) -> None:
        """Waits for the submitted frames. The GPU stays initialized for further use."""
        self._pool.shutdown()

    def __enter__(self) -> "Extractor":
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # After an error, frames that have not started are canceled. Ctrl-C and sys.exit also stop
        # those that have.
        if error is not None and not isinstance(error, Exception):
            self.worker.stop()
        self._pool.shutdown(cancel_futures=error is not None)
