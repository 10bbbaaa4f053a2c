"""The summary: how fast, compared with what, and with which limitations."""

from spexreports.results.peer import PeerResult
from spexreports.results.published import read_published
from spexreports.results.result import Result
from spexreports.results.work import (
    FILES,
    PRODUCTION,
    alone,
    complete_or_all,
    compression,
    compression_written,
    exposures,
    fastest,
    files,
    has_fpnh,
    of_exposure,
    settings,
    standard,
)
from spexreports.tables.numbers import counted, factor, number, speed
from spexreports.tables.peer import speed_of_peer
from spexreports.tables.table import Table

COUNTS = {1: "one", 2: "two", 4: "four", 8: "eight"}


def machine(result: Result) -> str:
    """Number and model of the GPUs, or of CPUs: four NVIDIA H200s."""
    if not result.gpus:
        return counted(result.cpus * result.nodes, "CPU core")
    count = COUNTS.get(result.gpus, str(result.gpus))
    return f"{count} {result.gpu}{'s' if result.gpus > 1 else ''}"


def label(result: Result) -> str:
    """The machine and the kind of its files."""
    return f"{machine(result)}, {files(result)}"


def _row_label(result: Result, found: list[Result]) -> str:
    """The label; of a result that is not complete, beside complete ones, also this and the day."""
    if result.why_incomplete and any(not r.why_incomplete for r in found):
        return f"{label(result)} (not complete, {result.start:%Y-%m-%d})"
    return label(result)


def headlines(results: list[Result]) -> list[Result]:
    """The fastest exposure of 30 frames for each system and kind of files.

    A complete result comes before others, then one that writes what it reads, as DESI does. If no
    system has an exposure, of fewer frames. The fewest GPUs come first, compressed files before
    plain files.
    """
    usual = [r for r in exposures(results) if standard(r)]
    # A system that was only run by another method, such as a CPU by cholesky, has those.
    known = {r.system for r in usual}
    usual += [r for r in exposures(results) if r.system not in known and settings(r) == PRODUCTION]
    groups: dict[tuple, list[Result]] = {}
    for r in [r for r in usual if of_exposure(r)] or usual:
        groups.setdefault((r.gpus, r.system, compression(r)), []).append(r)
    found = []
    for key in sorted(groups):
        complete = complete_or_all(groups[key])
        same = [r for r in complete if compression_written(r) == compression(r)]
        found.append(fastest(same or complete))
    return found


def of_newest_machine(results: list[Result]) -> list[Result]:
    """The results of one machine at one commit: those of the newest headline on one GPU.

    If no headline is of one GPU, of the newest headline.
    """
    found = headlines(results)
    last = max([r for r in found if r.gpus == 1] or found, key=lambda r: r.start)
    return [r for r in results if (r.commit, r.system) == (last.commit, last.system)]


def _several_are_slower(found: list[Result]) -> str:
    """Why an exposure takes longer on several GPUs than on fewer; empty where it does not."""
    slower = [
        machine(r)
        for r in found
        for fewer in found
        if (fewer.gpu, files(fewer)) == (r.gpu, files(r))
        and fewer.gpus < r.gpus
        and fewer.effective.fpnh.value > r.effective.fpnh.value
    ]
    if not slower:
        return ""
    return (
        f" One exposure takes longer on {' and on '.join(dict.fromkeys(slower))} than on fewer: "
        "the driver starts GPUs one after the other before any of them gets work. They gain in "
        "long runs."
    )


def _form_of_desi(found: list[Result]) -> str:
    """What the label `.fits.gz` says, where there is one."""
    if all(files(r) != FILES["gz"] for r in found):
        return ""
    return f"{FILES['gz']}: input and output, as DESI stores them. "


def speed_table(results: list[Result], peers: list[PeerResult] | None = None) -> Table | None:
    """The paper's best result and the headlines of the systems; None without one.

    Before the headlines of a machine stands gpu_specter on that machine, where `peers` have it.
    """
    published = read_published()
    paper, deadline = published.best, published.deadline_s
    found = headlines(results)
    if not found:
        return None
    name = "the paper's best: four NVIDIA A100s, in Python"
    rows = [("paper", name, paper.fpnh, paper.walltime_s)]
    seen: list[str] = []
    for r in found:
        peer = speed_of_peer(peers or [], r)
        if peer and peer.note not in seen:
            name = f"gpu_specter, extraction alone: {machine(r)}"
            rows.append(("peer", name, peer.fpnh, peer.seconds))
            seen.append(peer.note)
        seconds = r.effective.seconds.value * (r.scaled_to or r.frames_asked) / r.frames_asked
        rows.append(("ours", _row_label(r, found), r.effective.fpnh.value, seconds))
    return Table.of(
        "headline",
        "How fast",
        [
            {
                "system": name,
                "FPNH": number(fpnh) if fpnh >= 1000 else f"{fpnh:.2f}",
                "seconds an exposure": f"{seconds:.1f}",
                "× the paper": factor(fpnh / paper.fpnh),
                f"of the {deadline:g} s allowed": f"{100 * seconds / deadline:.1f}%",
            }
            for _, name, fpnh, seconds in rows
        ],
        "From launch to exit, reading and writing included. The paper's files lie on a shared file "
        f"system, ours in memory. {_form_of_desi(found)}DESI takes an exposure every "
        f"{deadline:g} s, and must extract it in that time."
        f"{_several_are_slower(found)}",
        kinds=tuple(kind for kind, *_ in rows),
    )


def others_table(results: list[Result]) -> Table | None:
    """Entries of the tier ci and of partial frames, which test spex-bench."""
    columns = {
        "system, entry": lambda r: f"{r.system}, {r.entry}",
        "verdict": lambda r: r.overall,
        "effective, s": lambda r: speed(r.effective.seconds) if r.effective else None,
        "extraction, s": lambda r: speed(r.extraction.seconds) if r.extraction else None,
        "milestone": lambda r: r.milestone,
        "frames": lambda r: f"{r.frames_asked} of size {r.inputs['generator']['size']}",
    }
    # Sweeps of other tiers have a table of their own.
    found = [
        r
        for r in results
        if not has_fpnh(r) and (r.scaling is None or r.tier == "ci") and not alone(r)
    ]
    note = "Their seconds are not frames per node-hour, and are not part of the ladder."
    text_columns = ("milestone", "frames", "verdict")
    return Table.by_column(
        "harness", "Checks of the harness", found, columns, note, text_columns=text_columns
    )


def limits(results: list[Result]) -> list[str]:
    """Limitations of the headlines, a line each."""
    found = headlines(results)
    if not found:
        return []
    storage = sorted({r.json["inputs"]["storage"] for r in found})
    memory = " (memory)" if storage == ["tmpfs"] else ""
    nodes = max(r.nodes for r in found)
    lines = [
        "Frames are simulated by spex-sim; DESI's own also have faults that no simulation knows.",
        f"Files lie on {', '.join(storage)}{memory}.",
        "One node was used." if nodes == 1 else f"{nodes} nodes were used.",
    ]
    planned = [machine(r) for r in found if r.json["inputs"]["seeds"] == "plan"]
    if planned:
        lines.append(
            f"Seeds of {' and '.join(dict.fromkeys(planned))} are the plan's: these inputs could "
            "have been known before. The rule that seeds are drawn is newer."
        )
    return lines
