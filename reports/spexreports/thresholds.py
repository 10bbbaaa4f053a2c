"""Reference values of the systems that were measured, as a thresholds file of spex-bench."""

import json

from spexreports.errors import UsageError
from spexreports.night import lasted_as_asked, sustained
from spexreports.result import CLOCKS, Result
from spexreports.section import newest
from spexreports.work import has_fpnh

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


def thresholds(results: list[Result]) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """By system, plan and entry."""
    found: dict = {}
    for result in sorted(
        newest(results), key=lambda r: (r.system, r.json["plan"]["name"], r.entry)
    ):
        if result.tier not in MAKERS or not has_fpnh(result):
            continue
        values = MAKERS[result.tier](result)
        if values:
            plans = found.setdefault(result.system, {})
            plans.setdefault(result.json["plan"]["name"], {})[result.entry] = values
    return found


MAKERS = {"acceptance": _of_exposures, "night": _of_a_long_run}


def thresholds_text(results: list[Result]) -> str:
    """The file's text; throws UsageError where no result asks for anything."""
    systems = thresholds(results)
    if not systems:
        raise UsageError(
            "thresholds",
            "no result has a speed that a machine can be held to",
            "whole frames, and five runs or a night of half an hour",
        )
    return HEAD + json.dumps({"systems": systems}, indent=1) + "\n"
