"""Errors that end a command with one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class DataError(ValueError):
    """A file is not what it should be; exit status 1."""

    def __init__(self, what: Path | str, wrong: str, expected: str):
        """The file or argument, its fault, and what was expected."""
        super().__init__(f"{what}: {wrong} ({expected})")


class UsageError(DataError):
    """A command line cannot be carried out; exit status 2."""


class AnsweredError(Exception):
    """An answer other than yes was printed; the argument is the exit status."""


@contextmanager
def contents_of(path: Path, expected: str) -> Iterator[None]:
    """Names the file if its contents are not as expected."""
    try:
        yield
    except DataError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise DataError(path, f"is broken: {error}", expected) from error
