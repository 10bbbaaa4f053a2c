"""Numbers of the documents that are quoted from result files: written by a script, and checked.

A document holds blocks between `<!-- from results: NAME -->` and `<!-- end -->`; what stands
between is what the function of that name makes of the results.
"""

import re
import statistics
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from spexreports.bundle_seconds import BundleSeconds
from spexreports.command_line import alone
from spexreports.errors import DataError
from spexreports.flux_cost import COLUMNS, cost, pairs, subject
from spexreports.gpu_checks import GpuCheck, telling
from spexreports.marks import INCOMPLETE
from spexreports.mps_table import mps_pairs
from spexreports.night import long_runs, sustained
from spexreports.numbers import counted, interval, number
from spexreports.opening import headline
from spexreports.order_statistics import Estimate
from spexreports.published import CPU_MILESTONES, MILESTONES, read_published
from spexreports.result import KERNELS, Result
from spexreports.section import by_group, in_sweep, newest, rungs
from spexreports.stages_figure import stage_seconds
from spexreports.time_table import clock_parts
from spexreports.work import of_exposure, standard, why_incomplete

BLOCK = re.compile(r"(<!-- from results: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
MARK = re.compile(r"^<!-- (?:from results: .*|end) -->$", re.MULTILINE)
COUNTS = {1: "one", 2: "two", 4: "four", 8: "eight"}


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _speed(speed: Estimate) -> str:
    span = interval(speed)
    return f"{number(speed.value)} ({span})" if span else number(speed.value)


def _best(results: list[Result]) -> Result:
    return max(results, key=lambda r: r.effective.fpnh.value)


def _with_gpus(results: list[Result]) -> list[tuple[str, list[Result]]]:
    """Systems whose ladder has an exposure's entry on GPUs, with the fewest GPUs first.

    An exposure's entry has all its frames, or some that stand for them.
    """
    groups = by_group([r for r in rungs(results) if r.effective], lambda r: r.system)
    chosen = [
        (name, group)
        for name, group in groups.items()
        if any(r.gpus and (of_exposure(r) or r.scaled_to) for r in group)
    ]
    return sorted(chosen, key=lambda pair: max(r.gpus_per_node for r in pair[1]))


def _machine(group: list[Result]) -> str:
    """Number and model: four NVIDIA H200s."""
    widest = max(group, key=lambda r: r.gpus_per_node)
    count = widest.gpus_per_node
    return f"{COUNTS.get(count, str(count))} {widest.gpu}{'s' if count > 1 else ''}"


def _headlines(results: list[Result]) -> list[tuple[str, Result]]:
    """Of each kind of machine one result, that of fewest missing things and then the newest.

    Machines whose result lacks more than those of others are left out.
    """
    best = {}
    for _, group in _with_gpus(results):
        machine, found = _machine(group), headline(group)
        rank = -len(why_incomplete(found)), found.start
        if machine not in best or rank > best[machine][0]:
            best[machine] = rank, found
    fewest = max((rank[0] for rank, _ in best.values()), default=0)
    return [(machine, found) for machine, (rank, found) in best.items() if rank[0] == fewest]


def _mark(result: Result) -> str:
    return INCOMPLETE if why_incomplete(result) else ""


def _filled(text: str) -> str:
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False) + "\n"


def _explained(named: list[tuple[str, Result]]) -> str:
    """A paragraph that says what the mark says of each name, by reason; empty without a mark."""
    names = by_group(
        [pair for pair in named if _mark(pair[1])],
        lambda pair: ", ".join(why_incomplete(pair[1])),
    )
    reasons = [f"{', '.join(name for name, _ in of)} ({reason})" for reason, of in names.items()]
    return "\n" + _filled(f"{INCOMPLETE} not complete: {'; '.join(reasons)}.") if names else ""


def headline_sentence(results: list[Result]) -> str:
    """A sentence for each kind of machine, the one with most GPUs first."""
    sentences = []
    shown = list(reversed(_headlines(results)))
    for machine, best in shown:
        frames, seconds = counted(best.frames_asked, "frame"), best.effective.seconds.value
        sentences.append(
            f"On {machine} `spex-gpu` extracts {frames} in {seconds:.1f} s from launch to "
            f"exit, files included: {number(best.effective.fpnh.value)} frames per node-hour, and "
            f"{number(best.extraction.fpnh.value)} by the clock that starts once MPI "
            f"has{_mark(best)}."
        )
    return _filled(" ".join(sentences)) + _explained(shown)


def _entries(names: Iterable[str]) -> str:
    """Names in backquotes; points of a sweep (NAME-1, NAME-2) together, as NAME-…."""
    joined = by_group(list(names), lambda name: re.sub(r"-[\d.]+$", "", name))
    return ", ".join(
        f"`{stem}-…`" if len(members) > 1 else f"`{members[0]}`" for stem, members in joined.items()
    )


def campaigns(results: list[Result]) -> str:
    """Which commit every entry of every system is of: a row for each plan that was run."""
    groups = by_group(
        sorted(results, key=lambda r: (r.start, r.entry)),
        lambda r: (
            r.system,
            r.json["plan"]["name"],
            r.json["build"]["commit"][:7] + (" with changes" if r.json["build"]["dirty"] else ""),
        ),
    )
    rows = []
    for (system, plan, commit), group in groups.items():
        days = sorted({f"{r.start:%Y-%m-%d}" for r in group})
        gpus = max(r.gpus_per_node for r in group)
        parts = [counted(gpus, group[0].gpu)] if gpus else []
        machine = ", ".join([*parts, counted(group[0].cpus, "CPU")])
        entries = _entries(sorted({r.entry for r in group}))
        rows.append([system, machine, commit, ", ".join(days), plan, entries])
    rows.sort(key=lambda row: (row[0], row[3]))
    return _table(("system", "used of a node", "commit", "date", "plan", "entries"), rows)


def _memory(result: Result) -> str:
    most = [s["device_memory_bytes"] for s in result.json["timing"]["samples"]]
    known = [m for m in most if m is not None]
    return f"{max(known) / 1e9:.1f}" if known else "–"


def speeds(results: list[Result]) -> str:
    """Of each system the entries with all 30 frames, by both clocks with their ranges."""
    shown = [r for _, group in _with_gpus(results) for r in group if of_exposure(r)]
    rows = [
        [
            f"{result.system}, {result.entry}{_mark(result)}",
            f"{result.effective.seconds.value:.2f}",
            _speed(result.effective.fpnh),
            _speed(result.extraction.fpnh),
            str(len(result.timed)),
            "–" if result.joules_per_frame is None else number(result.joules_per_frame),
            _memory(result),
        ]
        for result in shown
    ]
    head = (
        "system, entry",
        "effective, s",
        "effective FPNH",
        "extraction FPNH",
        "runs",
        "J a frame",
        "most memory of a GPU, GB",
    )
    return _table(head, rows) + _explained([(f"{r.system} {r.entry}", r) for r in shown])


def _core_seconds(result: Result) -> str:
    known = [s["cpu_s"] for s in result.json["timing"]["samples"] if not s["warmup"]]
    if None in known:
        return "–"
    return f"{statistics.median(known) / result.frames_asked:.2f}"


def long_runs_table(results: list[Result]) -> str:
    """Long runs: the steady part's speed, from launch to exit, and what the host did."""
    rows = [
        [
            f"{result.system}, {result.entry}",
            number(result.frames_asked),
            _speed(sustained(result)),
            _speed(result.effective.fpnh),
            _core_seconds(result),
            _memory(result),
            str(len(result.timed)),
            "; ".join(why_incomplete(result)) or "yes",
        ]
        for result in long_runs(results)
    ]
    head = (
        "system, entry",
        "frames",
        "FPNH of the steady part",
        "FPNH from launch to exit",
        "core-seconds a frame",
        "most memory of a GPU, GB",
        "runs",
        "complete",
    )
    return _table(head, rows) if rows else ""


def milestones(results: list[Result]) -> str:
    """The fastest of each milestone, effective and extraction FPNH, beside the paper's best."""
    systems, rows = _with_gpus(results), []
    for milestone in MILESTONES:
        cells = []
        for _, group in systems:
            found = [r for r in group if r.milestone == milestone and standard(r)]
            best = _best(found) if found else None
            cells.append(
                f"{number(best.effective.fpnh.value)}, {number(best.extraction.fpnh.value)}"
                f"{'' if of_exposure(best) else f' ({best.frames_asked})'}"
                if best
                else "–"
            )
        paper = [r for r in read_published().ladder if r.milestone == milestone]
        top = max(paper, key=lambda r: r.fpnh, default=None)
        name = f"{milestone} (CPU)" if milestone in CPU_MILESTONES else milestone
        rows.append([name, *cells, f"{top.fpnh:.2f} ({top.system})" if top else "–"])
    return _table(["milestone", *(name for name, _ in systems), "the paper's best"], rows)


def _sweep(kind: str, what: str, x_of: Callable[[Result], float]) -> Callable:
    def block(results: list[Result]) -> str:
        chosen = sorted(in_sweep(results, kind), key=lambda r: (r.system, r.milestone, x_of(r)))
        rows = [
            [
                f"{r.system}, {r.milestone}",
                f"{x_of(r):g}",
                _speed(r.effective.fpnh),
                _speed(r.extraction.fpnh),
                str(len(r.timed)),
            ]
            for r in chosen
        ]
        return _table(("system, milestone", what, "effective", "extraction", "runs"), rows)

    return block


def mps(results: list[Result]) -> str:
    """The same ranks on one GPU with MPS and without it, and what it gains, in pairs of runs."""
    rows = [
        [
            f"{on.system}, {on.milestone}",
            *(_speed(r.effective.fpnh) for r in (off, on)),
            *map(_speed, ratios),
        ]
        for off, on, ratios in mps_pairs(results)
    ]
    head = ("system, milestone", "off", "on", "on / off, effective", "on / off, extraction")
    return _table(head, rows)


def cores(results: list[Result]) -> str:
    """A frame by ranks of CPUs, and by threads; of a point of both sweeps, that of more runs."""
    points = {}
    for r in sorted(in_sweep(results, "strong", "threads"), key=lambda r: len(r.timed)):
        if not r.gpus:
            points[r.system, r.ranks, r.threads] = r
    chosen = [points[key] for key in sorted(points)]
    rows = []
    for r in chosen:
        memory = max(s["max_rss_bytes"] or 0 for s in r.json["timing"]["samples"])
        seconds = f"{r.effective.seconds.value:.1f}"
        rows.append([r.system, f"{r.ranks} × {r.threads}", seconds, f"{memory / 1e9:.2f}"])
    return _table(("system", "ranks × threads", "wall clock, s", "memory of a rank, GB"), rows)


def bundles(results: list[Result]) -> str:
    """Strong and weak scaling over ranks of GPUs: bundles in all, and seconds of both clocks."""
    chosen = sorted(
        (r for kind in ("strong", "weak") for r in in_sweep(results, kind) if r.gpus),
        key=lambda r: (r.system, r.milestone, r.scaling.kind, r.ranks),
    )
    rows = [
        [
            f"{r.system}, {r.milestone}",
            f"{r.ranks}",
            f"{r.scaling.bundles}",
            *(_speed(clock.seconds) for clock in (r.effective, r.extraction)),
        ]
        for r in chosen
    ]
    return _table(("system, milestone", "ranks", "bundles", "effective, s", "extraction, s"), rows)


def patch_sizes(results: list[Result]) -> str:
    """Wall clock and stages over the size of a patch; stages are sums over the threads."""
    rows = []
    chosen = [
        r
        for kind in ("nwavestep", "nsubbundles")
        for r in sorted(in_sweep(results, kind), key=lambda r: (r.system, float(r.scaling.x)))
    ]
    for r in chosen:
        seconds = stage_seconds(r)
        stages = [f"{seconds.get(s, 0.0):.1f}" for s in ("assemble", "solve", "decorrelate")]
        size = f"{r.scaling.kind} {r.scaling.x:g}"
        rows.append([size, f"{r.effective.seconds.value:.1f}", *stages])
    head = ("patch", "wall clock, s", "assemble, s", "solve, s", "decorrelate, s")
    return _table(head, rows)


def compression(results: list[Result]) -> str:
    """Seconds of reading a frame by the compression of its file."""
    rows = []
    for r in in_sweep(results, "compression"):
        kind = r.json["inputs"]["generator"]["compression"]
        name = {"none": "plain", "gz": "`.gz`", "fz": "`.fz`"}[kind]
        rows.append([f"{r.system}, {name}", f"{stage_seconds(r).get('read', 0.0):.2f}"])
    return _table(("system, file", "reading a frame, s"), rows)


def clock(results: list[Result]) -> str:
    """The parts of the effective clock, of the entries with all 30 frames."""
    rows = []
    for _, group in _with_gpus(results):
        for r in filter(of_exposure, group):
            parts = [p for p in map(clock_parts, r.timed) if p]
            medians = [f"{statistics.median(column):.2f}" for column in zip(*parts, strict=True)]
            rows.append([f"{r.system}, {r.entry}", *medians])
    return _table(("system, entry", "before the barrier, s", "extraction, s", "after, s"), rows)


def _kernel_rows(result: Result) -> list[list[str]]:
    """Of each stage, of a frame: what it computes and moves, its floor by ceilings, its time."""
    frames, seconds = result.frames_asked, stage_seconds(result)
    stages = {}  # flops, bytes, s of the floor, s
    for p in (p for p in result.roofline if p.stage in KERNELS):
        floor = max(p.flops / p.ceiling_flops, p.bytes / p.ceiling_bytes) / frames
        stages[p.stage] = p.flops / frames, p.bytes / frames, floor, seconds[p.stage]
    stages["all"] = tuple(map(sum, zip(*stages.values(), strict=True)))
    return [
        [
            result.milestone,
            stage,
            number(flops / 1e9),
            number(moved / 1e9),
            f"{floor * 1e3:.2f}",
            f"{took * 1e3:.1f}",
            f"{took / floor:.0f}",
            f"{flops / took / 1e12:.2g}",
        ]
        for stage, (flops, moved, floor, took) in stages.items()
    ]


def kernels(results: list[Result]) -> str:
    """Floors and times of the kernels of `direct` and `band`, one frame at a time on one GPU.

    Both of the newest system that has timed them with all 30 frames.
    """
    of_system = by_group(
        [
            r
            for r in rungs(results)
            if r.effective and r.roofline and r.gpus_per_node == 1 and of_exposure(r)
        ],
        lambda r: r.system,
    )
    found = [
        {r.milestone: r for r in group}
        for group in of_system.values()
        if any(r.milestone == "direct" for r in group)
    ]
    if not found:
        return ""
    of_milestone = max(found, key=lambda m: m["direct"].start)
    rows = [
        row
        for name in ("direct", "band")
        if name in of_milestone
        for row in _kernel_rows(of_milestone[name])
    ]
    head = ("milestone", "stage", "GFLOP", "GB", "floor, ms", "ms", "floors", "TFLOP/s")
    return _table(head, rows)


def flux_of_the_frame(results: list[Result]) -> str:
    """What --flux frame costs beside patch, by both clocks, in pairs of runs of the same round."""
    rows = [
        [*subject(frame), *map(_speed, cost(patch, frame)), str(len(frame.timed))]
        for patch, frame in pairs(results)
    ]
    return _table((*COLUMNS, "runs"), rows) if rows else ""


def frames_alone(results: list[Result]) -> str:
    """One frame by --input, by both clocks, of each kind of file."""
    kinds = {"none": "`.fits`", "gz": "`.fits.gz`", "fz": "`.fits.fz`"}
    rows = [
        [
            r.system,
            kinds[r.json["inputs"]["generator"]["compression"]],
            _speed(r.effective.seconds),
            _speed(r.extraction.seconds),
            str(len(r.timed)),
        ]
        for r in results
        if alone(r.json) and r.gpus and r.effective
    ]
    head = ("system", "input", "launch to exit, s", "extraction, s", "runs")
    return _table(head, rows) if rows else ""


BLOCKS: dict[str, Callable[[list[Result]], str]] = {
    "headline": headline_sentence,
    "campaigns": campaigns,
    "speeds": speeds,
    "long-runs": long_runs_table,
    "milestones": milestones,
    "ranks-per-gpu": _sweep("ranks-per-gpu", "ranks per GPU", lambda r: r.ranks_per_gpu or 1.0),
    "mps": mps,
    "gpus": _sweep("gpus", "GPUs", lambda r: float(r.gpus_per_node)),
    "cores": cores,
    "bundles": bundles,
    "patch-sizes": patch_sizes,
    "compression": compression,
    "kernels": kernels,
    "clock": clock,
    "flux-of-the-frame": flux_of_the_frame,
    "frames-alone": frames_alone,
}


def gpu_checks(checks: list[GpuCheck]) -> str:
    """What runs of ci/gpu-check found, the newest first."""
    rows = [
        [
            check.commit,
            f"{check.utc:%Y-%m-%d}",
            counted(len(check.gpus), check.gpus[0]) if check.gpus else "–",
            str(check.checks),
            "; ".join(f"`{name}`" for name in check.failed) or "none",
        ]
        for check in reversed(checks)
    ]
    return _table(("commit", "date", "GPUs", "checks", "failed"), rows) if rows else ""


def kernel_seconds(checks: list[GpuCheck]) -> str:
    """Seconds of a frame by stage, of each setting where they changed."""
    rows = [
        [
            f"{row.what}, {row.commit}",
            *(f"{row.stages[stage]:.4f}" for stage in KERNELS),
            f"{row.seconds:.4f}",
        ]
        for row in telling(checks)
    ]
    return _table(("s a frame", *KERNELS, "all"), rows) if rows else ""


def bundle_seconds(bundles: list[BundleSeconds]) -> str:
    """A bundle on one core of a CPU, by method and milestone."""
    rows = [
        [
            f"`{bundle.method}`, {bundle.milestone}",
            bundle.kernel,
            *(f"{bundle.stages[stage]:.2f}" for stage in KERNELS),
            f"{bundle.seconds:.2f}",
            str(bundle.repetitions),
        ]
        for bundle in bundles
    ]
    head = ("method, milestone", "OpenBLAS kernel", *KERNELS, "all", "runs")
    return _table(head, rows) if rows else ""


@dataclass(frozen=True)
class Sources:
    """What documents quote."""

    results: list[Result]
    checks: list[GpuCheck] = field(default_factory=list)  # gpu-check.json
    bundles: list[BundleSeconds] = field(default_factory=list)  # of bench_bundle


# Blocks that are made of other files than results.
OF_OTHERS: dict[str, Callable[[Sources], str]] = {
    "gpu-checks": lambda sources: gpu_checks(sources.checks),
    "kernel-seconds": lambda sources: kernel_seconds(sources.checks),
    "bundle-seconds": lambda sources: bundle_seconds(sources.bundles),
}


def _check_marks(file: Path, text: str) -> None:
    """That each block begins and ends, and none within another."""
    ends = True
    for mark in MARK.finditer(text):
        ends = not ends
        if ends != mark[0].startswith("<!-- end"):
            line = text.count("\n", 0, mark.start()) + 1
            raise DataError(
                f"{file}:{line}", f"has {mark[0]} out of its place", "an end to each block"
            )
    if not ends:
        raise DataError(file, "has a block without an end", "<!-- end -->")


def quote(file: Path, sources: Sources) -> str:
    """The document with its blocks made anew."""
    shown = newest(sources.results)
    document = file.read_text(encoding="utf-8")
    _check_marks(file, document)

    def block(match: re.Match) -> str:
        name = match[2]
        if name not in BLOCKS and name not in OF_OTHERS:
            known = ", ".join([*BLOCKS, *OF_OTHERS])
            raise DataError(file, f"asks for the block {name}", known)
        text = BLOCKS[name](shown) if name in BLOCKS else OF_OTHERS[name](sources)
        if not text.strip():
            raise DataError(
                file, f"asks for the block {name}, of which no result tells", "a result"
            )
        return match[1] + text + match[4]

    return BLOCK.sub(block, document)
