"""What a reader asks first: which machine, the verdict, how fast, held to what, when."""

from pathlib import Path

from spexreports.cells import speed_cell
from spexreports.command_line import alone, whole_frames
from spexreports.marks import marks
from spexreports.night import long_runs, sustained
from spexreports.numbers import counted, interval, interval_kind, number
from spexreports.order_statistics import Estimate
from spexreports.page import Footnotes, Html, escape, join, link, note, small, table
from spexreports.result import Result
from spexreports.section import by_group, rungs
from spexreports.work import compression, has_fpnh, of_exposure, standard, why_incomplete

ATTRIBUTES = ("system", "verdict", "speed", "held to", "measured")
BREAK = Html("<br>")


def _machine(group: list[Result]) -> Html:
    """Name, GPUs, CPUs, memory, nodes."""
    widest = max(group, key=lambda r: (r.gpus_per_node, r.nodes))
    system = widest.json["system"]
    lines = [Html(f"<b>{escape(widest.system)}</b>")]
    if widest.gpus_per_node and widest.gpu:
        lines.append(f"{widest.gpus_per_node} × {widest.gpu}")
    lines.append(f"{system['cpus']} CPUs: {system['cpu']}")
    memory = system["memory_bytes"] / 2**30
    nodes = "" if widest.nodes == 1 else f", {widest.nodes} nodes"
    lines.append(f"{memory:.0f} GiB of memory{nodes}; {system['os']}")
    return join(lines, BREAK)


def _verdict(group: list[Result]) -> Html:
    """How many entries pass, and what the others have."""
    wrong = [r for r in group if r.overall != "pass"]
    tiers = "; ".join(dict.fromkeys(f"tier {r.tier}, {r.division}" for r in group))
    count = len(group)
    if not wrong:
        text = Html(f'<span class="good">pass</span>: {counted(count, "entry", "entries")}')
    else:
        few = [f"{r.entry}: {r.overall}: {r.failure or '; '.join(r.reasons)}" for r in wrong[:3]]
        more = [f"and {len(wrong) - 3} more, below"] if len(wrong) > 3 else []
        verb = "does" if len(wrong) == 1 else "do"
        head = Html(f'<span class="bad">{len(wrong)} of {count} entries {verb} not pass</span>')
        text = join([head, *few, *more], BREAK)
    return join([text, small(tiers)], BREAK)


def headline(group: list[Result]) -> Result | None:
    """The entry that stands for a system: the fastest with all frames and production's settings.

    Where there is none, the fastest of fewer frames, else the fastest at all.
    """
    valid = [r for r in group if r.effective and r.extraction and has_fpnh(r)]
    valid = [r for r in valid if r.tier != "night"] or valid
    usual = [r for r in rungs(valid) if standard(r)]
    best = [r for r in usual if of_exposure(r)] or usual or rungs(valid) or valid
    return max(best, key=lambda r: r.effective.fpnh.value, default=None)


def _clock(name: str, speed: Estimate, notes: Footnotes) -> Html:
    weak = [] if speed.confident else [interval_kind(speed, "run")]
    span = interval(speed)
    big = Html(f'<span class="big">{number(speed.value)}</span>')
    below = [BREAK, small(span)] if span else []
    return join([big, f" {name}", *below, notes.mark(*weak)])


def _speed(best: Result | None, group: list[Result], notes: Footnotes, out: Path) -> Html:
    if best is None:
        checks = any(r.tier == "ci" or not whole_frames(r.json) for r in group)
        text = "a check of the harness, no speed of a machine" if checks else "no valid speed"
        return escape(text)
    entry = join([link(best.entry, best.file, out), notes.mark(*marks(best).values())])
    frames = f", {counted(best.frames_asked, 'frame')} in {number(best.effective.seconds.value)} s"
    lines = [
        _clock("effective", best.effective.fpnh, notes),
        _clock("extraction", best.extraction.fpnh, notes),
        join(["frames per node-hour, ", entry, frames]),
    ]
    for night in long_runs(group)[:1]:
        name = join([link(night.entry, night.file, out), notes.mark(*marks(night).values())])
        count = f", {number(night.frames_asked)} frames"
        lines += [_clock("sustained", sustained(night), notes), join(["in ", name, count])]
    return join(lines, BREAK)


def held_to(result: Result) -> list[str]:
    """By what the frames of a result were found right, a line each."""
    frames = result.json["validation"]["frames"]
    valid = sum(frame["failure"] is None for frame in frames)
    lines = [f"{valid} of {len(frames)} frames right in every run"]
    references = sum(frame["reference"] for frame in frames)
    lines.append(f"{references} against the CPU extractor")
    truths = sum(frame["truth"] is not None for frame in frames)
    lines.append(f"{truths} against the simulated truth")
    passed = [golden["name"] for golden in result.json["golden"] if not golden["failure"]]
    failed = [golden["name"] for golden in result.json["golden"] if golden["failure"]]
    lines.append(f"golden cases passed: {', '.join(passed) or 'none was run'}")
    return lines + ([f"golden cases FAILED: {', '.join(failed)}"] if failed else [])


def _held(best: Result | None, group: list[Result]) -> Html:
    """Of the headline's entry; else of one that passes, or of the first, by name."""
    if best:
        return join(held_to(best), BREAK)
    one = next((r for r in group if r.effective), group[0])
    return join([f"{one.entry}:", *held_to(one)], BREAK)


def _measured(group: list[Result]) -> Html:
    days = sorted({r.start.strftime("%Y-%m-%d") for r in group})
    builds = dict.fromkeys(
        f"{r.json['build']['commit'][:10]}{' with changes' if r.json['build']['dirty'] else ''}"
        for r in group
    )
    compilers = dict.fromkeys(r.json["build"]["compiler"] for r in group)
    storage = dict.fromkeys(r.json["inputs"]["storage"] for r in group)
    plans = dict.fromkeys(r.json["plan"]["name"] for r in group)
    lines = [
        days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}",
        f"commit {', '.join(builds)}; {', '.join(compilers)}",
        f"plan {', '.join(plans)}; files on {', '.join(storage)}",
    ]
    return join(lines, BREAK)


def in_order(groups: list[list[Result]]) -> list[list[Result]]:
    """Systems with an entry that does not pass, those that are complete, the newest."""

    def place(group: list[Result]) -> tuple[bool, bool, float]:
        best = headline(group)
        complete = best is not None and not why_incomplete(best)
        newest = max(r.start for r in group).timestamp()
        return all(r.overall == "pass" for r in group), not complete, -newest

    return sorted(groups, key=place)


def opening(shown: list[Result], out: Path) -> Html:
    """HTML: a column for each system, and what FPNH is."""
    groups, notes = by_group(shown, lambda r: r.system), Footnotes()
    columns = []
    for group in in_order(list(groups.values())):
        best = headline(group)
        columns.append(
            [
                _machine(group),
                _verdict(group),
                _speed(best, group, notes, out),
                _held(best, group),
                _measured(group),
            ]
        )
    rows = [[name, *cells] for name, *cells in zip(ATTRIBUTES, *columns, strict=True)]
    head, *rest = rows
    text = (
        "FPNH is the frames that a node extracts in an hour, reading and writing included. The "
        "effective clock runs from before the launcher starts to its exit, the extraction clock "
        "from the barrier of all ranks, once MPI has started, to the last file. Numbers are "
        "medians, with intervals of the median. Where an entry was run more than once, all but "
        "the trend shows its last run."
    )
    return join([table(head, rest, kind="cards"), notes.html(), note(text)])


def harness_checks(shown: list[Result], out: Path) -> Html | None:
    """HTML: entries whose speeds say nothing of a machine; None where there are none."""
    chosen = [r for r in shown if not has_fpnh(r) and r.scaling is None]
    if not chosen:
        return None
    notes, rows = Footnotes(), []
    for r in chosen:
        clocks = [
            speed_cell(figure.seconds, notes) if figure else "–"
            for figure in (r.effective, r.extraction)
        ]
        generator = r.json["inputs"]["generator"]
        lonely = ", alone" if alone(r.json) else ""
        rows.append(
            [
                join([f"{r.system}, ", link(r.entry, r.file, out)]),
                r.milestone,
                f"{r.frames_asked} of size {generator['size']}{compression(r)}{lonely}",
                *clocks,
                join([r.overall, notes.mark(*([r.failure] if r.failure else []))]),
            ]
        )
    head = ("system, entry", "milestone", "frames", "effective, s", "extraction, s", "verdict")
    text = (
        "Entries of the tier ci, and of frames that are not whole, test the harness and the "
        "answers. Their speeds are not FPNH, and stand on no ladder; nor does that of a frame "
        "alone."
    )
    kinds = ["ours" if r.effective else "failed" for r in chosen]
    return join([note(text), table(head, rows, kinds, (3, 4)), notes.html()])
