"""Finds slow, wrong and silent nodes of an allocation, on each of which the same plan was run.

The folder has NODE/results for each node, as bench/slurm/nodes.sbatch makes it. Nodes are compared
by entry and clock. With m the median of the nodes' medians and MAD the median of their distances
from m,

    z = (seconds - m) / max(1.4826 MAD, FLOOR m)

A node is SLOW if z > LIMIT, its seconds exceed m by more than the margin, and the interval of its
own runs is above m; FAST is the opposite. It is ok if that interval lies within the margin around
m, and otherwise UNDECIDED: its runs scatter too much. 1.4826 MAD estimates the standard deviation
of a normal distribution and, unlike it, is insensitive to a few odd nodes. The floor prevents
outliers among nodes that agree to 0.1%. With fewer than FEWEST nodes, all are UNDECIDED.
"""

import statistics
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from spexreports.errors import DataError
from spexreports.results.read import BESIDE, read_results
from spexreports.results.result import CLOCKS, Result, Statistic

FEWEST = 3
LIMIT = 3.5
FLOOR = 0.005
MARGIN = 0.02
UNDECIDED = "UNDECIDED"
STATUSES = {"ok": 0, "FAST": 0, "SLOW": 4, "OTHER FRAMES": 3, "WRONG": 3, "UNHEALTHY": 5}
STATUSES |= {UNDECIDED: 6}
NO_RESULT = "NO RESULT"
LIST = "nodes.list"  # names of the requested nodes
# A node gets the first of these verdicts that applies; exit statuses are those of spex-bench.
WORST_FIRST = (NO_RESULT, "UNHEALTHY", "WRONG", "OTHER FRAMES", "SLOW", UNDECIDED, "FAST", "ok")
VERDICTS = {
    "incorrect": "WRONG",
    "unhealthy": "UNHEALTHY",
    "error": NO_RESULT,
    "skipped": NO_RESULT,
}


@dataclass(frozen=True)
class NodeSpeed:
    """A node's seconds for an entry by a clock, and their distance from the other nodes."""

    clock: str
    seconds: Statistic
    beyond: float  # relative to the median of all nodes
    z: float | None  # None with too few nodes
    verdict: str  # ok, SLOW, FAST or UNDECIDED

    @property
    def ends(self) -> tuple[float, float]:
        """The interval of its runs, relative to the median of all nodes."""
        middle = self.seconds.value / (1 + self.beyond)
        low, high = self.seconds.low, self.seconds.high
        ends = [self.seconds.value if end is None else end for end in (low, high)]
        return ends[0] / middle - 1, ends[1] / middle - 1


@dataclass(frozen=True)
class NodeEntry:
    """An entry on a node."""

    node: str
    entry: str
    speeds: tuple[NodeSpeed, ...]
    verdict: str  # one of WORST_FIRST
    reason: str  # empty if ok


def worst(verdicts: list[str]) -> str:
    """The most severe verdict."""
    return min(verdicts, key=WORST_FIRST.index, default="ok")


def status_of(found: list[NodeEntry]) -> int:
    """The exit status, as of spex-bench: 1 if a result is missing, then 5, 3, 4."""
    verdict = worst([entry.verdict for entry in found])
    return 1 if verdict == NO_RESULT else STATUSES[verdict]


def read_nodes(folder: Path) -> dict[str, dict[str, Result]]:
    """The results in `folder` by node and entry; empty for a node without results.

    The nodes are those that its file LIST names, and those with results.
    """
    if not folder.is_dir():
        raise DataError(folder, "is not a folder", "the --out of bench/slurm/nodes.sbatch")
    listed = folder / LIST
    names = listed.read_text(encoding="utf-8").split() if listed.is_file() else []
    names += [path.parent.name for path in folder.glob("*/results")]
    nodes = {}
    for name in sorted(set(names)):
        results = folder / name / "results"
        has_any = any(not f.name.endswith(BESIDE) for f in results.glob("*.json"))
        nodes[name] = {r.entry: r for r in read_results([results])} if has_any else {}
    if not any(nodes.values()):
        raise DataError(folder, "holds no results of nodes", "a folder of results for each node")
    return nodes


def _speeds_of(seconds: dict[str, Statistic], clock: str, margin: float) -> dict[str, NodeSpeed]:
    middle = statistics.median(s.value for s in seconds.values())
    mad = statistics.median(abs(s.value - middle) for s in seconds.values())
    spread = max(1.4826 * mad, FLOOR * middle)
    speeds = {}
    for node, found in seconds.items():
        beyond = found.value / middle - 1
        z = (found.value - middle) / spread if len(seconds) >= FEWEST else None
        speed = NodeSpeed(clock, found, beyond, z, UNDECIDED)
        low, high = speed.ends
        verdict = UNDECIDED
        if z is not None and abs(z) > LIMIT and abs(beyond) > margin and (low > 0 or high < 0):
            verdict = "SLOW" if low > 0 else "FAST"
        elif z is not None and found.low is not None and -margin <= low <= high <= margin:
            verdict = "ok"
        speeds[node] = replace(speed, verdict=verdict)
    return speeds


def _other_frames(results: dict[str, Result]) -> dict[str, str]:
    """Nodes whose frames differ from those of most nodes for the same inputs, with the run.

    The same inputs give the same bytes on every node of the same kind.
    """
    seen: dict[str, dict[str, tuple[str, int]]] = {}
    for node, result in results.items():
        for sample in result.json["timing"]["samples"]:
            if sample["outputs_sha256"]:
                hashes = seen.setdefault(sample["inputs_sha256"], {})
                hashes.setdefault(node, (sample["outputs_sha256"], sample["index"]))
    odd = {}
    for hashes in seen.values():
        usual, count = Counter(sha256 for sha256, _ in hashes.values()).most_common(1)[0]
        for node, (sha256, run) in hashes.items():
            if sha256 != usual and 2 * count > len(hashes):
                odd.setdefault(node, f"frames of run {run} have other bytes than on {count} nodes")
    return odd


def _reason(odd: NodeSpeed) -> str:
    """Why a speed is not ok."""
    text = f"{100 * odd.beyond:+.1f}% by the {odd.clock} clock"
    if odd.verdict != UNDECIDED:
        return text
    if odd.z is None:
        return "too few nodes to judge"
    low, high = odd.ends
    return f"{text}, its runs {100 * low:+.1f} to {100 * high:+.1f}%: more --repeats"


def judge_nodes(nodes: dict[str, dict[str, Result]], margin: float = MARGIN) -> list[NodeEntry]:
    """Judges every entry on every node."""
    entries = list(dict.fromkeys(entry for results in nodes.values() for entry in results))
    found = []
    for entry in entries:
        here = {node: results[entry] for node, results in nodes.items() if entry in results}
        plans = {(r.json["plan"]["sha256"], r.json["build"]["commit"]) for r in here.values()}
        if len(plans) > 1:
            raise DataError(entry, "was run by other plans or builds on some nodes", "one")
        by_clock = []
        for clock in CLOCKS:
            seconds = {n: f.seconds for n, r in here.items() if (f := getattr(r, clock))}
            if seconds:
                by_clock.append(_speeds_of(seconds, clock, margin))
        other_frames = _other_frames(here)
        for node in nodes:
            speeds = tuple(speeds[node] for speeds in by_clock if node in speeds)
            verdicts = [speed.verdict for speed in speeds]
            odd = next((s for s in speeds if s.verdict == worst(verdicts) != "ok"), None)
            reason = _reason(odd) if odd else ""
            if node not in here:
                verdicts, reason = [NO_RESULT], "there is no result"
            elif here[node].overall in VERDICTS:
                verdicts = [VERDICTS[here[node].overall]]
                reason = "; ".join(here[node].reasons)
            elif node in other_frames:
                verdicts, reason = [*verdicts, "OTHER FRAMES"], other_frames[node]
            found.append(NodeEntry(node, entry, speeds, worst(verdicts), reason))
    return found


def table(found: list[NodeEntry]) -> str:
    """A line per entry and node, odd ones first."""
    rows = []
    for e in sorted(found, key=lambda e: (WORST_FIRST.index(e.verdict), e.entry, e.node)):
        farthest = max(e.speeds, key=lambda s: abs(s.z or 0), default=None)
        rows.append(
            {"node": e.node, "entry": e.entry}
            | {f"{s.clock} s": f"{s.seconds.value:.3f}" for s in e.speeds}
            | {"from median": f"{100 * farthest.beyond:+.1f}%" if farthest else "-"}
            | {"z": f"{farthest.z:+.1f}" if farthest and farthest.z is not None else "-"}
            | {"verdict": f"{e.verdict}: {e.reason}" if e.reason else e.verdict}
        )
    columns = ["node", "entry", *(f"{clock} s" for clock in CLOCKS), "from median", "z", "verdict"]
    text = pd.DataFrame(rows, columns=columns).fillna("-").to_string(index=False)
    return "\n".join([text, *_spreads(found)])


def _spreads(found: list[NodeEntry]) -> list[str]:
    """A line for each entry and clock: how the nodes spread."""
    lines = []
    for entry in dict.fromkeys(e.entry for e in found):
        for clock in CLOCKS:
            values = [
                s.seconds.value
                for e in found
                if e.entry == entry
                for s in e.speeds
                if s.clock == clock
            ]
            if len(values) < 2:
                continue
            spread = statistics.stdev(values) / statistics.mean(values)
            ratio = max(values) / min(values)
            lines.append(
                f"{entry}, {clock}: {len(values)} nodes, coefficient of variation "
                f"{100 * spread:.1f}%, slowest / fastest {ratio:.3f}"
            )
    return lines
