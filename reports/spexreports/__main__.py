"""Command line of spex-reports, also `python -m spexreports COMMAND ...`."""

import argparse
import json
import os
import sys
from pathlib import Path

from spexreports.errors import DataError, UsageError
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

RESULTS = "RESULT.json|DIR"


class AnsweredError(Exception):
    """An answer other than yes was printed; the argument is the exit status."""


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


# Commands: function, help, and arguments with argparse's settings.
FILE, MARGIN = {"type": Path}, {"type": float, "default": 0.02}
NEEDED = FILE | {"required": True}
SOME = FILE | {
    "nargs": "+",
    "metavar": RESULTS,
    "help": "results of spex-bench; folders are searched",
}
BATCH = {
    "required": True,
    "nargs": 3,
    "action": "append",
    "metavar": ("MILESTONE", "PATCHES", "CSV"),
}
THREE = {"nargs": 3, "action": "append", "metavar": ("PATCH", "FRAME", "TRUTH")}
COMMANDS = {
    "frame": (
        lambda a: pages.frame_report(a.frame, a.model, a.preproc, a.out),
        "spectra, noise and resolution of any extracted frame",
        {
            "frame": FILE | {"help": "frame file of spex-cpu, spex-gpu or DESI"},
            "--model": FILE | {"help": "model image (spex-cpu --model): draws image − model"},
            "--preproc": FILE | {"help": "the image; needed with --model"},
            "--out": NEEDED | {"help": "folder of the page"},
        },
    ),
    "production": (
        lambda a: production_report(a.report, a.out),
        "a page of frames beside those of DESI's pipeline (docs/production.md)",
        {
            "report": FILE | {"help": "file of spex-compare --production --json"},
            "--out": NEEDED | {"help": "folder of the page and its figures"},
        },
    ),
    "bench": (
        lambda a: bench_report([*a.results, *(a.micro or [])], a.out, a.paper),
        "a page of benchmark results, an acceptance first (docs/benchmark.md)",
        {
            "--paper": {
                "action": "store_true",
                "help": "also the paper's numbers, and projections to other GPUs",
            },
            "results": SOME,
            "--out": NEEDED | {"help": "folder of the page and its figures"},
            "--micro": FILE | {"action": "append", "help": "a result of the micro-benchmarks"},
        },
    ),
    "compare": (
        run_compare,
        "compare the speeds of A and B, by entry (docs/benchmark.md)",
        {
            "a": FILE | {"metavar": "A", "help": "result file or folder"},
            "b": FILE | {"metavar": "B", "help": "result file or folder"},
            "--margin": MARGIN
            | {"help": "relative difference that counts as equal (default: 0.02)"},
        },
    ),
    "keep": (
        lambda a: keep.keep(a.results, a.into, a.system, a.events),
        "copy results to SYSTEM/PLAN/ENTRY.json of a tree",
        {
            "results": SOME,
            "--into": NEEDED | {"help": "the tree: reports/results"},
            "--system": {"help": "name of the system (default: the result's)"},
            "--events": {"action": "store_true", "help": "also keep run logs"},
        },
    ),
    "trace": (
        run_trace,
        "keep a batch of patches of each table of bench/profile/profile trace",
        {
            "--batch": BATCH
            | {"help": "milestone, patches per batch, table; repeat for more milestones"},
            "--gpu": {"required": True, "help": "model of the GPU"},
            "--commit": {"required": True, "help": "commit of the program"},
            "--out": NEEDED | {"help": "file"},
        },
    ),
    "thresholds": (
        lambda a: thresholds.write_thresholds(a.out, read_results(a.results)),
        "write the speeds of results as a thresholds file of spex-bench",
        {"results": SOME, "--out": NEEDED | {"help": "file"}},
    ),
    "nodes": (
        run_nodes,
        "find slow, wrong and silent nodes (docs/slurm.md)",
        {
            "folder": FILE | {"metavar": "DIR", "help": "folder with a folder for each node"},
            "--out": FILE | {"help": "folder of the table and its figure"},
            "--margin": MARGIN | {"help": "relative difference that is not odd (default: 0.02)"},
        },
    ),
    "quote": (
        run_quote,
        "write the tables of documents that quote results",
        {
            "results": SOME,
            "--documents": NEEDED
            | {"nargs": "+", "metavar": "FILE.md", "help": "documents to write"},
            "--check": {
                "action": "store_true",
                "help": "write nothing; fail if a number differs",
            },
        },
    ),
    "demo": (
        pages.demo_figures,
        "patch, spectra, resolution, pulls of a simulated frame",
        {f"--{name}": NEEDED for name in ("preproc", "psf", "frame", "model", "truth", "out")},
    ),
    "readme": (
        run_readme,
        "a CCD patch and its spectra",
        {f"--{name}": NEEDED for name in ("preproc", "psf", "frame", "out")},
    ),
    "seams": (
        run_seams,
        "errors by distance from a patch's edge, of --flux patch and frame",
        {
            "--exposure": NEEDED
            | THREE
            | {"help": "files of one simulation; repeat for more exposures"},
            "--title": {"default": "Seams of patches"},
            "--out": NEEDED | {"help": "file"},
        },
    ),
}


def parser() -> argparse.ArgumentParser:
    """Makes the parser of the command line."""
    text = "Plots and reports of frames and benchmarks: `spex-reports COMMAND ...`."
    top = argparse.ArgumentParser(prog="spex-reports", description=text)
    commands = top.add_subparsers(required=True)
    for name, (run, what, arguments) in COMMANDS.items():
        command = commands.add_parser(name, help=what, description=what)
        command.set_defaults(run=run)
        for argument, settings in arguments.items():
            command.add_argument(argument, **settings)
    return top


def main() -> int:
    """Runs a command and prints the files that it wrote, or one line with the error."""
    arguments = parser().parse_args()
    style.apply()
    try:
        for path in arguments.run(arguments):
            print(f"wrote {path}")
        sys.stdout.flush()
    except AnsweredError as answered:
        return answered.args[0]
    except BrokenPipeError:
        # The reader closed the pipe. Avoid Python's second BrokenPipeError at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        what = error.strerror or str(error)
        expected = "a file or folder that can be read or written"
        print(f"spex-reports: {error.filename or 'files'}: {what} ({expected})", file=sys.stderr)
        return 1
    except (KeyError, ValueError) as error:
        print(f"spex-reports: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
