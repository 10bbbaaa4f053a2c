"""The page of a comparison with DESI's pipeline: `spex-reports production`."""

from pathlib import Path
from typing import Any

from spexreports.figures.production import frames_figure, patches_figure, sizes_figure
from spexreports.page.page import picture, write_page
from spexreports.results.production import (
    Difference,
    Pair,
    Report,
    by_reason,
    read_production,
    together,
)
from spexreports.tables.table import Table

MOST_ROWS = 60  # of a table


def _size(value: float) -> str:
    """A difference in two digits."""
    return f"{value:.2g}" if value == value else "not a number"


def _frames(pairs: list[Pair]) -> Table | None:
    """A row for each frame; those that fail come first."""
    ordered = sorted(pairs, key=lambda one: one.ok)
    rows = []
    for one in ordered[:MOST_ROWS]:
        row = {"frame": one.name, "verdict": one.verdict, "bins": f"{one.compared:,}"}
        for agreement in one.agreements:
            row[agreement.what] = _size(agreement.largest)
        if one.agreements:
            row["rms flux pull"] = _size(one.agreements[0].rms)
        rows.append(row)
    rest = len(pairs) - len(rows)
    note = "Largest differences of the stored values, in bins with light in both frames."
    if rest > 0:
        note += f" {rest} more frames are not shown."
    return Table.of("frames", "Frames", rows, note, text_columns=("verdict",))


def _where(pair: Pair, one: Difference) -> dict[str, str]:
    return {
        "frame": pair.name,
        "HDU": one.hdu,
        "what": one.what,
        "values": f"{one.count:,}",
        "largest": _size(one.largest) if one.largest != 0 else "",
        "fibers": one.fibers,
        "more": "; ".join(text for text in (one.note, *pair.looks_like) if text),
    }


def _unexpected(pairs: list[Pair]) -> Table | None:
    """Differences without a reason, and frames that could not be compared."""
    rows = [_where(pair, one) for pair in pairs for one in pair.unexpected]
    rows += [
        {"frame": one.name, "HDU": "", "what": one.error, "values": "", "largest": ""}
        | {"fibers": "", "more": ""}
        for one in pairs
        if one.error
    ]
    note = f"{len(rows) - MOST_ROWS} more are not shown." if len(rows) > MOST_ROWS else ""
    text_columns = ("HDU", "what", "fibers", "more")
    return Table.of("unexpected", "Not expected", rows[:MOST_ROWS], note, text_columns=text_columns)


def _expected(report: Report) -> Table | None:
    """Differences with a reason."""
    rows = [
        {
            "HDU": one.hdu,
            "what": one.what,
            "values": f"{one.count:,}",
            "frames": f"{frames:,}",
            "largest": _size(one.largest) if one.largest != 0 else "",
            "why": report.sentences.get(one.reason or "", one.reason),
        }
        for one, frames in by_reason(report.pairs)
    ]
    return Table.of("expected", "Expected, and why", rows, text_columns=("what", "why"))


def _lead(report: Report) -> str:
    """Counts of frames."""
    missing = sum(bool(one.missing_in) for one in report.pairs)
    bad = sum(not one.ok and not one.missing_in for one in report.pairs)
    text = f"Frames compared: {len(report.compared)}. "
    text += f"Not as expected: {bad}." if bad else "Every difference is expected."
    if missing:
        text += f" Without a counterpart: {missing}."
    return text


def production_report(path: Path, out: Path) -> list[Path]:
    """Writes the page of a report of `spex-compare --production --json`."""
    report = read_production(path)

    def fill(folder: Path) -> dict[str, Any]:
        drawn = [("verdicts", "Frames", "", frames_figure(report, "Verdicts"))]
        if report.compared:
            sizes = sizes_figure(together(report.compared), report.edges, "Differences")
            patches = patches_figure(report.compared, "Where fluxes differ most")
            drawn += [
                ("sizes", "Differences", "", sizes),
                ("patches", "Where fluxes differ most", "All frames of an arm.", patches),
            ]
        return {
            "name": report.label or Path(report.production).name or report.production,
            "lead": _lead(report),
            "made": ", ".join(
                [f"spexbench {report.version}"]
                + [f"desispec {one}" for one in report.desispec]
                + report.extractors
            ),
            "verdict": "ok" if report.ok else "FAIL",
            "tables": [_unexpected(report.pairs), _expected(report), _frames(report.pairs)],
            "pictures": {name: picture(name, *rest, folder) for name, *rest in drawn},
        }

    return write_page(out, "production.html.j2", fill)
