"""What the commands of spex-reports do. Imported by the command that runs, as it takes seconds."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from spexreports.errors import AnsweredError, DataError, UsageError
from spexreports.figures import style
from spexreports.figures.nodes import nodes_figure
from spexreports.figures.readme import readme_figure
from spexreports.figures.seams import seams_figure
from spexreports.page import frame as pages
from spexreports.page import quote as quoting
from spexreports.page.production import production_report
from spexreports.page.report import bench_report
from spexreports.results import compare as comparing
from spexreports.results import frames, keep, nodes, thresholds
from spexreports.results.read import find, read_results
from spexreports.results.seams import joined, read_seams
from spexreports.results.trace import batch_of


def run_readme(a: argparse.Namespace) -> list[Path]:
    """Draws the README's picture."""
    image, traces = frames.read_ccd(a.preproc), frames.read_traces(a.psf)
    return [style.save(readme_figure(image, traces, frames.read_frame(a.frame)), a.out)]


def run_seams(a: argparse.Namespace) -> list[Path]:
    """Draws the seams of patches, compared with the truth."""
    found = joined([read_seams(*three) for three in a.exposure])
    return [style.save(seams_figure(found, a.title), a.out)]


def run_quote(a: argparse.Namespace) -> list[Path]:
    """Writes the tables of documents; with --check, reports those that differ."""
    made, changed = quoting.blocks(find(a.results)), []
    for file in a.documents:
        text = quoting.quote(file, made)
        if text != file.read_text(encoding="utf-8"):
            if a.check:
                raise DataError(
                    file,
                    "quotes numbers that are not in the results",
                    "output of spex-reports quote",
                )
            file.write_text(text, encoding="utf-8")
            changed.append(file)
    return changed


def run_trace(a: argparse.Namespace) -> list[Path]:
    """Keeps a batch of patches of each table."""
    traces = []
    for milestone, patches, file in a.batch:
        if not patches.isdecimal() or int(patches) < 1:
            raise UsageError("--batch", f"{patches!r} is not a number of patches", "1 or more")
        head = {"milestone": milestone, "commit": a.commit, "gpu": a.gpu, "patches": int(patches)}
        traces.append(head | batch_of(Path(file)))
    a.out.write_text(json.dumps({"traces": traces}, separators=(",", ":")) + "\n")
    return [a.out]


def run_compare(a: argparse.Namespace) -> list[Path]:
    """Prints whether B is faster than A."""
    if not 0 < a.margin < 1:
        raise UsageError("--margin", f"{a.margin:g} is not a margin", "above 0 and below 1")
    lines, status = comparing.compare(a.a, a.b, a.margin)
    print("\n".join(lines))
    if status != 0:
        raise AnsweredError(status)
    return []


def run_nodes(a: argparse.Namespace) -> list[Path]:
    """Prints the table of the nodes of an allocation, and draws their figure."""
    found = nodes.judge_nodes(nodes.read_nodes(a.folder), a.margin)
    text = nodes.table(found)
    print(text)
    if a.out:
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "nodes.txt").write_text(text + "\n", encoding="utf-8")
        print(f"wrote {a.out / 'nodes.txt'}")
        if any(entry.speeds for entry in found):
            drawn = nodes_figure(found, a.margin)
            print(f"wrote {style.save(drawn, a.out / 'nodes.svg')}")
    if nodes.status_of(found) != 0:
        raise AnsweredError(nodes.status_of(found))
    return []


def run_thresholds(a: argparse.Namespace) -> list[Path]:
    """Writes a thresholds file."""
    return thresholds.write_thresholds(a.out, read_results(a.results))


#: The function of each command; it returns the files that it wrote.
RUN: dict[str, Callable[[argparse.Namespace], list[Path]]] = {
    "frame": lambda a: pages.frame_report(a.frame, a.model, a.preproc, a.out),
    "production": lambda a: production_report(a.report, a.out),
    "bench": lambda a: bench_report([*a.results, *(a.micro or [])], a.out, a.paper),
    "compare": run_compare,
    "keep": lambda a: keep.keep(a.results, a.into, a.system, a.events, a.commit),
    "trace": run_trace,
    "thresholds": run_thresholds,
    "nodes": run_nodes,
    "quote": run_quote,
    "demo": pages.demo_figures,
    "readme": run_readme,
    "seams": run_seams,
}


def run(arguments: argparse.Namespace) -> list[Path]:
    """Runs the command of the arguments."""
    style.apply()
    return RUN[arguments.command](arguments)
