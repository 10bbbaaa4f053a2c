"""Who extracts, and how the ranks of an MPI communicator share a frame."""

import functools
import logging
import pickle
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core
from ._arguments import whole
from .errors import DeviceError, UsageError

T = TypeVar("T")

log = logging.getLogger("spexbench")

#: Part of the bins without a usable pixel that is warned of, as the programs do.
_UNUSUALLY_DARK = 0.25

_starting = threading.Lock()


def has_gpu() -> bool:
    """Whether this build has CUDA and there is a GPU that this process may use."""
    return not _core.why_no_gpu()


@functools.cache
def _gpu(device: int) -> tuple[_core.Extractor, threading.Lock]:
    """The GPU's handles and memory, kept for the next frame; and its lock."""
    return _core.gpu_extractor(device), threading.Lock()


def _check_gpu() -> None:
    """Raises DeviceError where there is no GPU to be used."""
    if reason := _core.why_no_gpu():
        line = f"gpu: {reason} (expected a GPU and a build for it, docs/python.md; or gpu=False)"
        error = DeviceError(line)
        error.exit_status = 77  # as spex-gpu; a GPU that was lost is a failure, 1
        raise error


class Worker:
    """Who extracts: threads, or a GPU."""

    def __init__(self, gpu: bool, device: int, threads: int | None) -> None:
        device = whole("device", device)
        threads = None if threads is None else whole("threads", threads)
        if gpu:
            _check_gpu()
            with _starting:  # threads that come first together would each start it
                self._extractor, self._busy = _gpu(device)
            return
        if threads is not None and not 1 <= threads <= 4096:
            raise UsageError(f"threads: {threads} (expected 1 to 4096)")
        self._extractor = _core.cpu_extractor(threads or _core.default_threads())
        self._busy = threading.Lock()

    def extract(self, extraction: _core.Extraction, rank: int = 0, ranks: int = 1) -> _core.Share:
        """The patches of a rank; those of one frame at a time."""
        with self._busy:
            return extraction.extract(self._extractor, rank, ranks)


def warn_of(arrays: dict[str, Any]) -> None:
    """Logs what is unusual about the results that the extension module gives."""
    bins = arrays["ivar"].size
    if arrays["dark"] > _UNUSUALLY_DARK * bins:
        part = 100 * arrays["dark"] / bins
        log.warning("%.0f%% of %d bins have no usable pixel: their flux and ivar are 0", part, bins)
    if arrays["failed"]:
        log.warning("%d patches could not be solved; their ivar is 0", arrays["failed"])


def on_root(comm: Any, work: Callable[[], T]) -> T:
    """What `work` gives on rank 0, on every rank; what it raises there, every rank raises.

    Without a communicator it is called, no more.
    """
    if comm is None:
        return work()
    outcome = _outcome(work) if comm.rank == 0 else None
    value: T
    value, error = comm.bcast(outcome, root=0)
    if error is not None:
        raise error
    return value


def everywhere(comm: Any, work: Callable[[], T]) -> list[T] | None:
    """What `work` gives on all ranks, on rank 0, and None on the others.

    What a rank raises, every rank raises.
    """
    if comm is None:
        return [work()]
    value, error = _outcome(work)
    errors = [e for e in comm.allgather(error) if e is not None]
    if errors:
        raise errors[0]
    shares: list[T] | None = comm.gather(value, root=0)
    return shares


def _outcome(work: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    """The value, or the exception, in a form that other ranks understand."""
    try:
        return work(), None
    except BaseException as error:  # KeyboardInterrupt too: the other ranks must not wait
        try:
            pickle.dumps(error)
        except Exception:
            return None, RuntimeError(f"{type(error).__name__}: {error}")
        return None, error
