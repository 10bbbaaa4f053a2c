"""Tables of documents that are quoted from results: written by a command, and checked.

A document holds blocks between `<!-- from results: NAME -->` and `<!-- end -->`; what stands
between is the table of that name.
"""

import re
from pathlib import Path

from spexreports.errors import DataError
from spexreports.page.report import all_tables
from spexreports.results.read import Found, newest
from spexreports.tables.headline import limits

BLOCK = re.compile(r"(<!-- from results: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
MARK = re.compile(r"^<!-- (?:from results: .*|end) -->$", re.MULTILINE)
LIMITS = "limits"


def _check_marks(file: Path, text: str) -> None:
    """That each block begins and ends, and none within another."""
    ends = True
    for mark in MARK.finditer(text):
        ends = not ends
        if ends != mark[0].startswith("<!-- end"):
            line = text.count("\n", 0, mark.start()) + 1
            raise DataError(
                f"{file}:{line}", f"has {mark[0]} out of its place", "an end to each block"
            )
    if not ends:
        raise DataError(file, "has a block without an end", "<!-- end -->")


def blocks(found: Found) -> dict[str, str]:
    """Markdown by name."""
    made = {name: table.markdown() for name, table in all_tables(found).items()}
    results = newest(found.results)
    if lines := limits(results):
        made[LIMITS] = "".join(f"- {line}\n" for line in lines)
    return made


def quote(file: Path, made: dict[str, str]) -> str:
    """The document with its blocks made anew."""
    document = file.read_text(encoding="utf-8")
    _check_marks(file, document)

    def block(match: re.Match) -> str:
        if match[2] not in made:
            raise DataError(file, f"asks for the block {match[2]}", ", ".join(sorted(made)))
        return match[1] + made[match[2]] + match[4]

    return BLOCK.sub(block, document)
