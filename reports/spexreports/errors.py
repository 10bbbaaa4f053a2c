"""Errors that a command ends with, as one line."""

from pathlib import Path


class DataError(ValueError):
    """A file that is not what it should be; exit status 1."""

    def __init__(self, file: Path | str, wrong: str, expected: str):
        """What is wrong with the file, and what was expected of it."""
        super().__init__(f"{file}: {wrong} ({expected})")


class UsageError(ValueError):
    """A command line that asks for what cannot be; exit status 2."""

    def __init__(self, argument: str, wrong: str, expected: str):
        """What is wrong with the argument, and what was expected of it."""
        super().__init__(f"{argument}: {wrong} ({expected})")
