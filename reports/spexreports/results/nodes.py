"""Which nodes of an allocation are slow, wrong or silent, by the same plan run on each of them.

A folder holds NODE/results for each node, as bench/slurm/nodes.sbatch makes it. Nodes are compared
entry by entry, by the seconds of either clock. With m the median of the nodes' medians and MAD the
median of their distances from m,

    z = (seconds - m) / max(1.4826 MAD, FLOOR m)

and a node is SLOW where z > LIMIT, its seconds are more than the margin above m, and the interval
of its own runs lies wholly above m; FAST is the same on the other side. 1.4826 MAD is the standard
deviation of a normal distribution, and, unlike that, not moved by a few odd nodes; the floor keeps
nodes that agree to a thousandth from making an outlier of the next. Below FEWEST nodes nobody is
judged by the others.
"""

import statistics
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from spexreports.errors import DataError
from spexreports.results.read import BESIDE, read_results
from spexreports.results.result import CLOCKS, Result, Statistic

FEWEST = 3
LIMIT = 3.5
FLOOR = 0.005
MARGIN = 0.02
STATUSES = {"ok": 0, "FAST": 0, "SLOW": 4, "OTHER FRAMES": 3, "WRONG": 3, "UNHEALTHY": 5}
NO_RESULT = "NO RESULT"
LIST = "nodes.list"  # names of the nodes that were asked
# Of these the first that a node has is what is said of it; statuses as of spex-bench.
WORST_FIRST = (NO_RESULT, "UNHEALTHY", "WRONG", "OTHER FRAMES", "SLOW", "FAST", "ok")
VERDICTS = {
    "incorrect": "WRONG",
    "unhealthy": "UNHEALTHY",
    "error": NO_RESULT,
    "skipped": NO_RESULT,
}


@dataclass(frozen=True)
class NodeSpeed:
    """A node's seconds of an entry by a clock, and how far they are from those of the others."""

    clock: str
    seconds: Statistic
    beyond: float  # part of the median of all nodes by which it is slower
    z: float | None  # None where there are too few nodes
    word: str  # ok, SLOW or FAST


@dataclass(frozen=True)
class NodeEntry:
    """An entry on a node."""

    node: str
    entry: str
    speeds: tuple[NodeSpeed, ...]
    word: str  # of WORST_FIRST
    reason: str  # empty where it is ok


def worst(words: list[str]) -> str:
    """The word that decides."""
    return min(words, key=WORST_FIRST.index, default="ok")


def status_of(found: list[NodeEntry]) -> int:
    """As spex-bench judges: 1 where a result is missing, then 5, 3, 4."""
    word = worst([one.word for one in found])
    return 1 if word == NO_RESULT else STATUSES[word]


def read_nodes(folder: Path) -> dict[str, dict[str, Result]]:
    """The results of each node in `folder`, by node and entry; of a node without any, none.

    Nodes are those that its file LIST names, and those with results.
    """
    if not folder.is_dir():
        raise DataError(folder, "is no folder", "the --out of bench/slurm/nodes.sbatch")
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
    for node, one in seconds.items():
        beyond = one.value / middle - 1
        z = (one.value - middle) / spread if len(seconds) >= FEWEST else None
        word = "ok"
        if z is not None and abs(z) > LIMIT and abs(beyond) > margin:
            low = one.value if one.low is None else one.low
            high = one.value if one.high is None else one.high
            word = "SLOW" if low > middle else "FAST" if high < middle else "ok"
        speeds[node] = NodeSpeed(clock, one, beyond, z, word)
    return speeds


def _other_frames(results: dict[str, Result]) -> dict[str, str]:
    """Nodes whose frames have other bytes than those of most nodes, of equal inputs; which run.

    Equal inputs give equal bytes on every node of one kind, whatever its number.
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


def judge_nodes(nodes: dict[str, dict[str, Result]], margin: float = MARGIN) -> list[NodeEntry]:
    """Every entry on every node."""
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
            words = [speed.word for speed in speeds]
            odd = next((s for s in speeds if s.word == worst(words) != "ok"), None)
            reason = f"{100 * odd.beyond:+.1f}% by the {odd.clock} clock" if odd else ""
            if node not in here:
                words, reason = [NO_RESULT], "there is no result"
            elif here[node].overall in VERDICTS:
                words = [VERDICTS[here[node].overall]]
                reason = "; ".join(here[node].reasons)
            elif node in other_frames:
                words, reason = [*words, "OTHER FRAMES"], other_frames[node]
            found.append(NodeEntry(node, entry, speeds, worst(words), reason))
    return found


def table(found: list[NodeEntry]) -> str:
    """A line for each entry and node, the odd ones first."""
    rows = []
    for one in sorted(found, key=lambda o: (WORST_FIRST.index(o.word), o.entry, o.node)):
        most = max(one.speeds, key=lambda s: abs(s.z or 0), default=None)
        rows.append(
            {"node": one.node, "entry": one.entry}
            | {f"{s.clock} s": f"{s.seconds.value:.3f}" for s in one.speeds}
            | {"beyond": f"{100 * most.beyond:+.1f}%" if most else "-"}
            | {"z": f"{most.z:+.1f}" if most and most.z is not None else "-"}
            | {"verdict": f"{one.word}: {one.reason}" if one.reason else one.word}
        )
    columns = ["node", "entry", *(f"{clock} s" for clock in CLOCKS), "beyond", "z", "verdict"]
    return pd.DataFrame(rows, columns=columns).fillna("-").to_string(index=False)
