"""Reference values of the systems that were measured, as a thresholds file of spex-bench."""

import json
from pathlib import Path

from spexreports.errors import UsageError
from spexreports.night import lasted_as_asked, sustained
from spexreports.result import CLOCKS, Result
from spexreports.section import newest
from spexreports.work import has_fpnh, why_incomplete

LEAST_COVERAGE = 0.9  # of an interval that something may be judged by; that of five runs has 94%

HEAD = """\
// Reference values, by system and plan: medians of reports/results. Made by
//     PYTHONPATH=reports python -m spexreports thresholds RESULTS... --out bench/thresholds.json
"""


def _of_exposures(result: Result) -> dict[str, float]:
    """FPNH of either clock, where enough runs stand behind it."""
    values = {}
    for clock in CLOCKS:
        figure = getattr(result, clock)
        if figure and figure.fpnh.coverage >= LEAST_COVERAGE:
            values[f"fpnh_{clock}"] = float(f"{figure.fpnh.value:.4g}")
    return values


def _of_a_long_run(result: Result) -> dict[str, float]:
    """Sustained FPNH, where it lasted as long as the tier asks for."""
    if not result.effective or not lasted_as_asked(result):
        return {}
    return {"fpnh_sustained": float(f"{sustained(result).value:.4g}")}


def _in_order(results: list[Result]) -> list[Result]:
    """By system, plan and entry, as the file has them."""
    return sorted(newest(results), key=lambda r: (r.system, r.json["plan"]["name"], r.entry))


def thresholds(results: list[Result]) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """By system, plan and entry; none of sources with changes, which nobody can build again."""
    found: dict = {}
    for result in _in_order(results):
        if result.tier not in MAKERS or not has_fpnh(result) or result.json["build"]["dirty"]:
            continue
        values = MAKERS[result.tier](result)
        if values:
            plans = found.setdefault(result.system, {})
            plans.setdefault(result.json["plan"]["name"], {})[result.entry] = values
    return found


MAKERS = {"acceptance": _of_exposures, "night": _of_a_long_run}


def _unpublished(results: list[Result], systems: dict) -> str:
    """A comment that names what is not complete, and why.

    It is not left out: a machine can be held to what it did with fewer frames too. Who takes the
    numbers for more than that is told.
    """
    lines = [
        f"//     {result.system}, {plan}, {result.entry}: {', '.join(reasons)}\n"
        for result in _in_order(results)
        if (plan := result.json["plan"]["name"]) in systems.get(result.system, {})
        and result.entry in systems[result.system][plan]
        and (reasons := why_incomplete(result))
    ]
    return "// Of these the following are not complete:\n" + "".join(lines) if lines else ""


def thresholds_text(results: list[Result]) -> str:
    """The file's text; throws UsageError where no result asks for anything."""
    systems = thresholds(results)
    if not systems:
        raise UsageError(
            "thresholds",
            "no result has a speed that a machine can be held to",
            "whole frames, and five runs or a night of half an hour",
        )
    return HEAD + _unpublished(results, systems) + json.dumps({"systems": systems}, indent=1) + "\n"


def write_thresholds(file: Path, text: str) -> None:
    """By rename; throws UsageError in the place of a file that is none of these."""
    first = HEAD.splitlines()[0].encode()
    if file.exists() and not (file.is_file() and file.read_bytes().startswith(first)):
        raise UsageError("--out", f"{file} is no file of thresholds", "another name")
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.rename(file)
