"""Command line of the program spex-reports, and of `python -m spexreports COMMAND ...`."""

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
from spexreports.page.report import bench_report
from spexreports.results import compare as comparing
from spexreports.results import frames, keep, nodes, thresholds
from spexreports.results.read import find, read_results
from spexreports.results.seams import joined, read_seams
from spexreports.results.trace import batch_of

RESULTS = "RESULT.json|DIR"


class OddNodesError(Exception):
    """Not all is as it should be, which has been said; the exit status."""


def run_readme(a: argparse.Namespace) -> list[Path]:
    """The README's picture."""
    image, traces = frames.read_ccd(a.preproc), frames.read_traces(a.psf)
    return [style.save(readme_figure(image, traces, frames.read_frame(a.frame)), a.out)]


def run_seams(a: argparse.Namespace) -> list[Path]:
    """The seams of patches, against the truth."""
    found = joined([read_seams(*three) for three in a.exposure])
    return [style.save(seams_figure(found, a.title), a.out)]


def run_quote(a: argparse.Namespace) -> list[Path]:
    """Writes the tables of documents anew, or says where they are not those of the results."""
    made, changed = quoting.blocks(find(a.results)), []
    for file in a.documents:
        text = quoting.quote(file, made)
        if text != file.read_text(encoding="utf-8"):
            if a.check:
                raise DataError(file, "quotes numbers that are not in the results", "quote it anew")
            file.write_text(text, encoding="utf-8")
            changed.append(file)
    return changed


def run_trace(a: argparse.Namespace) -> list[Path]:
    """A batch of patches of each table."""
    traces = []
    for milestone, patches, file in a.batch:
        if not patches.isdecimal() or int(patches) < 1:
            raise UsageError("--batch", f"{patches!r} is no number of patches", "1 or more")
        head = {"milestone": milestone, "commit": a.commit, "gpu": a.gpu, "patches": int(patches)}
        traces.append(head | batch_of(Path(file)))
    a.out.write_text(json.dumps({"traces": traces}, separators=(",", ":")) + "\n")
    return [a.out]


def run_compare(a: argparse.Namespace) -> list[Path]:
    """Whether B is faster than A."""
    if not 0 < a.margin < 1:
        raise UsageError("--margin", f"{a.margin:g} is no margin", "above 0 and below 1")
    print("\n".join(comparing.compare(a.a, a.b, a.margin)))
    return []


def run_nodes(a: argparse.Namespace) -> list[Path]:
    """The table of the nodes of an allocation, and their figure."""
    found = nodes.judge_nodes(nodes.read_nodes(a.folder), a.margin)
    text = nodes.table(found)
    print(text)
    if a.out:
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "nodes.txt").write_text(text + "\n", encoding="utf-8")
        print(f"wrote {a.out / 'nodes.txt'}")
        if any(one.speeds for one in found):
            drawn = nodes_figure(found, a.margin)
            print(f"wrote {style.save(drawn, a.out / 'nodes.svg')}")
    if nodes.status_of(found) != 0:
        raise OddNodesError(nodes.status_of(found))
    return []


# Of each command: what it runs, its help, and its arguments with argparse's settings.
FILE, MARGIN = {"type": Path}, {"type": float, "default": 0.02}
NEEDED = FILE | {"required": True}
SOME = FILE | {"nargs": "+", "metavar": RESULTS, "help": "of spex-bench; folders are searched"}
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
    "bench": (
        lambda a: bench_report([*a.results, *(a.micro or [])], a.out),
        "a page of benchmark results beside the paper's (docs/benchmark.md)",
        {
            "results": SOME,
            "--out": NEEDED | {"help": "folder of the page and its figures"},
            "--micro": FILE | {"action": "append", "help": "a file of the micro-benchmarks"},
        },
    ),
    "compare": (
        run_compare,
        "is B faster than A? entry by entry (docs/benchmark.md)",
        {
            "a": FILE | {"metavar": "A", "help": "result file or folder"},
            "b": FILE | {"metavar": "B", "help": "result file or folder"},
            "--margin": MARGIN | {"help": "speeds within it are the same (0.02, of 1)"},
        },
    ),
    "keep": (
        lambda a: keep.keep(a.results, a.into, a.system, a.events),
        "puts results into SYSTEM/PLAN/ENTRY.json of a tree",
        {
            "results": SOME,
            "--into": NEEDED | {"help": "the tree: reports/results"},
            "--system": {"help": "the system's name (default: as the machine has it)"},
            "--events": {"action": "store_true", "help": "keep run logs too"},
        },
    ),
    "trace": (
        run_trace,
        "keeps a batch of patches of each table of bench/profile/profile trace",
        {
            "--batch": BATCH | {"help": "rung, patches of a batch, table; again for more rungs"},
            "--gpu": {"required": True, "help": "its model"},
            "--commit": {"required": True, "help": "of the program"},
            "--out": NEEDED | {"help": "file"},
        },
    ),
    "thresholds": (
        lambda a: thresholds.write_thresholds(a.out, read_results(a.results)),
        "a thresholds file of spex-bench that asks for the speeds of results",
        {"results": SOME, "--out": NEEDED | {"help": "file"}},
    ),
    "nodes": (
        run_nodes,
        "slow, wrong and silent nodes, by one plan on each (docs/slurm.md)",
        {
            "folder": FILE | {"metavar": "DIR", "help": "with a folder for each node"},
            "--out": FILE | {"help": "folder of the table and its figure"},
            "--margin": MARGIN | {"help": "nodes within it are not odd (0.02, of 1)"},
        },
    ),
    "quote": (
        run_quote,
        "writes the tables of documents that quote results",
        {
            "results": SOME,
            "--documents": NEEDED | {"nargs": "+", "metavar": "FILE.md", "help": "to be written"},
            "--check": {
                "action": "store_true",
                "help": "write nothing; fail where a number differs",
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
        "a CCD patch beside its spectra",
        {f"--{name}": NEEDED for name in ("preproc", "psf", "frame", "out")},
    ),
    "seams": (
        run_seams,
        "errors by distance from a patch's edge, of --flux patch and frame",
        {
            "--exposure": NEEDED | THREE | {"help": "of one simulation; again for more exposures"},
            "--title": {"default": "Seams of patches"},
            "--out": NEEDED | {"help": "file"},
        },
    ),
}


def parser() -> argparse.ArgumentParser:
    """The command line."""
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
    """Runs a command and says what it wrote, or in a line what is wrong."""
    arguments = parser().parse_args()
    style.apply()
    try:
        for path in arguments.run(arguments):
            print(f"wrote {path}")
        sys.stdout.flush()
    except OddNodesError as odd:
        return odd.args[0]
    except BrokenPipeError:
        # Whoever read the lines has read enough. Python would complain once more at its end.
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
