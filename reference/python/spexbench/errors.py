"""The exceptions of spexbench: one for each kind of error.

``str(error)`` is the line that the programs print: what is wrong and what was expected. What a
program's exit status would be is ``exit_status`` (docs/results.md). Patches that cannot be solved
are no errors but counted in the frame.
"""


class Error(RuntimeError):
    """Any error of spexbench."""

    #: Exit status of a program that ends with this error.
    exit_status = 1


class UsageError(Error, ValueError):
    """Arguments ask for something impossible."""

    exit_status = 2


class OutOfRangeError(UsageError, IndexError):
    """A frame has no such spectrum or wavelength."""


class DataError(Error, OSError):
    """A file is missing, malformed, or cannot be written. Also an OSError, without errno."""

    # OSError has a text of its own.
    __str__ = RuntimeError.__str__


class DeviceError(Error):
    """There is no GPU (exit_status 77), or the GPU was lost."""


class InternalError(Error):
    """A library call failed, and the caller is not the cause."""


class StoppedError(Error):
    """The extraction was stopped: Python ends, or a `with Extractor()` ends by Ctrl-C."""
