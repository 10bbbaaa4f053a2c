"""Command line of spex-reports, also `python -m spexreports COMMAND ...`."""

import argparse
import importlib
import os
import sys
from pathlib import Path

from spexreports.errors import AnsweredError, UsageError

RESULTS = "RESULT.json|DIR"


# Commands: help, and arguments with argparse's settings.
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
        "spectra, noise and resolution of any extracted frame",
        {
            "frame": FILE | {"help": "frame file of spex-cpu, spex-gpu or DESI"},
            "--model": FILE | {"help": "model image (spex-cpu --model): draws image − model"},
            "--preproc": FILE | {"help": "the image; needed with --model"},
            "--out": NEEDED | {"help": "folder of the page"},
        },
    ),
    "production": (
        "a page of frames beside those of DESI's pipeline (docs/production.md)",
        {
            "report": FILE | {"help": "file of spex-compare --production --json"},
            "--out": NEEDED | {"help": "folder of the page and its figures"},
        },
    ),
    "bench": (
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
        "compare the speeds of A and B, by entry (docs/benchmark.md)",
        {
            "a": FILE | {"metavar": "A", "help": "result file or folder"},
            "b": FILE | {"metavar": "B", "help": "result file or folder"},
            "--margin": MARGIN
            | {"help": "relative difference that counts as equal (default: 0.02)"},
        },
    ),
    "keep": (
        "copy results to SYSTEM/PLAN/ENTRY.json of a tree",
        {
            "results": SOME,
            "--into": NEEDED | {"help": "the tree: reports/results"},
            "--system": {"help": "name of the system (default: the result's)"},
            "--commit": {"help": "the commit that was built, if the build was told another"},
            "--events": {"action": "store_true", "help": "also keep run logs"},
        },
    ),
    "trace": (
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
        "write the speeds of results as a thresholds file of spex-bench",
        {"results": SOME, "--out": NEEDED | {"help": "file"}},
    ),
    "nodes": (
        "find slow, wrong and silent nodes (docs/slurm.md)",
        {
            "folder": FILE | {"metavar": "DIR", "help": "folder with a folder for each node"},
            "--out": FILE | {"help": "folder of the table and its figure"},
            "--margin": MARGIN | {"help": "relative difference that is not odd (default: 0.02)"},
        },
    ),
    "quote": (
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
        "patch, spectra, resolution, pulls of a simulated frame",
        {f"--{name}": NEEDED for name in ("preproc", "psf", "frame", "model", "truth", "out")},
    ),
    "readme": (
        "a CCD patch and its spectra",
        {f"--{name}": NEEDED for name in ("preproc", "psf", "frame", "out")},
    ),
    "seams": (
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
    commands = top.add_subparsers(dest="command", required=True)
    for name, (what, arguments) in COMMANDS.items():
        command = commands.add_parser(name, help=what, description=what)
        for argument, settings in arguments.items():
            command.add_argument(argument, **settings)
    return top


def main() -> int:
    """Runs a command and prints the files that it wrote, or one line with the error."""
    arguments = parser().parse_args()
    try:
        # Not at the top: matplotlib and pandas take seconds, which --help need not.
        for path in importlib.import_module("spexreports.commands").run(arguments):
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
    except ImportError as error:
        print(f"spex-reports: {error} (requirements.txt has the packages)", file=sys.stderr)
        return 1
    except (KeyError, ValueError) as error:
        print(f"spex-reports: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
