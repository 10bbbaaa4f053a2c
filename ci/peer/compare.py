"""Compares frames of spexbench with those of gpu_specter, by spex-compare.

The limits of cases.json are, at production's settings, those of the golden desi-r0, which
gpu_specter made: ten times the spread between its two own paths. At the script's settings, where N
is ill-conditioned, they are those of the tolerance `unpadded` (docs/command-line.md).

The paths of gpu_specter, on a GPU and on a CPU, may differ by more than these limits. So where its
frame of a GPU differs from ours, its frame of a CPU decides about the bundle.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from plan import BUNDLE

HERE = Path(__file__).resolve().parent
MAX_BUNDLES = 3  # of a frame that are extracted again


def frames(
    ours: Path,
    theirs: Path,
    settings: str,
    bin_folder: Path,
    python: Path,
    by_cpu: Callable[[int], Path | None] | None = None,
) -> dict:
    """What spex-compare finds of a frame of ours and one of gpu_specter.

    `by_cpu` gives the frame of a bundle by gpu_specter's CPU path. It replaces FLUX, IVAR and
    RESOLUTION of the bundle where the frames differ, and `by_cpu` of the result names the bundle.
    CHI2PIX stays: gpu_specter computes it differently on GPUs.
    """
    golden = theirs.with_suffix(".golden.fits")
    subprocess.run([python, HERE / "inside.py", "golden", theirs, golden], check=True)
    report = first = _report(ours, golden, settings, bin_folder)
    bundles: list[int] = []
    while by_cpu and not report["ok"] and len(bundles) < MAX_BUNDLES:
        bundle = first_bundle(report)
        frame = None if bundle is None or bundle in bundles else by_cpu(bundle)
        if frame is None:
            break
        command = [python, HERE / "inside.py", "replace", golden, frame, str(BUNDLE * bundle)]
        subprocess.run(command, check=True)
        bundles.append(bundle)
        report = _report(ours, golden, settings, bin_folder)
    golden.unlink()
    if report["ok"] and bundles:
        return summary(report) | {"by_cpu": bundles, "by_gpu": first["failure"]}
    return summary(first)


def _report(ours: Path, golden: Path, settings: str, bin_folder: Path) -> dict:
    """The report of spex-compare; only a failure where it writes none."""
    file = ours.with_suffix(".compare.json")
    file.unlink(missing_ok=True)
    command = [bin_folder / "spex-compare", ours, golden, "--json", file]
    command += ["--tolerance", f"{HERE / 'cases.json'}:{settings}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not file.is_file():
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"ok": False, "failure": last, "comparison": None}
    report = json.loads(file.read_text())
    file.unlink()
    return report


def first_bundle(report: dict) -> int | None:
    """The bundle of the first fiber whose flux, ivar or R differs; None where there is none."""
    checks = report["comparison"]["checks"] if report["comparison"] else []
    for check in checks:
        place = check.get("first_bad")
        own = check["hdu"] in ("FLUX", "IVAR", "RESOLUTION")
        if check["bad"] and own and place and place["fiber"] is not None:
            return place["fiber"] // BUNDLE
    return None


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
    """The comparisons with one more, the worst with each program; of equal ones the last.

    Worst is one that failed, then one in which gpu_specter's CPU path decided.
    """
    same = [one for one in kept if one["with"] == found["with"]]
    others = [one for one in kept if one["with"] != found["with"]]
    return [*others, min([found, *same], key=lambda one: (one["ok"], "by_cpu" not in one))]
