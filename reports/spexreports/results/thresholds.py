"""Writes the speeds of results as a thresholds file of spex-bench."""

import json
from pathlib import Path

from spexreports.errors import UsageError
from spexreports.results.read import newest
from spexreports.results.result import CLOCKS, Result
from spexreports.results.work import has_fpnh

MIN_COVERAGE = 0.9  # required coverage of intervals (docs/benchmark.md)
HEAD = """\
// Reference values, by system and plan: medians of reports/results. Made by
//     spex-reports thresholds RESULTS... --out bench/thresholds.json
"""


def _speeds(result: Result) -> dict[str, float]:
    """FPNH by both clocks, or of the steady part of long runs; only of clean commits.

    An aborted night has none; a plan with a number of frames was run to its end.
    """
    if not has_fpnh(result) or result.json["build"]["dirty"]:
        return {}
    if result.tier == "night":
        whole = result.sustained and (result.sustained["asked_s"] is None)
        rate = result.sustained["fpnh"] if whole or not result.why_incomplete else None
        return {"fpnh_sustained": float(f"{rate['median']:.4g}")} if rate else {}
    found = {clock: getattr(result, clock) for clock in CLOCKS}
    return {
        f"fpnh_{clock}": float(f"{figure.fpnh.value:.4g}")
        for clock, figure in found.items()
        if figure and (figure.fpnh.coverage or 0) >= MIN_COVERAGE
    }


def thresholds_text(results: list[Result]) -> str:
    """The text of the file; a comment names incomplete results. Throws UsageError if empty."""
    systems: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    notes = []
    for result in sorted(newest(results), key=lambda r: (r.system, r.plan, r.entry)):
        if speeds := _speeds(result):
            systems.setdefault(result.system, {}).setdefault(result.plan, {})[result.entry] = speeds
            if result.why_incomplete:
                name = f"{result.system}, {result.plan}, {result.entry}"
                notes.append(f"//     {name}: {', '.join(result.why_incomplete)}\n")
    if not systems:
        raise UsageError(
            "thresholds",
            "no result has a speed that can be a threshold",
            "whole frames, five runs and a clean commit",
        )
    note = "// Of these the following are not complete:\n" + "".join(notes) if notes else ""
    return HEAD + note + json.dumps({"systems": systems}, indent=1) + "\n"


def write_thresholds(file: Path, results: list[Result]) -> list[Path]:
    """Writes the file by rename; throws UsageError if the file is something else."""
    text = thresholds_text(results)
    first = HEAD.splitlines()[0].encode()
    if file.exists() and not (file.is_file() and file.read_bytes().startswith(first)):
        raise UsageError("--out", f"{file} is not a thresholds file", "another name")
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(text, encoding="utf-8")
    return [partial.rename(file)]
