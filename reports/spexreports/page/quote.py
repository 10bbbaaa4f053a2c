"""Writes and checks tables of documents that are quoted from results.

The block between `<!-- from results: NAME -->` and `<!-- end -->` in a document is the table of
that name.
"""

import re
from dataclasses import replace
from pathlib import Path

from spexreports.errors import DataError
from spexreports.page.report import all_tables
from spexreports.results.peer import PeerResult, read_peers
from spexreports.results.read import Found, newest
from spexreports.results.result import Result
from spexreports.tables.agreement import agreement, in_a_sentence
from spexreports.tables.headline import headlines, limits, of_newest_machine, speed_table
from spexreports.tables.provenance import origins
from spexreports.tables.verdicts import accepted

BLOCK = re.compile(r"(<!-- from results: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
MARK = re.compile(r"^<!-- (?:from results: .*|end) -->$", re.MULTILINE)


def first_screen(results: list[Result], peers: list[PeerResult]) -> dict[str, str]:
    """Markdown of the parts of the README's first screen, and of what stands behind them.

    They tell of one machine at one commit, and of all machines whether they were accepted.
    """
    one = of_newest_machine(results)
    table, found = speed_table(one, peers), headlines(one)
    return {
        "headline": replace(table, note="").markdown(),
        "headline-right": f"**Is it right?** {in_a_sentence(found)}\n",
        "headline-accepted": f"**Accepted?** {accepted(results)}\n",
        "headline-provenance": f"{table.note} {origins(one, peers)}\n",
        "headline-agreement": f"{agreement(found)}\n",
    }


def blocks(found: Found) -> dict[str, str]:
    """Markdown of the tables by name."""
    tables, results = all_tables(found), newest(found.results)
    made = {name: table.markdown() for name, table in tables.items()}
    made["agreement"] = f"{agreement(results)}\n"
    if "headline" in tables:
        peers, table = read_peers(found.peers), tables["headline"]
        whole = replace(table, note=f"{table.note} {origins(results, peers)}")
        made |= {"machines": whole.markdown()} | first_screen(results, peers)
        results = of_newest_machine(results)
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
