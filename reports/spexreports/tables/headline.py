"""What a reader asks first: how fast, beside what, right or wrong, and under which limits."""

from dataclasses import dataclass

from spexreports.results.published import read_published
from spexreports.results.result import Result
from spexreports.results.work import (
    alone,
    compression,
    fastest,
    has_fpnh,
    of_exposure,
    rungs,
    standard,
)
from spexreports.tables.numbers import counted, factor, number, speed
from spexreports.tables.table import Table

COUNTS = {1: "one", 2: "two", 4: "four", 8: "eight"}
# Of the checks against the reference those that a reader knows, with their units.
QUANTITIES = {
    "flux pull": "flux {} σ",
    "ivar, relative": "ivar {} (relative)",
    "resolution": "resolution {}",
}


def machine(result: Result) -> str:
    """Number and model of the GPUs that were used, else of CPUs: four NVIDIA H200s."""
    if not result.gpus:
        return counted(result.cpus * result.nodes, "CPU core")
    count = COUNTS.get(result.gpus, str(result.gpus))
    return f"{count} {result.gpu}{'s' if result.gpus > 1 else ''}"


def headlines(results: list[Result]) -> list[Result]:
    """Of each system its fastest exposure of 30 frames, or where none has one, of fewer frames.

    Those with the fewest GPUs come first.
    """
    usual = [r for r in rungs(results) if standard(r)]
    whole = [r for r in usual if of_exposure(r)]
    chosen = whole or usual
    systems = dict.fromkeys(r.system for r in chosen)
    best = [fastest([r for r in chosen if r.system == system]) for system in systems]
    return sorted(best, key=lambda r: (r.gpus, r.system))


def speed_table(results: list[Result]) -> Table | None:
    """The paper's best and the systems' headlines."""
    published = read_published()
    paper, deadline = published.best, published.deadline_s
    found = headlines(results)
    rows = [("the paper's best: four NVIDIA A100s, in Python", paper.fpnh, paper.walltime_s)]
    rows += [
        (
            machine(r),
            r.effective.fpnh.value,
            r.effective.seconds.value * (r.scaled_to or r.frames_asked) / r.frames_asked,
        )
        for r in found
    ]
    entries = ", ".join(f"{machine(r)}: `{r.entry}` of {r.system}" for r in found)
    note = f"From launch to exit. The paper: {paper.milestone}, table 1. {entries[:1].upper()}"
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
        f"{note}{entries[1:]}.",
        kinds=("paper", *("ours" for _ in found)),
    )


def _small(value: float) -> str:
    return f"{value:.1e}".replace("e-0", "e-").replace("e+00", "")


@dataclass(frozen=True)
class Agreement:
    """How many frames of results are right, and how far they are from the reference."""

    systems: str  # "30 of 30 frames of h200, ..."
    frames: int
    right: int
    with_reference: int
    with_truth: int
    largest: str  # differences, with their limits
    worst: float | None  # against the truth, of all frames together: part of what is allowed

    @property
    def sentence(self) -> str:
        """In words."""
        against = []
        for count, what in (
            (self.with_reference, "the CPU reference"),
            (self.with_truth, "the simulated truth"),
        ):
            few = "" if count == self.frames else f" ({count} of {self.frames})"
            against += [f"{what}{few}"] if count else []
        text = f"{self.systems} agree with {' and '.join(against)}."
        if self.largest:
            text += f" Largest differences from the reference: {self.largest}."
        if self.worst is not None:
            text += f" Errors against the truth: at most {self.worst:.2f} of what is allowed."
        return text if against else "No frame was compared."


def agreement(results: list[Result]) -> Agreement:
    """Of the frames of all timed runs, counted by camera."""
    frames = [frame for r in results for frame in r.json["validation"]["frames"]]
    largest = []
    for what, text in QUANTITIES.items():
        checks = [c for f in frames for c in f["checks"] if c["what"] == what]
        known = [c for c in checks if c["largest"] is not None and c["limit"]]
        if known:
            most = max(known, key=lambda c: c["largest"])
            found = text.format(_small(most["largest"]))
            largest.append(f"{found}, limit {_small(most['limit'])}")
    together = [c for r in results for c in r.json["validation"]["together"]]
    parts = [c["largest"] / c["limit"] for c in together if c["limit"] and c["largest"] is not None]
    note = " (rounding of the files' 32-bit numbers is added to each limit)"
    counts: dict[str, list[str]] = {}
    for r in results:
        one = r.json["validation"]["frames"]
        right = sum(frame["failure"] is None for frame in one)
        counts.setdefault(f"{right} of {len(one)} frames", []).append(r.system)
    groups = [f"{text} ({', '.join(dict.fromkeys(names))})" for text, names in counts.items()]
    return Agreement(
        systems=", ".join(groups),
        frames=len(frames),
        right=sum(frame["failure"] is None for frame in frames),
        with_reference=sum(frame["reference"] for frame in frames),
        with_truth=sum(frame["truth"] is not None for frame in frames),
        largest="; ".join(largest) + note if largest else "",
        worst=max(parts, default=None),
    )


def verdict(result: Result) -> str:
    """What spex-bench judged, and by what."""
    found, asked = result.json["verdict"], result.json["threshold"]
    if asked:
        target = ", ".join(f"{key} {value:g}" for key, value in asked.items() if value is not None)
        judged = f"{found['overall']}, held to {target}: speed {found['performance']}, "
    else:
        failed = "" if found["overall"] == "pass" else f"{found['overall']}; "
        judged = (
            f"{failed}speed not judged, as no target was stated (`spex-bench --thresholds FILE`): "
        )
    text = f"{judged}correctness {found['correctness']}, health {found['health']}"
    return text + "".join(f"; {reason}" for reason in found["reasons"])


def verdicts(results: list[Result]) -> list[tuple[str, str, bool]]:
    """Systems, their verdict, and whether they pass; the same verdict once."""
    systems: dict[tuple[str, bool], list[str]] = {}
    for r in results:
        systems.setdefault((verdict(r), r.overall == "pass"), []).append(r.system)
    return [(", ".join(names), text, good) for (text, good), names in systems.items()]


def failures(results: list[Result]) -> list[str]:
    """Entries that do not pass, with their reasons."""
    return [
        f"{r.system}, {r.entry}: {r.overall}: {'; '.join(r.reasons) or r.skipped or r.error or ''}"
        for r in results
        if r.overall != "pass"
    ]


def others_table(results: list[Result]) -> Table | None:
    """Entries of the tier ci and of frames that are not whole: they test the harness."""
    rows = [
        {
            "system, entry": f"{r.system}, {r.entry}",
            "milestone": r.milestone,
            "frames": f"{r.frames_asked} of size {r.inputs['generator']['size']}",
            "effective, s": speed(r.effective.seconds) if r.effective else None,
            "extraction, s": speed(r.extraction.seconds) if r.extraction else None,
            "verdict": r.overall,
        }
        for r in results
        if not has_fpnh(r) and r.scaling is None and not alone(r)
    ]
    note = "Their seconds are no frames per node-hour, and stand on no ladder."
    words = ("milestone", "frames", "verdict")
    return Table.of("harness", "Checks of the harness", rows, note, words=words)


def limits(results: list[Result]) -> list[str]:
    """What the headlines' numbers leave out, a line each."""
    found = headlines(results)
    if not found:
        return []
    lines = [
        "Frames are simulated by spex-sim; DESI's own also have faults that no simulation knows."
    ]
    storage = sorted({r.json["inputs"]["storage"] for r in found})
    memory = " (memory)" if storage == ["tmpfs"] else ""
    kind = " and ".join(sorted({compression(r) for r in found})).replace("none", "plain FITS")
    lines.append(f"Files lie on {', '.join(storage)}{memory}, as {kind}. DESI's own are .fits.gz.")
    nodes = max(r.nodes for r in found)
    lines.append("One node was used." if nodes == 1 else f"{nodes} nodes were used.")
    planned = [r.system for r in found if r.json["inputs"]["seeds"] == "plan"]
    if planned:
        lines.append(
            f"Seeds are the plan's ({', '.join(planned)}): these inputs could have been known "
            "before. The rule that seeds are drawn is newer."
        )
    most, best = found[-1], max(found, key=lambda r: r.effective.fpnh.value)
    if most.gpus > best.gpus:
        lines.append(
            f"For one exposure {machine(most)} are slower than {machine(best)}: the driver starts "
            "GPUs one after the other before it gives any of them work. Their gain is in long runs."
        )
    return lines
