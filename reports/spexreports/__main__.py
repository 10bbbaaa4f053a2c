"""Command line of the program spex-reports, and of `python -m spexreports COMMAND ...`."""

import argparse
import os
import sys
from pathlib import Path

from spexreports.errors import DataError, UsageError
from spexreports.figures import style


def frame(arguments: argparse.Namespace) -> list[Path]:
    """The figures of any extracted frame."""
    from spexreports.page.frame import frame_report

    return frame_report(arguments.frame, arguments.model, arguments.preproc, arguments.out)


def demo(arguments: argparse.Namespace) -> list[Path]:
    """The four plots of a simulated and extracted frame."""
    from spexreports.page.frame import demo_figures

    return demo_figures(arguments)


def readme(arguments: argparse.Namespace) -> list[Path]:
    """The README's picture."""
    from spexreports.figures.readme import readme_figure
    from spexreports.results import frames

    drawn = readme_figure(
        frames.read_ccd(arguments.preproc),
        frames.read_traces(arguments.psf),
        frames.read_frame(arguments.frame),
    )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    return [style.save(drawn, arguments.out)]


def seams(arguments: argparse.Namespace) -> list[Path]:
    """The seams of patches, against the truth."""
    from spexreports.figures.seams import seams_figure
    from spexreports.results.seams import joined, read_seams

    found = joined([read_seams(*three) for three in arguments.exposure])
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    return [style.save(seams_figure(found, arguments.title), arguments.out)]


def bench(arguments: argparse.Namespace) -> list[Path]:
    """The report of benchmark results."""
    from spexreports.page.report import bench_report

    return bench_report([*arguments.results, *(arguments.micro or [])], arguments.out)


def compare(arguments: argparse.Namespace) -> list[Path]:
    """Whether B is faster than A."""
    from spexreports.results.compare import compare as compare_results

    if not 0 < arguments.margin < 1:
        raise UsageError("--margin", f"{arguments.margin:g} is no margin", "above 0 and below 1")
    for line in compare_results(arguments.a, arguments.b, arguments.margin):
        print(line)
    return []


def quote(arguments: argparse.Namespace) -> list[Path]:
    """Writes the tables of documents anew, or says where they are not those of the results."""
    from spexreports.page import quote as quoting
    from spexreports.results.read import find

    made, changed = quoting.blocks(find(arguments.results)), []
    for file in arguments.documents:
        text = quoting.quote(file, made)
        if text != file.read_text(encoding="utf-8"):
            if arguments.check:
                raise DataError(file, "quotes numbers that are not in the results", "quote it anew")
            file.write_text(text, encoding="utf-8")
            changed.append(file)
    return changed


def thresholds(arguments: argparse.Namespace) -> list[Path]:
    """Thresholds that are the speeds of results."""
    from spexreports.results.read import read_results
    from spexreports.results.thresholds import thresholds_text, write_thresholds

    write_thresholds(arguments.out, thresholds_text(read_results(arguments.results)))
    return [arguments.out]


def keep(arguments: argparse.Namespace) -> list[Path]:
    """Puts results into a tree of kept results."""
    from spexreports.results.keep import keep as keep_results

    return keep_results(arguments.results, arguments.into, arguments.system, arguments.events)


class OddNodesError(Exception):
    """Not all is as it should be, which has been said; the exit status."""


def nodes(arguments: argparse.Namespace) -> list[Path]:
    """The table of the nodes of an allocation, and their figure."""
    from spexreports.figures.nodes import nodes_figure
    from spexreports.results.nodes import judge_nodes, read_nodes, status_of, table

    margin = arguments.margin
    found = judge_nodes(read_nodes(arguments.folder), margin)
    text = table(found)
    print(text)
    written = []
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "nodes.txt").write_text(text + "\n", encoding="utf-8")
        written.append(arguments.out / "nodes.txt")
        if any(one.speeds for one in found):
            drawn = nodes_figure(found, margin)
            written.append(style.save(drawn, arguments.out / "nodes.svg"))
    for path in written:
        print(f"wrote {path}")
    if status_of(found) != 0:
        raise OddNodesError(status_of(found))
    return []


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="spexreports",
        description="Plots and reports of frames and benchmarks: `spex-reports COMMAND ...`, or "
        "`python -m spexreports COMMAND ...` with reports/ on PYTHONPATH.",
    )
    commands = top.add_subparsers(required=True)

    def command(run, text: str, *, results: str = "", out: str = "") -> argparse.ArgumentParser:
        made = commands.add_parser(run.__name__, help=text, description=text)
        made.set_defaults(run=run)
        if results:
            made.add_argument(
                "results", type=Path, nargs=results, metavar="RESULT.json|DIR", help="of spex-bench"
            )
        if out:
            made.add_argument("--out", type=Path, required=True, help=out)
        return made

    of_frame = command(frame, "spectra, ivar and resolution of an extracted frame", out="folder")
    of_frame.add_argument("frame", type=Path, help="frame file, of spex-cpu, spex-gpu or DESI")
    of_frame.add_argument(
        "--model", type=Path, help="model image (spex-cpu --model): image − model"
    )
    of_frame.add_argument("--preproc", type=Path, help="the image; needed with --model")

    of_demo = command(demo, "patch, spectra, resolution, pulls of a simulated frame", out="folder")
    of_readme = command(readme, "a CCD patch beside its spectra", out="file")
    for name in ("preproc", "psf", "frame", "model", "truth"):
        of_demo.add_argument(f"--{name}", type=Path, required=True)
        if name in ("preproc", "psf", "frame"):
            of_readme.add_argument(f"--{name}", type=Path, required=True)

    of_seams = command(
        seams, "errors by distance from a patch's edge, of --flux patch and frame", out="file"
    )
    of_seams.add_argument(
        "--exposure",
        type=Path,
        nargs=3,
        action="append",
        required=True,
        metavar=("PATCH", "FRAME", "TRUTH"),
        help="frames of one simulation by --flux patch and --flux frame, and its truth; again for "
        "more exposures",
    )
    of_seams.add_argument("--title", default="Seams of patches", help="(default: %(default)s)")

    of_bench = command(
        bench,
        "a page of benchmark results beside the paper's (docs/benchmark.md)",
        results="+",
        out="folder of the page and its figures",
    )
    of_bench.add_argument(
        "--micro",
        type=Path,
        action="append",
        metavar="FILE.json",
        help="outputs of the micro-benchmarks (--benchmark_out); those in folders are found",
    )

    of_compare = command(compare, "is B faster than A? entry by entry (docs/benchmark.md)")
    for name in ("a", "b"):
        of_compare.add_argument(name, type=Path, metavar=name.upper(), help="result file or folder")
    of_compare.add_argument(
        "--margin",
        type=float,
        default=0.02,
        help="speeds within it are the same (default: %(default)s, of 1)",
    )

    of_keep = command(keep, "puts results into SYSTEM/PLAN/ENTRY.json of a tree", results="+")
    of_keep.add_argument("--into", type=Path, required=True, help="the tree: reports/results")
    of_keep.add_argument("--system", help="the system's name (default: as the machine has it)")
    of_keep.add_argument("--events", action="store_true", help="keep run logs too")

    command(
        thresholds,
        "a thresholds file of spex-bench that asks for the speeds of results",
        results="+",
        out="file",
    )
    of_nodes = command(nodes, "slow, wrong and silent nodes, by one plan on each (docs/slurm.md)")
    of_nodes.add_argument("folder", type=Path, metavar="DIR", help="with a folder for each node")
    of_nodes.add_argument("--out", type=Path, help="folder of the table and its figure")
    of_nodes.add_argument(
        "--margin",
        type=float,
        default=0.02,
        help="nodes within it are not odd (default: %(default)s, of 1)",
    )
    of_quote = command(quote, "writes the tables of documents that quote results", results="+")
    of_quote.add_argument(
        "--documents", type=Path, nargs="+", required=True, metavar="FILE.md", help="to be written"
    )
    of_quote.add_argument(
        "--check", action="store_true", help="write nothing; fail where a number is another"
    )
    return top


def _run() -> int:
    arguments = parser().parse_args()
    style.apply()
    try:
        for path in arguments.run(arguments):
            print(f"wrote {path}")
        sys.stdout.flush()
    except OddNodesError as odd:
        return odd.args[0]
    except UsageError as error:
        print(f"spexreports: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        raise
    except OSError as error:
        what = error.strerror or str(error)
        expected = "a file or folder that can be read or written"
        print(f"spexreports: {error.filename or 'files'}: {what} ({expected})", file=sys.stderr)
        return 1
    except (KeyError, ValueError) as error:
        print(f"spexreports: {error}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    """Runs a command and says what it wrote."""
    try:
        return _run()
    except BrokenPipeError:
        # Whoever read the lines has read enough. Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
