"""The report of benchmark results: `python -m spexreports bench`."""

from pathlib import Path

from spexreports import style
from spexreports.comparison import compare_sides
from spexreports.comparison_figure import comparison_figure, name
from spexreports.core_scaling_figure import core_scaling_figure
from spexreports.errors import UsageError
from spexreports.gpu_scaling_figure import gpu_scaling_figure
from spexreports.kernel_figures import kernel_figures, kernel_table
from spexreports.ladder_figure import ladder_figure
from spexreports.ladder_table import COLUMNS, ratio_rows, table_rows
from spexreports.page import Page, escape, note, table
from spexreports.parameter_figure import compression_figure, patch_size_figure
from spexreports.provenance import provenance
from spexreports.published import read_published
from spexreports.result_files import Result, read_results
from spexreports.roofline_figure import roofline_figure
from spexreports.section import Missing, newest, systems
from spexreports.stages_figure import stages_figure
from spexreports.timeline_figure import timeline_figure
from spexreports.trend_figure import trend_figure

TITLE = "Frames per node-hour: the benchmark of spectral extraction"


def _opening(shown: list[Result]) -> str:
    failed = [r for r in shown if not r.effective]
    text = (
        "FPNH is the frames that a node extracts in an hour, with reading and writing. Systems: "
        f"{systems(shown)}. {len(shown)} results, {len(failed)} of them without a valid speed. "
        "Where an entry was run more than once, all sections but the trend show its last run."
    )
    return f"<p>{escape(text)}</p>"


def _ladder(shown: list[Result]) -> str:
    rows = table_rows(shown)
    published = read_published()
    return "\n".join(
        [
            table(COLUMNS, [r.cells for r in rows], [r.kind for r in rows]),
            note(
                "Grey rows: " + published.ladder_citation + ". Blue rows: here; walltime by the "
                "effective clock, medians. * fewer frames were run; they stand for the exposure. "
                "† not to be published: that needs all 30 frames of an exposure, all valid."
            ),
            "<h3>What each milestone brings</h3>",
            table(
                (
                    "milestone / the one before",
                    "the paper's ratio of FPNH",
                    "here: system, case, entries",
                    "ratio, effective (95% interval)",
                    "ratio, extraction (95% interval)",
                ),
                ratio_rows(shown),
            ),
            note(
                "Where a milestone has several entries, its fastest stands for it. Intervals by "
                "bootstrap of both medians."
            ),
            "<h3>gpu_specter on the same GPUs</h3>",
            table(
                ("run", "s/frame", "FPNH with all input and output hidden"),
                [
                    (m.run, f"{m.seconds_per_frame:g}", "–" if m.fpnh is None else f"{m.fpnh:,.0f}")
                    for m in published.gpu_specter
                ],
            ),
            note(published.gpu_specter_citation + "."),
        ]
    )


def _add_comparison(page: Page, pair: list[str], results: list[Result], margin: float) -> None:
    found, skipped = compare_sides(pair[0], pair[1], results, margin)
    picture = comparison_figure(found, margin)
    page.add("Comparison", [picture])
    rows = [
        (
            name(c),
            c.clock,
            f"{c.speed.ratio:.4f}",
            "–" if c.speed.low is None else f"{c.speed.low:.4f} to {c.speed.high:.4f}",
            c.verdict,
        )
        for c in found
    ]
    body = [table(("entry", "clock", "speed of B over A", "95% interval", "verdict"), rows)]
    body += [note(f"Not compared: {line}") for line in skipped]
    page.add_html("Comparison, in numbers", "\n".join(body))
    for row in rows:
        print("  ".join(row))


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
    page = Page(TITLE, _opening(shown))
    page.add_html("The ladder", _ladder(shown))
    page.add("Progress of the figure of merit", ladder_figure(shown))
    page.add("Ranks per GPU and GPUs", gpu_scaling_figure(shown))
    page.add("Strong and weak scaling", core_scaling_figure(shown))
    page.add("Size of patches", patch_size_figure(shown))
    page.add("Compressed inputs", compression_figure(shown))
    page.add("Timeline", timeline_figure(shown))
    page.add("Stages", stages_figure(shown))
    page.add("Roofline", roofline_figure(shown))
    if pair:
        _add_comparison(page, pair, results, margin)
    else:
        page.add("Comparison", Missing("no --compare A B"))
    page.add("Trend", trend_figure(results))
    if micro:
        page.add("Micro-benchmarks", kernel_figures(micro))
        page.add_html("Micro-benchmarks, in numbers", kernel_table(micro))
    else:
        page.add("Micro-benchmarks", Missing("no --micro FILE"))
    page.add_html("Provenance", provenance(results))
    return page.write(out)
