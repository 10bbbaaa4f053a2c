"""Reads results of ci/peer-bench: gpu_specter and spexbench on one machine."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean

from spexreports.errors import contents_of
from spexreports.results.read import read_json

PEER = "gpu_specter"
ARMS = "brz"


@dataclass(frozen=True)
class PeerRun:
    """A program with certain settings; seconds of a frame, the mean over cameras of medians."""

    program: str
    device: str  # gpu or cpu
    settings: str  # production or script
    ranks: int
    fibers: int
    cameras: tuple[str, ...]
    repeats: int  # the least of all cameras
    seconds: float  # of the whole process
    extraction: float | None  # None where the program does not report it
    pull: float | None  # largest flux pull beside gpu_specter; None of gpu_specter
    failure: str | None  # of a comparison with gpu_specter; None of gpu_specter
    by_cpu: int  # bundles compared with gpu_specter's CPU path, because its GPU path differs

    @property
    def is_peer(self) -> bool:
        """Whether it is gpu_specter."""
        return self.program.startswith(PEER)

    @property
    def all_arms(self) -> bool:
        """Whether the mean has a b, an r and a z frame."""
        return {camera[0] for camera in self.cameras} == set(ARMS)


@dataclass(frozen=True)
class PeerResult:
    """A file of ci/peer-bench."""

    system: str
    utc: datetime
    commit: str  # of gpu_specter, seven digits; empty where it is unknown
    gpu: str | None
    cpu: str
    runs: tuple[PeerRun, ...]

    def same_work(self, run: PeerRun) -> list[PeerRun]:
        """The runs of the same work as a run, itself included."""
        work = (run.device, run.settings)
        return [other for other in self.runs if (other.device, other.settings) == work]

    def fastest_peer(self, run: PeerRun) -> PeerRun:
        """The gpu_specter of the same work whose extraction is fastest, or the whole process."""
        peers = [other for other in self.same_work(run) if other.is_peer]
        return min(peers, key=lambda peer: peer.extraction or peer.seconds)


def _run(rows: list[dict]) -> PeerRun:
    """One program with certain settings, from its cameras."""
    first = rows[0]
    inside = [row["median_extraction_s"] for row in rows]
    compared = [found for row in rows for found in row["comparisons"]]
    failures = [found["failure"] for found in compared if not found["ok"]]
    checks = [check for found in compared for check in found["checks"]]
    pulls = [check["largest"] for check in checks if check["what"] == "flux pull"]
    return PeerRun(
        program=first["program"],
        device=first["device"],
        settings=first["settings"],
        ranks=first["ranks"],
        fibers=first["fibers"],
        cameras=tuple(row["camera"] for row in rows),
        repeats=min(len(row["samples"]) for row in rows),
        seconds=mean(row["median_seconds"] for row in rows),
        extraction=None if None in inside else mean(inside),
        pull=None if None in pulls else max(pulls, default=None),
        failure=failures[0] if failures else None,
        by_cpu=len(
            {
                (row["camera"], bundle)
                for row in rows
                for found in row["comparisons"]
                for bundle in found.get("by_cpu", [])
            }
        ),
    )


def _runs(rows: list[dict]) -> list[PeerRun]:
    """Programs of the cameras that all of the same work have; no work without gpu_specter."""
    works: dict[tuple, dict[str, dict[str, dict]]] = {}
    for row in rows:
        if row["samples"]:
            programs = works.setdefault((row["device"], row["settings"]), {})
            programs.setdefault(row["program"], {})[row["camera"]] = row
    found = []
    for programs in works.values():
        common = set.intersection(*(set(cameras) for cameras in programs.values()))
        if common and any(name.startswith(PEER) for name in programs):
            found += [_run([c[name] for name in sorted(common)]) for c in programs.values()]
    return found


def _read_peer(path: Path) -> PeerResult:
    """Reads one file."""
    data = read_json(path)
    with contents_of(path, "peer.json of ci/peer-bench"):
        gpu = data["machine"]["gpu"]
        return PeerResult(
            system=data["system"],
            utc=datetime.strptime(data["utc"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC),
            commit=(data["peer"]["commit"] or "")[:7],
            gpu=gpu["name"] if gpu else None,
            cpu=data["machine"]["cpu"],
            runs=tuple(_runs(data["runs"])),
        )


def read_peers(paths: list[Path]) -> list[PeerResult]:
    """Reads the files: of each system, device and settings the newest runs, by system and time."""
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for found in sorted(map(_read_peer, paths), key=lambda read: read.utc, reverse=True):
        runs = [run for run in found.runs if (found.system, run.device, run.settings) not in seen]
        seen |= {(found.system, run.device, run.settings) for run in runs}
        if runs:
            kept.append(replace(found, runs=tuple(runs)))
    return sorted(kept, key=lambda read: (read.system, read.utc))
