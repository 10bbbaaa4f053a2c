"""Extractors, and how ranks of an MPI communicator share a frame."""

import atexit
import functools
import importlib.metadata
import logging
import os
import pickle
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core
from ._arguments import whole
from .errors import DeviceError, UsageError

T = TypeVar("T")

log = logging.getLogger("spexbench")

_starting = threading.Lock()

# Python's end waits for work in other threads, which ends soon: a thread that asked for the
# interpreter's lock afterwards would abort the process.
atexit.register(_core.wait_for_work)
os.register_at_fork(after_in_child=_core.forget_work)

#: Called as progress(patches done, patches) in the thread that extracts.
Progress = Callable[[int, int], object]


def has_gpu() -> bool:
    """Whether this build has CUDA and this process may use a GPU."""
    return not _core.why_no_gpu()


@functools.cache
def _gpu(device: int) -> tuple[_core.Extractor, threading.Lock]:
    """The GPU's handles and memory, kept for the next frame; and its lock."""
    return _core.gpu_extractor(device), threading.Lock()


def _is_installed(name: str) -> bool:
    """Whether there is a distribution of this name."""
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _check_gpu() -> None:
    """Raises DeviceError if no GPU can be used."""
    if reason := _core.why_no_gpu():
        expected = "a GPU and a build for it, docs/python.md; or gpu=False"
        if _is_installed("spexbench") and _is_installed("spexbench-gpu"):
            reason += "; spexbench and spexbench-gpu are both installed, and have the same files"
            expected = "both to be uninstalled, and spexbench-gpu to be installed again"
        line = f"gpu: {reason} (expected {expected})"
        error = DeviceError(line)
        error.exit_status = 77  # as spex-gpu; a lost GPU gives 1
        raise error


class Worker:
    """An extractor: threads or a GPU."""

    def __init__(self, gpu: bool, device: int, threads: int | None) -> None:
        self._stop = _core.Stop()
        device = whole("device", device)
        threads = None if threads is None else whole("threads", threads)
        if gpu:
            _check_gpu()
            with _starting:  # concurrent first calls would each start the GPU
                self._extractor, self._busy = _gpu(device)
            return
        if threads is not None and not 1 <= threads <= 4096:
            raise UsageError(f"threads: {threads} (expected 1 to 4096)")
        self._extractor = _core.cpu_extractor(threads or _core.default_threads())
        self._busy = threading.Lock()

    def extract(
        self,
        extraction: _core.Extraction,
        rank: int = 0,
        ranks: int = 1,
        progress: Progress | None = None,
    ) -> _core.Share:
        """Extracts the patches of a rank, one frame at a time. Raises StoppedError after `stop`."""
        with self._busy:
            return extraction.extract(self._extractor, rank, ranks, self._stop, progress)

    def stop(self) -> None:
        """Makes frames in progress end soon, and others at once, with StoppedError."""
        self._stop.set()


def warn_of(arrays: dict[str, Any]) -> None:
    """Logs warnings about unusual results, and takes them out of `arrays`."""
    for line in arrays.pop("warnings"):
        log.warning("%s", line)


def on_root(comm: Any, work: Callable[[], T]) -> T:
    """Runs `work` on rank 0 and returns its result, or raises its exception, on every rank.

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
    """Runs `work` on all ranks; returns their results on rank 0, and None on other ranks.

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
    """The value or the exception in a form that can be sent to other ranks."""
    try:
        return work(), None
    except BaseException as error:  # also KeyboardInterrupt: other ranks must not wait
        try:
            pickle.dumps(error)
        except Exception:
            return None, RuntimeError(f"{type(error).__name__}: {error}")
        return None, error
