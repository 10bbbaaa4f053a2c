"""Errors that a command ends with, as one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class DataError(ValueError):
    """A file that is not what it should be; exit status 1."""

    def __init__(self, what: Path | str, wrong: str, expected: str):
        """The file or argument, what is wrong with it, and what was expected of it."""
        super().__init__(f"{what}: {wrong} ({expected})")


class UsageError(DataError):
    """A command line that asks for what cannot be; exit status 2."""


@contextmanager
def contents_of(path: Path, expected: str) -> Iterator[None]:
    """Names the file if its contents are not as expected."""
    try:
        yield
    except DataError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise DataError(path, f"is broken: {error}", expected) from error
