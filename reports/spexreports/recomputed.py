"""Holds what a result file states to what its samples say."""

import math
import statistics
from pathlib import Path
from typing import Any

from spexreports.command_line import alone, whole_frames
from spexreports.errors import DataError
from spexreports.order_statistics import median_coverage, stopped_ranks
from spexreports.result import CLOCKS

TOLERANCE = 1e-9  # relative; both sides are of the same float64 numbers
OBSERVED_SLACK = 2.0  # s; one at each end, by which clocks of another file system may differ
PUBLISHED_NIGHT_S = 1800  # docs/benchmark.md, run rules
PUBLISHED_FRAMES, PUBLISHED_WARMUPS, PUBLISHED_REPEATS = 30, 1, 5  # docs/benchmark.md, run rules


class _Stated:
    """The members of one file, and the error where one is not what it must be."""

    def __init__(self, file: Path, looks: tuple[int, int] | None = None):
        self.file = file
        self.looks = looks  # the first and the last number of samples at which they could end

    def equal(self, what: str, stated: float, computed: float) -> None:
        """The number that the file states is that of the samples."""
        if not math.isclose(stated, computed, rel_tol=TOLERANCE):
            raise DataError(self.file, f"states {what} {stated:g}", f"{computed:g}, by the samples")

    def holds(self, true: bool, wrong: str, expected: str) -> None:
        """It is true; else the file is wrong in what the words say."""
        if not true:
            raise DataError(self.file, wrong, expected)


def _timed(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The runs that count; those that were throttled do not (minor version 1)."""
    samples = data["timing"]["samples"]
    return [
        s
        for s in samples
        if not s["warmup"] and s["failure"] is None and not s.get("throttled", False)
    ]


def _statistic(stated: _Stated, what: str, found: dict[str, Any], values: list[float]) -> None:
    """Median, deviation and interval of `found` against those of `values`."""
    samples = found["samples"]
    stated.holds(
        len(samples) == len(values), f"{what} has {len(samples)} samples", f"{len(values)}"
    )
    for one, value in zip(samples, values, strict=True):
        stated.equal(f"a sample of {what}", one, value)
    middle = statistics.median(values)
    stated.equal(f"the median of {what}", found["median"], middle)
    mad = statistics.median(abs(v - middle) for v in values)
    stated.holds(
        math.isclose(found["mad"], mad, rel_tol=TOLERANCE, abs_tol=TOLERANCE * middle),
        f"states the deviation of {what} {found['mad']:g}",
        f"{mad:g}, by the samples",
    )
    _interval(stated, what, found, sorted(values))


def _interval(stated: _Stated, what: str, found: dict[str, Any], ordered: list[float]) -> None:
    """Its ends are samples, as many from either end, and its coverage is theirs."""
    low, high = found["low"], found["high"]
    stated.holds((low is None) == (high is None), f"{what} has half an interval", "both ends")
    if low is None:
        return
    stated.holds(
        ordered[0] <= low <= statistics.median(ordered) <= high <= ordered[-1],
        f"states {low:g} to {high:g} as the interval of {what}",
        "around the median, within the samples",
    )
    if "coverage" not in found:  # before minor version 1: by bootstrap
        return
    count = len(ordered)
    possible = {k: median_coverage(count, k) for k in range(1, (count + 1) // 2 + 1)}
    if stated.looks and count >= stated.looks[0]:
        by_count, coverage = stopped_ranks(*stated.looks)
        possible = {by_count.get(count, 1): coverage}
    ranks = [
        k
        for k, coverage in possible.items()
        if math.isclose(low, ordered[k - 1], rel_tol=TOLERANCE)
        and math.isclose(high, ordered[count - k], rel_tol=TOLERANCE)
        and math.isclose(found["coverage"], coverage, abs_tol=1e-6)
    ]
    stated.holds(
        bool(ranks),
        f"states {low:g} to {high:g} as the interval of {what} with the coverage "
        f"{found['coverage']}",
        "two samples, and the coverage of their ranks",
    )


def _speeds(stated: _Stated, data: dict[str, Any]) -> None:
    fom, timed = data["fom"], _timed(data)
    frames, nodes, gpus = fom["frames_asked"], fom["nodes"], fom["gpus"]
    launch = data["launch"]
    stated.equal("nodes", nodes, launch["nodes"])
    stated.equal("GPUs", gpus, launch["gpus_per_node"] * nodes)
    for clock in CLOCKS:
        figure = fom[clock]
        if figure is None:
            continue
        seconds = [s[f"{clock}_s"] for s in timed]
        stated.holds(
            bool(seconds) and all(s is not None and s > 0 for s in seconds),
            f"gives a speed by the {clock} clock without seconds of every run",
            "positive ones",
        )
        rates = [("fpnh", nodes)] + ([("frames_per_gpu_hour", gpus)] if gpus else [])
        # There is no FPNH of these.
        if data["tier"] == "ci" or not whole_frames(data) or alone(data):
            rates = [(name, count) for name, count in rates if figure[name] is not None]
        for name in ("seconds", "fpnh", "frames_per_gpu_hour"):
            present = name == "seconds" or name in dict(rates)
            stated.holds(
                (figure[name] is not None) == present,
                f"fom.{clock}.{name} is {'missing' if present else 'given without a GPU'}",
                "a figure of every kind that there is",
            )
        _statistic(stated, f"fom.{clock}.seconds", figure["seconds"], seconds)
        for name, count in rates:
            values = [3600 * frames / (s * count) for s in seconds]
            _statistic(stated, f"fom.{clock}.{name}", figure[name], values)


def _samples(stated: _Stated, data: dict[str, Any]) -> None:
    """The extraction clock is within the effective one, and no shorter than what was seen."""
    for sample in data["timing"]["samples"]:
        effective, extraction = sample["effective_s"], sample["extraction_s"]
        observed = sample.get("observed_s")  # since minor version 1
        stated.holds(
            observed is None
            or extraction is None
            or sample["failure"] is not None
            or extraction >= observed - OBSERVED_SLACK,
            f"run {sample['index']}: the extraction clock says {extraction} s",
            f"no less than the {observed} s that spex-bench saw",
        )
        stated.holds(
            extraction is None or 0 < extraction <= effective or sample["failure"] is not None,
            f"run {sample['index']}: the extraction clock says {extraction} s",
            f"above 0, and within the {effective} s of the effective clock",
        )


def _energy(stated: _Stated, data: dict[str, Any]) -> None:
    joules, frames = data["energy"]["joules_per_frame"], data["fom"]["frames_asked"]
    if joules is not None:
        sums = [sum(s["joules"]) / frames for s in _timed(data) if s["joules"] is not None]
        stated.holds(bool(sums), "gives joules a frame without any of a run", "null")
        stated.equal("joules a frame", joules, statistics.median(sums))


def _roofline(stated: _Stated, data: dict[str, Any]) -> None:
    for point in data["roofline"]:
        stage = point["stage"]
        sums = [s["phases"][stage]["sum"] for s in _timed(data) if stage in s["phases"]]
        stated.holds(bool(sums), f"has a roofline of {stage} without its seconds", "both")
        stated.equal(
            f"seconds of {stage} in the roofline", point["seconds"], statistics.median(sums)
        )
        for name in ("flops", "bytes", "seconds", "ceiling_flops", "ceiling_bytes"):
            stated.holds(
                point[name] > 0, f"roofline of {stage}: {name} is {point[name]}", "above 0"
            )


def _validity(stated: _Stated, data: dict[str, Any]) -> None:
    """Nothing passes of which a part fails, and nothing that fails has a speed."""
    validation, fom, verdict = data["validation"], data["fom"], data["verdict"]
    for frame in validation["frames"]:
        parts = [check["pass"] for check in frame["checks"]]
        parts += [frame["truth"]["pass"]] if frame["truth"] else []
        stated.holds(
            not frame["pass"] or all(parts),
            f"frame {frame['camera']} passes, though one of its checks does not",
            "a frame that passes in all",
        )
    parts = [frame["pass"] for frame in validation["frames"]]
    together = [check["pass"] for check in validation.get("together", [])]  # minor version 1
    stated.holds(
        not validation["pass"] or all(parts + together),
        "passes the validation with a frame or a check of all frames that does not",
        "frames that pass",
    )
    speed = fom["effective"] is not None or fom["extraction"] is not None
    wrong = (
        not validation["pass"]
        or verdict["correctness"] == "fail"
        or any(not golden["pass"] for golden in data["golden"])
        or any(s["failure"] is not None for s in data["timing"]["samples"])
        or data["status"] != "complete"
    )
    stated.holds(not (speed and wrong), "gives a speed beside a failed validation", "no speed")
    asked = fom["frames_asked"]
    stated.holds(
        not speed
        or (asked == fom["frames_valid"] and (data["tier"] == "night" or asked == len(parts))),
        f"gives a speed of {asked} frames, of which {fom['frames_valid']} are valid",
        "all of them",
    )


def _publication(stated: _Stated, data: dict[str, Any]) -> None:
    fom, timing = data["fom"], data["timing"]
    known = data["schema"]["minor"] > 8 and data["inputs"]["seeds"] != "drawn"
    stated.holds(
        not (known and fom["published"]),
        "says that it may be published",
        "inputs of seeds that are drawn",
    )
    warmups = sum(s["warmup"] for s in timing["samples"])
    if data["tier"] == "night":
        runs = [s["sustained"] for s in _timed(data)]
        allowed = bool(runs) and all(r and r["seconds"] >= PUBLISHED_NIGHT_S for r in runs)
        stated.holds(
            allowed or not fom["published"],
            "says that it may be published",
            f"long runs of {PUBLISHED_NIGHT_S} s",
        )
        return
    allowed = (
        data["tier"] != "ci"
        and fom["effective"] is not None
        and fom["frames_asked"] == PUBLISHED_FRAMES
        and fom["scaled_to"] is None
        and warmups >= PUBLISHED_WARMUPS
        and len(_timed(data)) >= PUBLISHED_REPEATS
        # What spex-bench says of it since minor version 1.
        and not (data["schema"]["minor"] > 0 and data["build"]["dirty"])
        and not fom.get("not_published_because")
    )
    stated.holds(
        allowed or not fom["published"],
        "says that it may be published",
        f"{PUBLISHED_FRAMES} valid frames, {PUBLISHED_WARMUPS} warm-up, {PUBLISHED_REPEATS} timed "
        "runs, a tier other than ci, a clean commit, and no reason against it",
    )


def _sustained(stated: _Stated, data: dict[str, Any]) -> None:
    """The steady part of each long run is that of its blocks; a night is by their median."""
    found = data.get("sustained")  # since minor version 2
    stated.holds(
        (found is not None) == (data["tier"] == "night"),
        f"is of the tier {data['tier']} with{'' if found else 'out'} a long run",
        "both or none",
    )
    if found is None or found["fpnh"] is None:
        return
    nodes, rates = data["fom"]["nodes"], []
    for sample in _timed(data):
        run = sample["sustained"]
        stated.holds(run is not None, "has a timed run without a steady part", "one")
        frames = sum(block["frames"] for block in run["blocks"])
        seconds = sum(block["seconds"] for block in run["blocks"])
        stated.holds(frames == run["last"] - run["first"], "has blocks of other frames", "its own")
        stated.equal("seconds of the steady part", run["seconds"], seconds)
        rates.append(3600 * frames / (seconds * nodes))
        stated.equal("FPNH of the steady part", run["fpnh"], rates[-1])
        stated.holds(
            run["frames"] == data["fom"]["frames_asked"], "has a run of other frames", "those asked"
        )
    _statistic(stated, "sustained FPNH", found["fpnh"], rates)
    night, hours = found["night"], found["night"]["frames"] / found["fpnh"]["median"]
    stated.equal("node-hours of a night", night["node_hours"], hours)
    stated.equal("seconds of a night", night["seconds"], 3600 * hours / nodes)


def check_stated(file: Path, data: dict[str, Any]) -> None:
    """Throws DataError where a file that fits the schema states what its samples do not say."""
    until = data["timing"].get("until")  # minor version 3
    stated = _Stated(file, (data["timing"]["repeats"], until["most"]) if until else None)
    _samples(stated, data)
    _speeds(stated, data)
    _sustained(stated, data)
    _energy(stated, data)
    _roofline(stated, data)
    _validity(stated, data)
    _publication(stated, data)
