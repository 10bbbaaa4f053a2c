"""Samples of committed results, without most checks of their frames (see data)."""

import html
import json
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from functools import cache
from io import StringIO
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from spexreports.__main__ import main  # noqa: E402
from spexreports.results.read import Found, find, parse_result  # noqa: E402
from spexreports.results.result import CLOCKS, Result  # noqa: E402
from spexreports.tables.table import Table  # noqa: E402

DATA = ROOT / "reports/tests/data"
RESULTS = ROOT / "reports/results"


@cache
def committed() -> Found:
    """What reports/results holds, read and validated once a process."""
    return find([RESULTS])


def data(name: str) -> dict:
    """The JSON of a sample, for editing."""
    return json.loads((DATA / f"{name}.json").read_text())


def result(name: str, edited: dict | None = None) -> Result:
    """The result of a sample, or of edited JSON."""
    return parse_result(DATA / f"{name}.json", edited or data(name))


def faster(sample: dict, factor: float) -> dict:
    """The same result with its times and statistics multiplied by a factor."""
    made = deepcopy(sample)
    for one in made["record"]["timing"]["samples"]:
        for clock in CLOCKS:
            one[f"{clock}_s"] /= factor
    for clock in CLOCKS:
        for name, scale in (("seconds", 1 / factor), ("fpnh", factor)):
            statistic = made["derived"]["fom"][clock][name]
            for key in ("median", "mad", "low", "high"):
                statistic[key] = statistic[key] and statistic[key] * scale
            statistic["samples"] = [value * scale for value in statistic["samples"]]
    return made


def sweep_point(x: float | str, kind: str, factor: float, ranks: int = 1) -> dict:
    """A sample as a point of a sweep."""
    made = faster(data("pipeline"), factor)
    made["record"] |= {"entry": f"{kind}-{x}", "run_id": "sweep"}
    made["record"]["scaling"] = {"sweep": kind, "kind": kind, "x": x, "bundles": 20}
    made["record"]["launch"]["ranks"] = ranks
    return made


def row(table: Table, name: str) -> dict[str, str]:
    """The row whose first cell begins with the name."""
    [found] = [cells for _, cells in table.rows if cells[0].startswith(name)]
    return dict(zip(table.columns, found, strict=True))


def shown(page: str) -> str:
    """The text that a page shows."""
    text = re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
    return html.unescape(text)


def run(command: str, *arguments: object) -> tuple[int, str, str]:
    """Status, stdout and stderr of `spex-reports COMMAND ARGUMENTS`."""
    out, err = StringIO(), StringIO()
    argv = ["spexreports", command, *map(str, arguments)]
    with mock.patch("sys.argv", argv), redirect_stdout(out), redirect_stderr(err):
        try:
            status = main()
        except SystemExit as ended:
            status = ended.code
    return status, out.getvalue(), err.getvalue()
