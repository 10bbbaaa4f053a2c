"""The table of faults, schedules and outcomes: on the terminal, as JSON and in docs/faults.md."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import schedules
from run import ORDER, Row
from soak import Soak

CELLS = {"nothing": "–", "frame": "frame", "run": "run"}


def print_row(row: Row) -> None:
    """A row on the terminal, with what is wrong below it."""
    state = "skip" if row.skipped else "ok  " if row.ok else "FAIL"
    what = f"{row.fault}: {row.where}"
    end = row.skipped or f"{row.runs:3} run(s) {row.seconds:5.1f} s  loses {row.lost}"
    print(f"{state} {what:52} {row.schedule:24} {end}", flush=True)
    for problem in row.problems[:5]:
        print(f"       {problem}")


def print_soak(soak: Soak) -> None:
    """The same of a long run."""
    state = "ok  " if soak.ok else "FAIL"
    print(f"{state} soak, {soak.schedule}: {soak_text(soak)} {soak.problems}", flush=True)


def soak_text(soak: Soak) -> str:
    """Its numbers."""
    return (
        f"{soak.frames} frames in {soak.seconds:.0f} s, {soak.first_mb:.1f} MB and later "
        f"{soak.last_mb:.1f} MB ({soak.bytes_a_frame:.0f} bytes a frame), {soak.first_files} and "
        f"{soak.last_files} open files, {soak.wrong} frames missing or with other bytes"
    )


def as_json(rows: list[Row], soaks: list[Soak]) -> dict:
    """All of it."""
    return {
        "cases": [asdict(row) | {"ok": row.ok} for row in rows],
        "soak": [asdict(soak) | {"ok": soak.ok} for soak in soaks],
    }


def from_json(paths: list[Path]) -> tuple[list[Row], list[Soak]]:
    """What earlier runs have written."""
    rows, soaks = [], []
    for path in paths:
        data = json.loads(path.read_text())
        for rows_of, kind_of, key in ((rows, Row, "cases"), (soaks, Soak, "soak")):
            for one in data[key]:
                one.pop("ok")
                rows_of.append(kind_of(**one))
    return rows, soaks


def kind(row: Row) -> tuple[str, str]:
    """Fault and place, whichever rank it is on."""
    return row.fault, re.sub(r", rank \d+$", ", any rank", row.where)


def escaped(line: str) -> str:
    """A line as code, in a table."""
    line = re.sub(r"/\S*/(?=(out|night)/)", "", line)
    line = re.sub(r"\b(spex-[cg]pu): (\S+: )?(?=frame b\d failed)", r"\1: OUTPUT: ", line)
    line = re.sub(r" on node \S+", " on node NODE", line)
    return "`" + line.replace("|", "\\|") + "`"


def matrix(rows: list[Row]) -> list[str]:
    """A line for each fault, a column for each schedule."""
    names = [s.name for s in schedules.ALL]
    lines = [
        "| fault | where | " + " | ".join(names) + " | runs | longest |",
        "| --- | --- |" + " --- |" * len(names) + " --- | --- |",
    ]
    kinds = list(dict.fromkeys(kind(r) for r in rows if r.schedule in names))
    for one in kinds:
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
            total = [str(sum(r.runs for r in of_kind)), f"{max(r.seconds for r in of_kind):.1f} s"]
            lines.append("| " + " | ".join([*one, *cells, *total]) + " |")
    return lines


def others(rows: list[Row]) -> list[str]:
    """What is in no schedule of the matrix, and what could not be run."""
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
    """One line for each fault, as it was said."""
    lines = ["| fault | line |", "| --- | --- |"]
    seen = set()
    for row in rows:
        if row.line and (row.fault, row.where) not in seen and row.fault not in seen:
            seen.add(row.fault)
            lines.append(f"| {row.fault} | {escaped(row.line)} |")
    return lines


def markdown(rows: list[Row], soaks: list[Soak]) -> str:
    """The generated part of docs/faults.md."""
    failed = sum(not r.ok for r in rows) + sum(not s.ok for s in soaks)
    runs = sum(r.runs for r in rows)
    parts = [
        f"{runs} runs that were disturbed, each completed by another; {failed} cases fell short.",
        "\n".join(matrix(rows)),
    ]
    if rest := others(rows):
        parts.append("\n".join(rest))
    parts.append("\n".join(lines_said(rows)))
    if soaks:
        parts.append("\n".join(f"- {s.schedule}: {soak_text(s)}." for s in soaks))
    return "\n\n".join(parts) + "\n"
