"""gpu_specter and spexbench on the same machine, by ci/peer-bench."""

from dataclasses import dataclass

from spexreports.results.peer import PEER, PeerResult, PeerRun
from spexreports.results.result import Result
from spexreports.results.work import EXPOSURE_FRAMES
from spexreports.tables.numbers import counted, factor, number
from spexreports.tables.table import Table

SETTINGS = {"production": "production's", "script": "the benchmark script's"}


@dataclass(frozen=True)
class PeerSpeed:
    """The speed of gpu_specter on the machine of a result, by its extraction alone."""

    found: PeerResult
    run: PeerRun

    @property
    def seconds(self) -> float:
        """Seconds of an exposure."""
        return EXPOSURE_FRAMES * self.run.extraction

    @property
    def fpnh(self) -> float:
        """Frames per node-hour."""
        return 3600 / self.run.extraction

    @property
    def note(self) -> str:
        """What the number is, for readers."""
        ranks = "one rank" if self.run.ranks == 1 else f"{self.run.ranks} ranks under MPS"
        commit = f"{self.found.commit}, " if self.found.commit else ""
        return (
            f"gpu_specter: on {self.found.system}, 30 times the mean of a b, an r and "
            f"a z frame by {ranks}, extraction alone, without start, reading and writing "
            f"({commit}{self.found.utc:%Y-%m-%d})."
        )


def speed_of_peer(peers: list[PeerResult], result: Result) -> PeerSpeed | None:
    """gpu_specter on the machine of a result, of full frames at production's settings.

    None where it was not run there, where a frame differed, and for several GPUs.
    """
    for found in peers:
        if found.system != result.system or found.gpu != result.gpu or result.gpus != 1:
            continue
        for run in found.runs:
            work = found.same_work(run)
            wrong = any(other.failure for other in work)
            if (run.device, run.settings) == ("gpu", "production") and run.all_arms and not wrong:
                fastest = found.fastest_peer(run)
                return PeerSpeed(found, fastest) if fastest.extraction else None
    return None


def _row(found: PeerResult, run: PeerRun) -> dict[str, str | None]:
    peer = found.fastest_peer(run)
    inside = run.extraction and peer.extraction and peer.extraction / run.extraction
    where = found.gpu if run.device == "gpu" else f"one core of {found.cpu}"
    ranks = f", {counted(run.ranks, 'rank')}" if run.device == "gpu" else ""
    agrees = f"no: {run.failure}" if run.failure else "yes"
    if run.by_cpu:
        agrees += f", {counted(run.by_cpu, 'bundle')} with its CPU path"
    agrees += "" if run.pull is None else f", flux within {run.pull:.1e} σ"
    return {
        "system": f"{found.system}, {where}",
        "program": f"{PEER}{ranks}" if run.is_peer else f"spex-{run.device}, {run.program}",
        "settings": SETTINGS[run.settings],
        "fibers": str(run.fibers),
        "launch to exit, s": number(run.seconds),
        "extraction, s": run.extraction and number(run.extraction),
        "× gpu_specter, launch to exit": factor(peer.seconds / run.seconds),
        "× gpu_specter, extraction": inside and factor(inside),
        "agrees": None if run.is_peer else agrees,
        "cameras": ", ".join(run.cameras),
        "runs": str(run.repeats),
    }


def peer_table(peers: list[PeerResult]) -> Table | None:
    """Each program of each machine."""
    rows = [_row(found, run) for found in peers for run in found.runs]
    origins = [
        f"{found.system}: gpu_specter {found.commit or 'of unknown commit'}, {found.utc:%Y-%m-%d}"
        for found in peers
    ]
    commits = ", ".join(dict.fromkeys(origins))
    note = (
        "One frame, or one bundle of 25 fibers, a process; plain FITS; means over cameras of "
        "medians. Extraction: without start, reading and writing, as each program reports it; of "
        "gpu_specter the second in a process, which compiles nothing. "
        "Ratios are to the gpu_specter of the same settings with the fastest extraction. "
        "With its CPU path: of a bundle in which gpu_specter's GPU path differs from ours by more "
        "than allowed, but its CPU path does not. "
        f"{commits}."
    )
    kinds = tuple("" if run.is_peer else "ours" for found in peers for run in found.runs)
    text_columns = ("program", "settings", "agrees", "cameras")
    title = "Beside gpu_specter, on the same machine"
    return Table.of("peer", title, rows, note, text_columns=text_columns, kinds=kinds)
