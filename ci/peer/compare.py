"""Compares frames of spexbench with those of gpu_specter, by spex-compare.

The limits of cases.json are, at production's settings, those of the golden desi-r0, which
gpu_specter made: ten times the spread between its two own paths. At the script's settings, where N
is ill-conditioned, they are those of the tolerance `unpadded` (docs/command-line.md).
"""

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


def frames(ours: Path, theirs: Path, settings: str, bin_folder: Path, python: Path) -> dict:
    """What spex-compare finds of a frame of ours and one of gpu_specter."""
    golden, report = theirs.with_suffix(".golden.fits"), ours.with_suffix(".compare.json")
    report.unlink(missing_ok=True)
    command = [python, HERE / "inside.py", "golden", theirs, golden]
    subprocess.run(command, check=True)
    command = [bin_folder / "spex-compare", ours, golden, "--json", report]
    command += ["--tolerance", f"{HERE / 'cases.json'}:{settings}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    golden.unlink()
    if not report.is_file():
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"ok": False, "failure": last, "bins": 0, "compared": 0, "checks": []}
    found = json.loads(report.read_text())
    report.unlink()
    return summary(found)


def summary(report: dict) -> dict:
    """The part of spex-compare's report that is kept."""
    found = report["comparison"] or {"bins": {"expected": 0, "compared": 0}, "checks": []}
    members = ("hdu", "what", "limit", "largest", "bad")
    return {
        "ok": report["ok"],
        "failure": report["failure"],
        "bins": found["bins"]["expected"],
        "compared": found["bins"]["compared"],
        "checks": [{name: check[name] for name in members} for check in found["checks"]],
    }


def worst(kept: list[dict], found: dict) -> list[dict]:
    """The comparisons with one more: of those with the same program a failed one, or the last."""
    same = [one for one in kept if one["with"] == found["with"]]
    others = [one for one in kept if one["with"] != found["with"]]
    return [*others, next((one for one in same if not one["ok"]), found)]
