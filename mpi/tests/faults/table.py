"""The table of faults, schedules and outcomes: as JSON and in docs/faults.md."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import schedules
from run import ORDER, Row
from soak import Soak

CELLS = {"nothing": "–", "frame": "frame", "run": "run"}


def soak_text(soak: Soak) -> str:
    """The numbers of a soak test."""
    return (
        f"{soak.frames} frames in {soak.seconds:.0f} s; memory {soak.first_mb:.1f} MB, later "
        f"{soak.last_mb:.1f} MB ({soak.bytes_a_frame:.0f} bytes a frame); open files "
        f"{soak.first_files}, later {soak.last_files}; {soak.wrong} frames missing or different"
    )


def as_json(kept: list[Row | Soak]) -> dict:
    """All results as JSON."""
    kinds = (("cases", Row), ("soak", Soak))
    return {
        key: [asdict(one) | {"ok": one.ok} for one in kept if isinstance(one, kind)]
        for key, kind in kinds
    }


def from_json(paths: list[Path]) -> list[Row | Soak]:
    """Results of earlier runs."""
    kept: list[Row | Soak] = []
    for path in paths:
        data = json.loads(path.read_text())
        for key, made in (("cases", Row), ("soak", Soak)):
            for one in data[key]:
                one.pop("ok")
                kept.append(made(**one))
    return kept


def kind(row: Row) -> tuple[str, str]:
    """The fault and its place without the rank."""
    return row.fault, re.sub(r", rank \d+$", "", row.where)


def escaped(line: str) -> str:
    """A line formatted as code for a table."""
    line = re.sub(r"/\S*/(?=(out|night)/)", "", line)
    line = re.sub(r"\b(spex-[cg]pu): (\S+: )?(?=frame b\d failed)", r"\1: OUTPUT: ", line)
    line = re.sub(r" on node \S+", " on node NODE", line)
    return "`" + line.replace("|", "\\|") + "`"


def places_of(wheres: list[str]) -> str:
    """`any open of a PSF, any read of a PSF` as `any open, read of a PSF`."""
    groups: dict[tuple[str, str], list[str]] = {}
    for where in wheres:
        found = re.fullmatch(r"((?:any|one|in) |)(\w+)( of .*)", where)
        how, what, of = found.groups() if found else ("", where, "")
        groups.setdefault((how, of), []).append(what)
    return ", ".join(how + ", ".join(what) + of for (how, of), what in groups.items())


def merged(kinds: list[tuple[str, str, list[str]]]) -> list[str]:
    """Table rows of (fault, where, cells); equal cells share a row."""
    groups: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for fault, where, cells in kinds:
        groups.setdefault(tuple(cells), {}).setdefault(fault, []).append(where)
    lines = []
    for cells, places in groups.items():
        faults = "; ".join(f"{fault}: {places_of(wheres)}" for fault, wheres in places.items())
        lines.append("| " + " | ".join([faults, *cells]) + " |")
    return lines


def matrix(rows: list[Row]) -> list[str]:
    """One column per schedule; faults with the same outcomes share a row."""
    names = [s.name for s in schedules.ALL]
    lines = ["| fault: where | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    found = []
    for one in dict.fromkeys(kind(r) for r in rows if r.schedule in names):
        cells = []
        of_kind = [r for r in rows if kind(r) == one]
        for name in names:
            here = [r for r in of_kind if r.schedule == name]
            if not here or all(r.skipped for r in here):
                cells.append("")
                continue
            worst = max((r.lost for r in here), key=ORDER.index)
            cells.append(CELLS[worst] + ("" if all(r.ok for r in here) else ", **wrong**"))
        if any(cells):
            found.append((*one, cells))
    return lines + merged(found)


def others(rows: list[Row]) -> list[str]:
    """Cases outside of the matrix, and skipped cases."""
    names = [s.name for s in schedules.ALL]
    lines = ["| fault | where | schedule | lost |", "| --- | --- | --- | --- |"]
    for row in rows:
        if row.schedule in names and not row.skipped:
            continue
        lost = f"not run: {row.skipped}" if row.skipped else CELLS[row.lost]
        lost += "" if row.ok else ", **wrong**"
        lines.append(f"| {row.fault} | {row.where} | {row.schedule} | {lost} |")
    return lines if len(lines) > 2 else []


def lines_said(rows: list[Row]) -> list[str]:
    """The first line of each fault; lines that differ only in the system's text share a row."""
    lines = ["| fault | line |", "| --- | --- |"]
    first: dict[str, str] = {}
    for row in rows:
        if row.line:
            first.setdefault(row.fault, escaped(row.line))
    groups: dict[str, list[str]] = {}
    for fault, line in first.items():
        groups.setdefault(re.sub(r"(cannot be \w+: ).*", r"\1", line), []).append(fault)
    return lines + [f"| {', '.join(same)} | {first[same[0]]} |" for same in groups.values()]


def markdown(kept: list[Row | Soak]) -> str:
    """The generated part of docs/faults.md."""
    rows = [one for one in kept if isinstance(one, Row)]
    soaks = [one for one in kept if isinstance(one, Soak)]
    failed = sum(not r.ok for r in rows) + sum(not s.ok for s in soaks)
    runs = sum(r.runs for r in rows)
    parts = [
        f"{runs} disturbed runs, each completed by a second run; {failed} cases failed.",
        "\n".join(matrix(rows)),
    ]
    if rest := others(rows):
        parts.append("\n".join(rest))
    parts.append("\n".join(lines_said(rows)))
    if soaks:
        parts.append("\n".join(f"- {s.schedule}: {soak_text(s)}." for s in soaks))
    return "\n\n".join(parts) + "\n"
