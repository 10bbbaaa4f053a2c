"""Command line of the program spex-reports, and of `python -m spexreports COMMAND ...`."""

import argparse
import os
import sys
from pathlib import Path

from spexreports import files, style
from spexreports.bench_report import bench_report
from spexreports.bundle_seconds import read_bundles
from spexreports.comparison import MARGIN
from spexreports.errors import DataError, UsageError
from spexreports.gpu_checks import read_checks
from spexreports.nodes import MARGIN as NODE_MARGIN
from spexreports.nodes import judge_nodes, read_nodes, status_of, table
from spexreports.nodes_figure import nodes_figure
from spexreports.patch_figure import brightest_wave, patch_figure, window_around
from spexreports.pulls_figure import pulls_figure, summary
from spexreports.quoted import Sources, quote
from spexreports.readme_figure import readme_figure
from spexreports.resolution_figure import resolution_figure
from spexreports.result_files import read_results
from spexreports.seams import joined, read_seams
from spexreports.seams import summary as seams_summary
from spexreports.seams_figure import seams_figure
from spexreports.spectra_figure import spectra_figure
from spexreports.thresholds import thresholds_text, write_thresholds
from spexreports.truth_check import expected_flux, pulls


def demo(arguments: argparse.Namespace) -> list[Path]:
    """The four plots of a simulated and extracted frame."""
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    frame = files.read_frame(arguments.frame)
    ccd = files.read_ccd(arguments.preproc)
    model = files.read_model(arguments.model)
    traces = files.read_traces(arguments.psf)
    expected = expected_flux(frame, files.read_truth(arguments.truth))
    measured = pulls(frame, expected)
    for name, value, want, passed in summary(measured):
        print(f"  {name:20s} {value:8.4f}  expected {want:g}  {'ok' if passed else 'OUTSIDE'}")

    name = frame.camera or "unknown"
    window = window_around(ccd, traces, frame.index[:25], brightest_wave(frame))
    return [
        style.save(
            patch_figure(
                ccd,
                model,
                window,
                f"Camera {name}: the CCD, and what the extraction predicts of it",
            ),
            out / "patch.png",
        ),
        style.save(
            spectra_figure(frame, expected, f"Camera {name}: extracted spectra and the truth"),
            out / "spectra.png",
        ),
        style.save(
            resolution_figure(frame, f"Camera {name}: the resolution that the extraction reports"),
            out / "resolution.png",
        ),
        style.save(
            pulls_figure(measured, f"Camera {name}: errors against the truth"), out / "pulls.png"
        ),
    ]


def readme(arguments: argparse.Namespace) -> list[Path]:
    """The README's picture."""
    figure = readme_figure(
        files.read_ccd(arguments.preproc),
        files.read_traces(arguments.psf),
        files.read_frame(arguments.frame),
    )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    return [style.save(figure, arguments.out)]


def seams(arguments: argparse.Namespace) -> list[Path]:
    """The seams of patches, against the truth."""
    found = joined([read_seams(*three) for three in arguments.exposure])
    for line in seams_summary(found):
        print(line)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    return [style.save(seams_figure(found, arguments.title), arguments.out)]


def bench(arguments: argparse.Namespace) -> list[Path]:
    """The report of benchmark results."""
    return bench_report(
        arguments.results, arguments.out, arguments.compare, arguments.margin, arguments.micro
    )


def quote_results(arguments: argparse.Namespace) -> list[Path]:
    """Writes the numbers of documents anew, or says where they are not those of the results."""
    sources = Sources(
        read_results(arguments.results),
        read_checks(arguments.checks),
        read_bundles(arguments.bundles),
    )
    changed = []
    for file in arguments.documents:
        text = quote(file, sources)
        if text != file.read_text(encoding="utf-8"):
            if arguments.check:
                raise DataError(file, "quotes numbers that are not in the results", "quote it anew")
            file.write_text(text, encoding="utf-8")
            changed.append(file)
    return changed


def reference_values(arguments: argparse.Namespace) -> list[Path]:
    """Thresholds that are the speeds of results."""
    text = thresholds_text(read_results(arguments.results))
    write_thresholds(arguments.out, text)
    return [arguments.out]


class OddNodesError(Exception):
    """Not all is as it should be, which has been said; the exit status."""


def nodes(arguments: argparse.Namespace) -> list[Path]:
    """The table of the nodes of an allocation, and their figure."""
    found = judge_nodes(read_nodes(arguments.folder), arguments.margin)
    text = table(found)
    print(text)
    written = []
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "nodes.txt").write_text(text + "\n", encoding="utf-8")
        written.append(arguments.out / "nodes.txt")
        if any(one.speeds for one in found):
            style.apply_column()
            picture = nodes_figure(found, arguments.margin)
            written.append(style.save(picture.figure, arguments.out / "nodes.png"))
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
    for name, run, text in (
        (
            "demo",
            demo,
            "patch, spectra, resolution and pulls of a simulated frame (--out FOLDER)",
        ),
        ("readme", readme, "a CCD patch beside its spectra (--out FILE)"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        command.add_argument("--preproc", type=Path, required=True)
        command.add_argument("--psf", type=Path, required=True)
        command.add_argument("--frame", type=Path, required=True)
        command.add_argument("--out", type=Path, required=True)
        if name == "demo":
            command.add_argument("--model", type=Path, required=True)
            command.add_argument("--truth", type=Path, required=True)
    text = "errors by distance from a patch's edge, of --flux patch and frame (--out FILE)"
    command = commands.add_parser("seams", help=text, description=text)
    command.set_defaults(run=seams)
    command.add_argument(
        "--exposure",
        type=Path,
        nargs=3,
        action="append",
        required=True,
        metavar=("PATCH", "FRAME", "TRUTH"),
        help="frames of one simulation by --flux patch and --flux frame, and its truth; again for "
        "more exposures",
    )
    command.add_argument("--title", default="Seams of patches", help="(default: %(default)s)")
    command.add_argument("--out", type=Path, required=True)
    text = "a page of benchmark results, with the paper's table and figures (docs/benchmark.md)"
    command = commands.add_parser("bench", help=text, description=text)
    command.set_defaults(run=bench)
    command.add_argument(
        "results",
        type=Path,
        nargs="*",
        metavar="RESULT.json|DIR",
        help="result files of spex-bench, or its output folders",
    )
    command.add_argument("--out", type=Path, required=True, help="folder of the page and PNGs")
    command.add_argument(
        "--compare",
        nargs=2,
        metavar=("A", "B"),
        help="is B faster than A? two result files, folders, or run_ids of the results",
    )
    command.add_argument(
        "--margin",
        type=float,
        default=MARGIN,
        help="speeds within it are the same (default: %(default)s, of 1)",
    )
    command.add_argument(
        "--micro",
        type=Path,
        action="append",
        metavar="FILE.json",
        help="outputs of the micro-benchmarks (--benchmark_format=json), also drawn",
    )
    text = "a thresholds file of spex-bench that asks for the speeds of results"
    command = commands.add_parser("thresholds", help=text, description=text)
    command.set_defaults(run=reference_values)
    command.add_argument("results", type=Path, nargs="+", metavar="RESULT.json|DIR")
    command.add_argument("--out", type=Path, required=True, help="file to write")
    text = "slow, wrong and silent nodes, by one plan on each (docs/slurm.md)"
    command = commands.add_parser("nodes", help=text, description=text)
    command.set_defaults(run=nodes)
    command.add_argument("folder", type=Path, metavar="DIR", help="with a folder for each node")
    command.add_argument("--out", type=Path, help="folder of the table and its figure")
    command.add_argument(
        "--margin",
        type=float,
        default=NODE_MARGIN,
        help="nodes within it are not odd (default: %(default)s, of 1)",
    )
    text = "writes the blocks of documents that quote results (docs/benchmark.md)"
    command = commands.add_parser("quote", help=text, description=text)
    command.set_defaults(run=quote_results)
    command.add_argument("results", type=Path, nargs="+", metavar="RESULT.json|DIR")
    command.add_argument(
        "--documents", type=Path, nargs="+", required=True, metavar="FILE.md", help="to be written"
    )
    command.add_argument(
        "--checks",
        type=Path,
        nargs="+",
        default=[],
        metavar="GPU-CHECK.json",
        help="what ci/gpu-check left, of which gpu-checks and kernel-seconds are made",
    )
    command.add_argument(
        "--bundles",
        type=Path,
        nargs="+",
        default=[],
        metavar="BUNDLE.json",
        help="what bench_bundle left, of which bundle-seconds is made",
    )
    command.add_argument(
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
