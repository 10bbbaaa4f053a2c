"""The seal of a result: a hash of all else in the file, with the key that lies beside it."""

import re
from hashlib import sha256
from pathlib import Path

from spexreports.errors import DataError

FIRST_MINOR = 4  # whose seal is of the whole file
STRING_OR_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|\s+')


def check_seal(path: Path, minor: int) -> None:
    """Throws DataError where a result in a folder of spex-bench was edited.

    Results that were copied without that folder's logs have no key, and are taken as they are.
    """
    key = path.parent / "logs" / "seal-key.txt"
    if minor < FIRST_MINOR or not key.is_file():
        return
    text = STRING_OR_BLANKS.sub(lambda one: one[1] or "", path.read_text(encoding="utf-8"))
    rest, _, seal = text.rpartition(',"seal":"')
    words = key.read_text(encoding="utf-8").partition("\n")[0] + rest + "}"
    if seal != sha256(words.encode()).hexdigest() + '"}':
        raise DataError(path, "was changed since spex-bench wrote it", "the file as it was")
