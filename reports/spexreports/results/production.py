"""Reads reports of `spex-compare --production --json` (docs/results.md)."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from spexreports.errors import DataError, contents_of
from spexreports.results.read import read_json

EXPECTED = "a file of `spex-compare --production --json`"


@dataclass(frozen=True)
class Agreement:
    """How a quantity agrees in the bins of a frame, or of many."""

    what: str
    limit: float
    compared: int
    equal: int  # to the last bit
    rms: float
    largest: float
    histogram: np.ndarray  # of differences that are not 0


@dataclass(frozen=True)
class Difference:
    """The values of a frame that differ for one reason."""

    hdu: str
    what: str
    reason: str | None  # None: not expected
    count: int
    largest: float
    fibers: str
    note: str


@dataclass(frozen=True)
class Pair:
    """A frame of production and ours."""

    camera: str
    expid: str
    ok: bool
    missing_in: str  # "ours" or "production"; empty if both exist
    error: str
    compared: int
    agreements: list[Agreement]
    worst_pulls: np.ndarray  # [subbundle, step]
    differences: list[Difference]
    looks_like: list[str]

    @property
    def name(self) -> str:
        """Camera and exposure."""
        return f"{self.camera}-{self.expid}"

    @property
    def unexpected(self) -> list[Difference]:
        """Differences without a reason."""
        return [one for one in self.differences if one.reason is None]

    @property
    def verdict(self) -> str:
        """One word, or which frame is missing."""
        if self.missing_in:
            return f"missing in {self.missing_in}"
        return "ok" if self.ok else "FAIL"


@dataclass(frozen=True)
class Report:
    """A comparison with a production."""

    label: str
    production: str
    ok: bool
    version: str
    desispec: list[str]
    extractors: list[str]
    sentences: dict[str, str]  # of reasons
    edges: np.ndarray  # of the histograms
    pairs: list[Pair] = field(default_factory=list)

    @property
    def compared(self) -> list[Pair]:
        """Pairs whose spectra were compared."""
        return [one for one in self.pairs if one.agreements]


def _agreement(data: dict[str, Any]) -> Agreement:
    return Agreement(
        data["what"],
        float(data["limit"]),
        int(data["compared"]),
        int(data["equal"]),
        float(data["rms"]),
        float(data["largest"]),
        np.array(data["histogram"], dtype=float),
    )


def _difference(data: dict[str, Any]) -> Difference:
    largest = data["largest"]
    return Difference(
        data["hdu"],
        data["what"],
        data["reason"],
        int(data["count"]),
        float("nan" if largest is None else largest),
        data["fibers"] or "",
        data["note"] or "",
    )


def _pair(data: dict[str, Any]) -> Pair:
    spectra = data["spectra"]
    missing = [side for side in ("ours", "production") if data[side] is None]
    pulls = np.zeros((0, 0))
    if spectra:
        worst = [np.nan if value is None else value for value in spectra["worst_pulls"]]
        pulls = np.array(worst, dtype=float).reshape(-1, int(spectra["steps"]))
    return Pair(
        data["camera"],
        data["expid"],
        bool(data["ok"]),
        missing[0] if missing else "",
        data["error"] or "",
        int(spectra["compared"]) if spectra else 0,
        [_agreement(one) for one in spectra["agreements"]] if spectra else [],
        pulls,
        [_difference(one) for one in data["differences"]],
        list(data["looks_like"]),
    )


def read_production(path: Path) -> Report:
    """A report; throws DataError for any other JSON."""
    data = read_json(path)
    with contents_of(path, EXPECTED):
        if not isinstance(data, dict) or "production" not in data or "reasons" not in data:
            raise DataError(path, "is no comparison with a production", EXPECTED)
        scale = data["histogram"]
        frames = data["frames"]
        pairs = [_pair(one) for one in frames]
        bins = {one.histogram.size for pair in pairs for one in pair.agreements} or {1}
        if len(bins) != 1:
            raise DataError(path, "has histograms of several sizes", EXPECTED)
        steps = np.arange(bins.pop() + 1) / float(scale["bins_a_decade"])
        return Report(
            data["label"],
            data["production"],
            bool(data["ok"]),
            data["version"],
            sorted({one["desispec"] for one in frames if one["desispec"]}),
            sorted({one["extractor"] for one in frames if one["extractor"]}),
            dict(data["reasons"]),
            float(scale["first"]) * 10**steps,
            pairs,
        )


def together(pairs: list[Pair]) -> list[Agreement]:
    """The agreement of all frames, quantity by quantity."""
    found = []
    for alike in zip(*(pair.agreements for pair in pairs), strict=True):
        compared = sum(one.compared for one in alike)
        squares = sum(one.rms**2 * one.compared for one in alike)
        found.append(
            Agreement(
                alike[0].what,
                alike[0].limit,
                compared,
                sum(one.equal for one in alike),
                float(np.sqrt(squares / max(compared, 1))),
                max(one.largest for one in alike),
                np.sum([one.histogram for one in alike], axis=0),
            )
        )
    return found


def by_reason(pairs: list[Pair]) -> list[tuple[Difference, int]]:
    """Expected differences of all frames, with the number of frames that have them.

    Keywords that say how a frame was made are one.
    """
    counts: Counter[tuple[str, str, str]] = Counter()
    frames: Counter[tuple[str, str, str]] = Counter()
    largest: dict[tuple[str, str, str], float] = {}
    for pair in pairs:
        seen = set()
        for one in pair.differences:
            if one.reason is None:
                continue
            keywords = one.reason == "made-by"
            key = (one.reason, "", "keywords") if keywords else (one.reason, one.hdu, one.what)
            counts[key] += one.count
            largest[key] = max(largest.get(key, 0.0), one.largest)
            seen.add(key)
        frames.update(seen)
    return [
        (Difference(hdu, what, reason, counts[key], largest[key], "", ""), frames[key])
        for key in counts
        for reason, hdu, what in [key]
    ]
