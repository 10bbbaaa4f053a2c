"""The summary: how fast, compared with what, correct or not, and with which limitations."""

from spexreports.results.peer import PeerResult
from spexreports.results.published import read_published
from spexreports.results.result import Result
from spexreports.results.work import (
    FILES,
    PRODUCTION,
    alone,
    compression,
    exposures,
    fastest,
    has_fpnh,
    of_exposure,
    settings,
    standard,
)
from spexreports.tables.numbers import counted, factor, number, speed
from spexreports.tables.peer import speed_of_peer
from spexreports.tables.table import Table

# Said of results that are older than the rules.
NOT_COMPLETE = " Not complete: right, but without all that the run rules ask (docs/benchmark.md)."
COUNTS = {1: "one", 2: "two", 4: "four", 8: "eight"}
# Checks against the reference that a reader knows, with their units.
QUANTITIES = {
    "flux pull": "flux {} σ",
    "ivar, relative": "ivar {} (relative)",
    "resolution": "resolution {}",
}


def machine(result: Result) -> str:
    """Number and model of the GPUs, or of CPUs: four NVIDIA H200s."""
    if not result.gpus:
        return counted(result.cpus * result.nodes, "CPU core")
    count = COUNTS.get(result.gpus, str(result.gpus))
    return f"{count} {result.gpu}{'s' if result.gpus > 1 else ''}"


def label(result: Result) -> str:
    """The machine and the kind of its files."""
    return f"{machine(result)}, {FILES[compression(result)]}"


def headlines(results: list[Result]) -> list[Result]:
    """The fastest exposure of 30 frames for each system and kind of files.

    If no system has one, of fewer frames. The fewest GPUs come first, compressed files before plain
    files.
    """
    usual = [r for r in exposures(results) if standard(r)]
    # A system that was only run by another method, such as a CPU by cholesky, has those.
    known = {r.system for r in usual}
    usual += [r for r in exposures(results) if r.system not in known and settings(r) == PRODUCTION]
    groups: dict[tuple, list[Result]] = {}
    for r in [r for r in usual if of_exposure(r)] or usual:
        groups.setdefault((r.gpus, r.system, compression(r)), []).append(r)
    return [fastest(groups[key]) for key in sorted(groups)]


def of_newest_commit(results: list[Result]) -> list[Result]:
    """The results of the commit whose headlines are the newest."""
    commit = max(headlines(results), key=lambda r: r.start).commit
    return [r for r in results if r.commit == commit]


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
    notes: list[str] = []
    for r in found:
        peer = speed_of_peer(peers or [], r)
        if peer and peer.note not in notes:
            name = f"gpu_specter, same machine: {machine(r)}"
            rows.append(("peer", name, peer.fpnh, peer.seconds))
            notes.append(peer.note)
        seconds = r.effective.seconds.value * (r.scaled_to or r.frames_asked) / r.frames_asked
        rows.append(("ours", label(r), r.effective.fpnh.value, seconds))
    entries = [
        f"`{r.entry}` of {r.system} ({r.commit}, {r.start:%Y-%m-%d}"
        f"{', not complete' if r.why_incomplete else ''})"
        for r in found
    ]
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
        "From launch to exit, reading and writing included: here files in memory, in the paper a "
        "shared file system. `.fits.gz`: input and output, as DESI stores them. The paper: "
        f"{paper.milestone}, table 1. Here: {', '.join(entries)}."
        + "".join(f" {note}" for note in notes)
        + (NOT_COMPLETE if any(r.why_incomplete for r in found) else ""),
        kinds=tuple(kind for kind, *_ in rows),
    )


def _small(value: float) -> str:
    return f"{value:.1e}".replace("e-0", "e−").replace("e+00", "")


def frames_of(results: list[Result]) -> list[dict]:
    """The validation of each camera in each result."""
    return [frame for r in results for frame in r.json["validation"]["frames"]]


def right_frames(results: list[Result]) -> str:
    """How many of the compared frames are correct, over all runs of all results."""
    frames = frames_of(results)
    compared = sum(frame["compared"] for frame in frames)
    wrong = [frame["camera"] for frame in frames if frame["failure"] is not None]
    if not wrong:
        return f"All {compared} compared frames are right"
    return f"Of {compared} compared frames those of {', '.join(dict.fromkeys(wrong))} are wrong"


def agreement(results: list[Result]) -> str:
    """What the frames agree with, and how closely."""
    frames = frames_of(results)
    with_reference = sum(frame["compared"] for frame in frames if frame["reference"])
    compared = sum(frame["compared"] for frame in frames)
    if not compared:
        return "No frame was compared."
    systems = ", ".join(dict.fromkeys(r.system for r in results))
    against = "the simulated truth"
    if with_reference == compared:
        against = f"the CPU reference and {against}"
    elif with_reference:
        against += f", and {with_reference} of them with the CPU reference, which the plan asks for"
    text = f"{right_frames(results)}: compared with {against}"
    together = [c for r in results for c in r.json["validation"]["together"]]
    parts = [c["largest"] / c["limit"] for c in together if c["limit"] and c["largest"] is not None]
    if parts:
        text += f"; worst {max(parts):.2f} of what is allowed"
    text += f" ({systems})."
    checks = [check for frame in frames for check in frame["checks"]]
    known = []
    for what, text_format in QUANTITIES.items():
        largest = max((c["largest"] or 0 for c in checks if c["what"] == what), default=0)
        known += [text_format.format(_small(largest))] if largest else []
    return f"{text} Largest differences from the reference: {', '.join(known)}." if known else text


def verdict(result: Result) -> str:
    """The verdict of spex-bench, and its threshold."""
    found, asked = result.json["verdict"], result.json["threshold"]
    if asked:
        target = ", ".join(f"{key} {value:g}" for key, value in asked.items() if value is not None)
        speed_text = f"held to {target}: speed {found['performance']}, "
    else:
        speed_text = "speed not judged, as no target was stated (`spex-bench --thresholds FILE`): "
    overall = "" if found["overall"] == "pass" and not asked else f"{found['overall']}, "
    text = f"{overall}{speed_text}correctness {found['correctness']}, health {found['health']}"
    return text + "".join(f"; {reason}" for reason in found["reasons"])


def judged(results: list[Result]) -> list[Result]:
    """The headlines; without a threshold, the fastest exposure of the system that has one."""
    held: dict[str, list[Result]] = {}
    for r in exposures(results):
        if standard(r) and r.json["threshold"]:
            held.setdefault(r.system, []).append(r)
    return [
        h if h.json["threshold"] or h.system not in held else fastest(held[h.system])
        for h in headlines(results)
    ]


def verdicts(results: list[Result]) -> list[tuple[str, str, str]]:
    """Systems, their verdict, and yes, no or open; equal verdicts appear once."""
    systems: dict[tuple[str, str], list[str]] = {}
    for r in results:
        passed = "yes" if r.json["threshold"] else "open"
        key = verdict(r), passed if r.overall == "pass" else "no"
        systems.setdefault(key, []).append(r.system)
    return [(", ".join(dict.fromkeys(names)), *key) for key, names in systems.items()]


def failures(results: list[Result]) -> list[str]:
    """Entries that do not pass, with the reasons."""
    return [
        f"{r.system}, {r.entry}: {r.overall}: {'; '.join(r.reasons) or r.skipped or r.error or ''}"
        for r in results
        if r.overall != "pass"
    ]


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
    planned = [f"`{r.entry}` of {r.system}" for r in found if r.json["inputs"]["seeds"] == "plan"]
    if planned:
        lines.append(
            f"Seeds of {', '.join(planned)} are the plan's: these inputs could have been known "
            "before. The rule that seeds are drawn is newer."
        )
    plain = [r for r in found if compression(r) == "none"] or found
    largest, best = plain[-1], max(plain, key=lambda r: r.effective.fpnh.value)
    if largest.gpus > best.gpus:
        lines.append(
            f"For one exposure {machine(largest)} are slower than {machine(best)}: the driver "
            "starts GPUs one after the other before any of them gets work. They gain in long runs."
        )
    return lines
