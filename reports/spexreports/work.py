"""What a result extracted, and so what it may be put beside."""

from spexreports.command_line import alone, options_of, whole_frames
from spexreports.published import CPU_MILESTONES
from spexreports.result import Result

EXPOSURE_FRAMES = 30

# Options of the extractors that say how a run is organized, and change no bit of a frame.
RUN_OPTIONS = frozenset(
    [
        "--milestone",
        "--list",
        "--exposure",
        "--outdir",
        "--events",
        "--loglevel",
        "--mpi",
        "--threads",
        "--schedule",
        "--groups",
        "--ranks-per-bundle",
        "--readers",
        "--extractors",
        "--writers",
        "--frames-in-flight",
        "--device",
        "--gpus",
        "--bind",
    ]
)
# Production's settings, which are the defaults.
DEFAULTS = {
    "--regularize": "0",
    "--bundlesize": "25",
    "--nsubbundles": "5",
    "--nwavestep": "50",
    "--wavepad": "10",
    "--wavepad-frac": "0.2",
    "--pixpad-frac": "0.8",
    "--decorrelate": "signal",
    "--flux": "patch",
    "--chi2-pixels": "weighted",
}
PRODUCTION = "nwavestep 50, padding fractions 0.8 and 0.2"
PAPER_OPTIONS = {"--nwavestep": "30", "--wavepad-frac": "0", "--pixpad-frac": "0"}
PAPER = "nwavestep 30, padding fractions 0"


def extraction_options(result: Result) -> dict[str, str]:
    """Those that change what is extracted, where they are not production's.

    The method is not among them: frames are the same by either, within the tolerance.
    """
    return {
        name: value
        for name, value in sorted(options_of(result.json).items())
        if name not in RUN_OPTIONS and name != "--method" and DEFAULTS.get(name) != value
    }


def method(result: Result) -> str | None:
    """The method where one was asked for; None: the milestone's own."""
    return options_of(result.json).get("--method")


def of_whole_frame(result: Result) -> bool:
    """Whether the flux is that of the whole frame, and not of patches (extraction.md, 5.2)."""
    return options_of(result.json).get("--flux") == "frame"


def own_method(result: Result) -> bool:
    """Whether a milestone was run as it is defined: on the CPU, by eigh."""
    return result.milestone not in CPU_MILESTONES or method(result) in (None, "eigh")


def settings(result: Result) -> str:
    """The extraction's settings in words: production's, the paper's, or what differs."""
    options = extraction_options(result)
    if options == PAPER_OPTIONS:
        return PAPER
    words = [f"{name.removeprefix('--')} {value}".strip() for name, value in options.items()]
    return ", ".join(words) or PRODUCTION


def compression(result: Result) -> str:
    """Of the input files: empty, or .gz, .fz."""
    kind = result.json["inputs"]["generator"]["compression"]
    return "" if kind == "none" else f".{kind}"


def standard(result: Result) -> bool:
    """Whether a milestone was run as it is defined, with production's settings."""
    return own_method(result) and settings(result) == PRODUCTION


def has_fpnh(result: Result) -> bool:
    """Whether its speed may be called FPNH: of whole frames, none alone, and not of the tier ci."""
    return result.tier != "ci" and whole_frames(result.json) and not alone(result.json)


def of_exposure(result: Result) -> bool:
    """Whether it extracted all frames of an exposure, and not some that may stand for them."""
    return result.frames_asked == EXPOSURE_FRAMES and not result.scaled_to


def _same_inputs(a: Result, b: Result) -> bool:
    sides = [result.json["inputs"] for result in (a, b)]
    # Exposures of a kind: no two starts have the same.
    if any(inputs.get("seeds") == "drawn" for inputs in sides):
        kinds = [
            tuple(inputs["generator"][key] for key in ("size", "cameras", "compression"))
            for inputs in sides
        ]
        return kinds[0] == kinds[1]
    # One may have run fewer of the frames, or fewer rounds of them.
    common = set(a.inputs) & set(b.inputs)
    return bool(common) and all(a.inputs[key] == b.inputs[key] for key in common)


def same_work(a: Result, b: Result) -> str:
    """What differs in the work of two results, in words; empty where it is the same."""
    if a.case != b.case:
        return f"of the cases {a.case} and {b.case}"
    if not _same_inputs(a, b):
        return "of other inputs"
    if settings(a) != settings(b):
        return f"of the settings {settings(a)}, and {settings(b)}"
    return ""


def why_incomplete(result: Result) -> list[str]:
    """What is missing for an accepted result (docs/benchmark.md, run rules); empty: nothing."""
    return result.json["fom"]["incomplete_because"]
