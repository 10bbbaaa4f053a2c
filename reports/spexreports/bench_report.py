"""The report of benchmark results: `python -m spexreports bench`."""

from pathlib import Path

from spexreports import style
from spexreports.busy_table import busy_table
from spexreports.cells import speed_cell
from spexreports.comparison import Comparison, compare_sides, explained
from spexreports.comparison_figure import comparison_figure
from spexreports.core_scaling_figure import core_scaling_figure
from spexreports.eigh_table import eigh_table
from spexreports.errors import UsageError
from spexreports.flux_cost import flux_cost
from spexreports.gpu_scaling_figure import gpu_scaling_figure
from spexreports.kernel_figures import kernel_figures, kernel_table
from spexreports.ladder_figure import ladder_figure
from spexreports.ladder_table import ladder_table
from spexreports.launch_figure import launch_figure
from spexreports.milestone_ratios import milestone_ratios
from spexreports.mps_table import mps_table
from spexreports.night import night_figure, night_table
from spexreports.numbers import interval, number
from spexreports.opening import harness_checks, opening
from spexreports.page import Footnotes, Html, Page, heading, join, note, table
from spexreports.parameter_figure import compression_figure, patch_size_figure
from spexreports.provenance import provenance
from spexreports.published import read_published
from spexreports.result import Result
from spexreports.result_files import read_results
from spexreports.roofline_figure import roofline_figure
from spexreports.section import Missing, newest, rungs
from spexreports.stages_figure import stages_figure
from spexreports.time_table import time_table
from spexreports.timeline_figure import timeline_figure
from spexreports.totals import totals
from spexreports.trend_figure import trend_figure
from spexreports.worker_figure import worker_figure

TITLE = "Frames per node-hour: the benchmark of spectral extraction"


def _gpu_specter() -> Html:
    published = read_published()
    rows = [
        (m.run, number(m.seconds_per_frame), "–" if m.fpnh is None else number(m.fpnh))
        for m in published.gpu_specter
    ]
    head = ("run", "s a frame", "FPNH with all input and output hidden")
    return join(
        [
            heading("gpu_specter on NVIDIA H200"),
            table(head, rows, numbers=(1, 2)),
            note(published.gpu_specter_citation + "."),
        ]
    )


def _comparison_table(found: list[Comparison], skipped: list[str]) -> Html:
    notes = Footnotes()
    rows = [
        (
            join([c.marked_name, notes.mark(*([c.why_incomplete] if c.why_incomplete else []))]),
            c.clock,
            speed_cell(c.speed, notes),
            c.verdict,
        )
        for c in found
    ]
    head = ("entry", "clock", "speed of B over A", "verdict")
    left_out = [note(f"Not compared: {line}") for line in skipped]
    return join([table(head, rows, numbers=(2,)), notes.html(), *left_out])


def _add_comparison(page: Page, pair: list[str], results: list[Result], margin: float) -> None:
    found, skipped = compare_sides(pair[0], pair[1], results, margin)
    page.add("B against A", [comparison_figure(found, margin)])
    page.add_html(_comparison_table(found, skipped))
    for c in found:
        span = interval(c.speed) or "no interval"
        covers = f"{100 * c.speed.coverage:.0f}%"
        print(f"{c.marked_name}  {c.clock}  {c.speed.value:.4f}  {span} ({covers})  {c.verdict}")
    for line in explained(found):
        print(line)


def _add_beside_the_paper(page: Page, shown: list[Result]) -> None:
    page.section("Beside the paper")
    valid = [r for r in rungs(shown) if r.effective]
    if not valid:
        return
    page.add_html(totals(shown))
    page.add_html(milestone_ratios(shown))
    page.add_html(eigh_table(shown))
    if any(r.gpus_per_node for r in valid):
        page.add_html(_gpu_specter())


def _add_micro(page: Page, micro: list[Path] | None) -> None:
    page.section("Micro-benchmarks")
    if micro:
        page.add("Kernels", kernel_figures(micro))
        page.add_html(join([heading("All of them"), kernel_table(micro)]))
    else:
        page.add("Micro-benchmarks", Missing("no --micro FILE"))


def _make_page(shown: list[Result], out: Path) -> Page:
    """The opening, the ladder, the time, the scaling, and what each is beside the paper."""
    page = Page(TITLE, opening(shown, out))
    page.section("The ladder")
    page.add("Progress of the figure of merit", ladder_figure(shown))
    if rungs(shown):
        page.add_html(join([heading("In numbers"), ladder_table(shown, out)]))
    page.section("Where the time goes")
    page.add("Stages", stages_figure(shown))
    page.add("Timeline", timeline_figure(shown))
    page.add_html(time_table(shown))
    page.add_html(busy_table(shown))
    page.add_html(flux_cost(shown))
    page.add("Roofline", roofline_figure(shown))
    page.section("Scaling")
    page.add("Ranks per GPU and GPUs", gpu_scaling_figure(shown))
    page.add_html(mps_table(shown))
    page.add("Strong and weak scaling", core_scaling_figure(shown))
    page.add("Threads and extractors", worker_figure(shown))
    page.add("What it takes to start", launch_figure(shown))
    page.add("Size of patches", patch_size_figure(shown))
    page.add("Compressed inputs", compression_figure(shown))
    page.section("A night")
    page.add_html(night_table(shown, out))
    page.add("Over the time of a long run", night_figure(shown))
    _add_beside_the_paper(page, shown)
    return page


def bench_report(
    inputs: list[Path],
    out: Path,
    pair: list[str] | None = None,
    margin: float = 0.02,
    micro: list[Path] | None = None,
) -> list[Path]:
    """Reads the results, makes the page, returns what was written."""
    if not 0 < margin < 1:
        raise UsageError("--margin", f"is {margin:g}", "between 0 and 1")
    if not inputs and not pair:
        raise UsageError("RESULT", "none is given", "result files or folders, or --compare A B")
    paths = inputs or [Path(name) for name in pair if Path(name).exists()]
    results = read_results(paths)
    if not results:
        raise UsageError("--compare", "neither is a file", "files, or runs of results given")
    style.apply_column()
    shown = newest(results)
    page = _make_page(shown, out)
    page.section("Comparison")
    if pair:
        _add_comparison(page, pair, results, margin)
    else:
        page.add("Comparison", Missing("no --compare A B"))
    page.section("Trend")
    page.add("Trend", trend_figure(results))
    _add_micro(page, micro)
    page.section("Checks of the harness")
    page.add_html(harness_checks(shown, out))
    page.section("Provenance")
    page.add_html(provenance(results, out))
    return page.write(out)
