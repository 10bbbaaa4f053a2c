"""The report of benchmark results: `spex-reports bench`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spexreports.errors import UsageError
from spexreports.figures import kernels, ladder, night, scaling, trace, wall
from spexreports.figures.timeline import timeline_figure
from spexreports.page.page import Picture, picture, write_page
from spexreports.results.checks import read_checks, read_kernel_times
from spexreports.results.micro import read_bundles, read_kernels
from spexreports.results.peer import read_peers
from spexreports.results.published import read_published
from spexreports.results.read import Found, find, newest
from spexreports.results.result import Result
from spexreports.results.trace import read_traces
from spexreports.results.work import has_fpnh, long_runs
from spexreports.tables import acceptance as accepting
from spexreports.tables import agreement, headline, projection, provenance, times, verdicts
from spexreports.tables import ladder as ladders
from spexreports.tables import long_runs as nights
from spexreports.tables import scaling as sweeps
from spexreports.tables.peer import peer_table
from spexreports.tables.table import Table


@dataclass(frozen=True)
class Section:
    """A folded section of the page."""

    name: str
    title: str
    pictures: list[Picture]
    tables: list[Table]


OF_RESULTS = (
    headline.others_table,
    ladders.ladder_table,
    ladders.script_table,
    ladders.published_table,
    ladders.totals_table,
    times.wall_table,
    times.busy_table,
    times.kernel_floor_table,
    times.eigh_table,
    sweeps.sweeps_table,
    sweeps.ranks_table,
    sweeps.gpus_table,
    sweeps.weak_parts_table,
    sweeps.mps_table,
    sweeps.alone_table,
    sweeps.flux_table,
    nights.long_runs_table,
    projection.projection_table,
    projection.error_table,
    provenance.campaigns_table,
    provenance.entries_table,
)
# About the paper or machines that were not measured.
OF_PAPER = ("ladder-published", "totals", "projection", "projection-error", "paper-statements")
# Sections of the page: title, figures and tables; figures of long runs and timelines are added.
SECTIONS = {
    "ladder": (
        "The ladder: each step of the optimization",
        ("ladder",),
        (
            "ladder",
            "ladder-script",
            "ladder-published",
            "peer",
            "totals",
            "projection",
            "projection-error",
        ),
    ),
    "scaling": (
        "Scaling: nodes, GPUs, ranks, cores, patches, files, long runs",
        ("gpus", "ranks", "cores", "frames-of-cores", "nodes", "strong", "weak", "patches"),
        (
            "gpus-of-a-node",
            "ranks-a-gpu",
            "weak-parts",
            "mps",
            "frames-alone",
            "flux-of-the-frame",
            "long-runs",
        ),
    ),
    "time": (
        "Where the time goes",
        ("shares", "patch-trace", "kernel-times", "eigh"),
        ("wall-time", "busy", "patch-trace", "kernels", "eigh", "kernel-seconds", "bundle-seconds"),
    ),
}
TIGHT = ("ladder", "ladder-script", "ladder-published")  # tables of short cells


def all_tables(found: Found) -> dict[str, Table]:
    """All tables for which these files have data, by name."""
    results = newest(found.results)
    checks, peers = read_checks(found.checks), read_peers(found.peers)
    tables = [headline.speed_table(results, peers), peer_table(peers)]
    tables += [make(results) for make in OF_RESULTS]
    tables += [provenance.checks_table(checks), times.kernel_seconds_table(checks)]
    tables.append(times.trace_table(read_traces(found.traces)))
    tables.append(times.bundle_table(read_bundles(found.bundles)))
    tables.append(times.micro_table(read_kernels(found.kernels)))
    tables.append(ladders.statements_table())
    return {table.name: table for table in tables if table}


def page_tables(found: Found, paper: bool) -> dict[str, Table]:
    """The tables of a page, without the paper's numbers unless they are wanted."""
    tables = all_tables(found)
    if paper:
        return tables
    own = {name: t.without_paper() for name, t in tables.items() if name not in OF_PAPER}
    return {name: table for name, table in own.items() if table}


def _timelines(results: list[Result]) -> list[Result]:
    """One run of each schedule, on the system with the most run logs."""
    schedules = ("batch-subbundle", "interleave-io", "pipeline")
    logged = [r for r in ladders.best_ladder_results(results) if r.beside("events").exists()]
    logged = [r for r in logged if r.milestone in schedules]
    systems = [r.system for r in logged]
    return [r for r in logged if r.system == max(systems, key=systems.count)]


def _pictures(found: Found, out: Path, paper: bool) -> dict[str, Picture | None]:
    results = newest(found.results)
    heads = headline.headlines(results)
    kernel_files = read_kernels(found.kernels)
    one = (
        [r for r in ladders.best_ladder_results(results) if r.system == heads[0].system]
        if heads
        else []
    )
    drawn = [
        ("wall", "Where the time goes", "", wall.wall_figure(heads)),
        (
            "ladder",
            "Frames per node-hour of each milestone",
            "Open markers: fewer than 30 frames, which stand for the exposure. FPNH is per node; "
            "the number of nodes stands where the paper used more than one.",
            ladder.ladder_figure(results) if paper else None,
        ),
        (
            "shares",
            "The wall time of each milestone",
            "One system; in brackets the frames where fewer than 30.",
            wall.share_figure(one),
        ),
        (
            "gpus",
            "More GPUs",
            "They gain in long runs; one exposure ends before they have started.",
            scaling.gpus_figure(results),
        ),
        (
            "cores",
            "One frame by more cores",
            "Strong scaling: cores share a frame's bundles. Dashed: n cores are n times as fast.",
            scaling.cores_figure(results),
        ),
        (
            "frames-of-cores",
            "A frame for each core",
            "Weak scaling: one rank and one frame a core. Dashed: no core slows another.",
            scaling.weak_figure(results, "weak-frames"),
        ),
        (
            "nodes",
            "As many frames for each node",
            "Weak scaling over nodes. Dashed: no node slows another.",
            scaling.weak_figure(results, "weak-nodes"),
        ),
        (
            "ranks",
            "Ranks that share a GPU",
            "Figure 3 of the paper. Without MPS, ranks take turns on the GPU.",
            scaling.ranks_figure(results),
        ),
        (
            "strong",
            "One frame by several ranks",
            "",
            scaling.bundles_figure(results, "strong", "ranks that share a frame's 20 bundles"),
        ),
        (
            "weak",
            "A bundle for each rank",
            "Flat would be ideal. The driver makes the contexts of all ranks one after the other.",
            scaling.bundles_figure(results, "weak", "ranks, a bundle each"),
        ),
        ("patches", "The size of a patch", "One frame.", scaling.patch_figure(results)),
        (
            "kernel-times",
            "The longest kernels",
            "Mean of b, r and z, each kernel alone on the GPU.",
            kernels.times_figure(read_kernel_times([*found.kernel_times, *found.checks])),
        ),
        (
            "patch-trace",
            "A patch before and after batching",
            "Stages of the host's thread, which end when their work is queued; kernels; copies.",
            trace.trace_figure(read_traces(found.traces)),
        ),
        (
            "eigh",
            "One eigendecomposition",
            "Of one matrix; in a batch, the batch's time divided by its matrices.",
            kernels.eigh_figure(kernel_files),
        ),
    ]
    made = {name: picture(name, title, text, fig, out) for name, title, text, fig in drawn}
    for result in _timelines(results):
        name = f"timeline-{result.milestone}"
        title = f"{result.milestone}, {result.frames_asked} frames, {headline.machine(result)}"
        text = "Neighboring frames differ in shade; white is waiting."
        made[name] = picture(name, title, text, timeline_figure(result), out)
    for result in long_runs(results):
        name = f"night-{result.system}-{result.entry}"
        text = "Steady part; the dotted line is the speed over distinct inputs."
        title = f"{result.entry}, {result.system}"
        made[name] = picture(name, title, text, night.night_figure(result), out)
    return made


def _sections(tables: dict[str, Table], pictures: dict[str, Picture | None]) -> list[Section]:
    """The sections that have something to show."""
    more = {"scaling": "night-", "time": "timeline-"}
    sections = []
    for name, (title, figures, names) in SECTIONS.items():
        start = more.get(name)
        shown = [pictures.get(key) for key in figures]
        shown += [p for key, p in pictures.items() if start and key.startswith(start)]
        section = Section(
            name, title, [p for p in shown if p], [tables[key] for key in names if key in tables]
        )
        sections += [section] if section.pictures or section.tables else []
    return sections


def bench_report(paths: list[Path], out: Path, paper: bool = False) -> list[Path]:
    """Writes the report of all files and folders; returns the written files.

    With `paper` it also has the paper's numbers and projections to other GPUs.
    """
    found = find(paths)
    if not found.results:
        raise UsageError("bench", "there is no result", "result files of spex-bench")
    results = newest(found.results)
    heads = headline.headlines(results)

    def fill(folder: Path) -> dict[str, Any]:
        tables, pictures = page_tables(found, paper), _pictures(found, folder, paper)
        return {
            "tables": tables,
            "pictures": pictures,
            "sections": _sections(tables, pictures),
            "acceptances": [(a, *accepting.tables_of(a)) for a in found.acceptances],
            "tight": TIGHT,
            "paper": paper,
            "agreement": agreement.agreement(heads or results),
            "right": agreement.all_right(heads or results),
            "verdicts": verdicts.verdicts(verdicts.judged(results)),
            "failures": verdicts.failures(results),
            "limits": headline.limits(results),
            "whole": any(has_fpnh(r) for r in results),
            "origins": provenance.origins(results, read_peers(found.peers), paper),
            "commands": provenance.commands(results),
            "count": len(results),
            "published": read_published(),
            "newest": max(r.start for r in results).strftime("%Y-%m-%d"),
        }

    return write_page(out, "report.html.j2", fill, {"details.html.j2": "details.html"})
