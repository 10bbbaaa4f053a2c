"""The summary: how fast, compared with what, correct or not, and with which limitations."""

from spexreports.results.published import read_published
from spexreports.results.result import Result
from spexreports.results.work import (
    FILES,
    alone,
    compression,
    exposures,
    fastest,
    has_fpnh,
    of_exposure,
    standard,
)
from spexreports.tables.numbers import counted, factor, number, speed
from spexreports.tables.table import Table

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
    groups: dict[tuple, list[Result]] = {}
    for r in [r for r in usual if of_exposure(r)] or usual:
        groups.setdefault((r.gpus, r.system, compression(r)), []).append(r)
    return [fastest(groups[key]) for key in sorted(groups)]


def speed_table(results: list[Result]) -> Table | None:
    """The paper's best result and the headlines of the systems."""
    published = read_published()
    paper, deadline = published.best, published.deadline_s
    found = headlines(results)
    rows = [("the paper's best: four NVIDIA A100s, in Python", paper.fpnh, paper.walltime_s)]
    rows += [
        (
            label(r),
            r.effective.fpnh.value,
            r.effective.seconds.value * (r.scaled_to or r.frames_asked) / r.frames_asked,
        )
        for r in found
    ]
    entries = [f"`{r.entry}` of {r.system} ({r.commit}, {r.start:%Y-%m-%d})" for r in found]
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
            for name, fpnh, seconds in rows
        ],
        "From launch to exit, reading and writing included: here files in memory, in the paper a "
        "shared file system. `.fits.gz`: input and output, as DESI stores them. The paper: "
        f"{paper.milestone}, table 1. Here: {', '.join(entries)}.",
        kinds=("paper", *("ours" for _ in found)),
    )


def _small(value: float) -> str:
    return f"{value:.1e}".replace("e-0", "e−").replace("e+00", "")


def frames_of(results: list[Result]) -> list[dict]:
    """The validation of each camera in each result."""
    return [frame for r in results for frame in r.json["validation"]["frames"]]


def right_frames(results: list[Result]) -> str:
    """How many frames are correct, and of how many, by camera; equal counts appear once."""
    counts = []
    for r in results:
        frames = frames_of([r])
        right = sum(frame["failure"] is None for frame in frames)
        counts.append(f"{right} of {len(frames)} frames")
    return ", ".join(dict.fromkeys(counts))


def agreement(results: list[Result]) -> str:
    """What the frames agree with, and how closely."""
    frames = frames_of(results)
    against = []
    for count, what in (
        (sum(frame["reference"] for frame in frames), "the CPU reference"),
        (sum(frame["truth"] is not None for frame in frames), "the simulated truth"),
    ):
        few = "" if count == len(frames) else f" ({count} of {len(frames)})"
        against += [f"{what}{few}"] if count else []
    if not against:
        return "No frame was compared."
    systems = ", ".join(dict.fromkeys(r.system for r in results))
    text = f"{right_frames(results)} agree with {' and '.join(against)}"
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
        "milestone": lambda r: r.milestone,
        "frames": lambda r: f"{r.frames_asked} of size {r.inputs['generator']['size']}",
        "effective, s": lambda r: speed(r.effective.seconds) if r.effective else None,
        "extraction, s": lambda r: speed(r.extraction.seconds) if r.extraction else None,
        "verdict": lambda r: r.overall,
    }
    found = [r for r in results if not has_fpnh(r) and r.scaling is None and not alone(r)]
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
