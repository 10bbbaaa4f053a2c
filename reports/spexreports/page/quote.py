"""Writes and checks tables of documents that are quoted from results.

The block between `<!-- from results: NAME -->` and `<!-- end -->` in a document is the table of
that name.
"""

import re
from pathlib import Path

from spexreports.errors import DataError
from spexreports.page.report import all_tables
from spexreports.results.peer import read_peers
from spexreports.results.read import Found, newest
from spexreports.tables.headline import limits, of_newest_commit, speed_table

BLOCK = re.compile(r"(<!-- from results: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
MARK = re.compile(r"^<!-- (?:from results: .*|end) -->$", re.MULTILINE)


def blocks(found: Found) -> dict[str, str]:
    """Markdown of the tables by name."""
    made = {name: table.markdown() for name, table in all_tables(found).items()}
    results = newest(found.results)
    # Documents tell of one commit first, and of all machines elsewhere.
    if "headline" in made:
        made["machines"] = made["headline"]
        results = of_newest_commit(results)
        made["headline"] = speed_table(results, read_peers(found.peers)).markdown()
    if lines := limits(results):
        made["limits"] = "".join(f"- {line}\n" for line in lines)
    return made


def quote(file: Path, made: dict[str, str]) -> str:
    """The document with updated blocks."""
    document = file.read_text(encoding="utf-8")
    whole = [mark for block in BLOCK.finditer(document) for mark in MARK.findall(block[0])]
    if whole != MARK.findall(document) or len(whole) != 2 * len(BLOCK.findall(document)):
        raise DataError(file, "has a misplaced mark", "an end to each block")

    def block(match: re.Match) -> str:
        if match[2] not in made:
            raise DataError(file, f"has the unknown block {match[2]}", ", ".join(sorted(made)))
        return match[1] + made[match[2]] + match[4]

    return BLOCK.sub(block, document)
