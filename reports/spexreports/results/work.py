"""The work of a result, which decides with which results it can be compared."""

from pathlib import PurePath

from spexreports.results.published import CPU_MILESTONES, MILESTONES
from spexreports.results.result import Result

EXPOSURE_FRAMES = 30
FILES = {"none": "plain FITS", "gz": "`.fits.gz`", "fz": "`.fits.fz`"}  # by compression
# Options of older results, whose records do not name those that differ from the defaults. Any other
# option counts as a difference.
SHORT = {"-w": "--wavelength", "-s": "--specmin", "-n": "--nspec", "-r": "--regularize"}
OLD_DEFAULTS = {"--nsubbundles": "5", "--nwavestep": "50"}
OF_A_RUN = {
    "--milestone",
    "--events",
    "--loglevel",
    "--list",
    "--threads",
    "--extractors",
    "--gpus",
}
PRODUCTION = "production's settings (nwavestep 50, padding 0.8 and 0.2)"
SCRIPT_OPTIONS = {"nwavestep": "30", "wavepad_frac": "0", "pixpad_frac": "0"}
SCRIPT = "settings of gpu_specter's benchmark script (nwavestep 30, padding 0)"
EARLY_OPTIONS = {"wavepad_frac": "0", "pixpad_frac": "0"}
EARLY = "settings of that script until November 2020 (nwavestep 50, padding 0)"
EARLY_MILESTONES = MILESTONES[: MILESTONES.index("batch-eigh") + 1]
PUBLISHED_MILESTONES = MILESTONES[: MILESTONES.index("interleave-io") + 1]


def of_argv(result: Result) -> dict[str, str]:
    """Options that differ from the defaults, from an older result's command line."""
    argv = result.json["launch"]["argv"]
    programs = [i for i, argument in enumerate(argv) if PurePath(argument).name.startswith("spex-")]
    found: dict[str, str] = {}
    last = ""
    for argument in argv[programs[0] + 1 :] if programs else []:
        if argument.startswith("-") and argument[1:2] != "" and not argument[1].isdecimal():
            name, _, value = argument.partition("=")
            last = SHORT.get(name, name)
            found[last] = value
        elif last:
            found[last] = f"{found[last]} {argument}".strip()
    return {
        name.removeprefix("--").replace("-", "_"): value
        for name, value in found.items()
        if name not in OF_A_RUN and OLD_DEFAULTS.get(name) != value
    }


def options(result: Result) -> dict[str, str]:
    """Options of the extraction that differ from the milestone's defaults; a flag's value is ''."""
    recorded: dict[str, str] | None = result.json["work"].get("options")
    return of_argv(result) if recorded is None else recorded


def settings(result: Result) -> str:
    """A name for the settings: production's, the script's of a time, or the differences."""
    other = {k: v for k, v in sorted(options(result).items()) if k != "method"}
    if other == SCRIPT_OPTIONS:
        return SCRIPT
    if other == EARLY_OPTIONS:
        return EARLY
    texts = [f"{name.replace('_', '-')} {value}".strip() for name, value in other.items()]
    return ", ".join(texts) or PRODUCTION


def published_settings(result: Result) -> bool:
    """Whether a milestone of the paper was run with the settings of its time (milestones.md)."""
    own = EARLY if result.milestone in EARLY_MILESTONES else SCRIPT
    return result.milestone in PUBLISHED_MILESTONES and settings(result) == own


def own_method(result: Result) -> bool:
    """Whether a milestone was run with its own method; on the CPU that is eigh."""
    method = options(result).get("method")
    return result.milestone not in CPU_MILESTONES or method in (None, "eigh")


def compression(result: Result) -> str:
    """Compression of the input files: none, gz or fz."""
    return result.json["inputs"]["generator"]["compression"]


def compression_written(result: Result) -> str:
    """Compression of the frames: none or gz."""
    return result.json["work"].get("compression") or "none"


def files(result: Result) -> str:
    """The files read and written; both are named where they differ."""
    read, written = FILES[compression(result)], FILES[compression_written(result)]
    return read if read == written else f"{read} in, {written} out"


def alone(result: Result) -> bool:
    """Whether each run extracts one frame, with its files on the command line."""
    return result.json["launch"]["alone"]


def has_fpnh(result: Result) -> bool:
    """Whether the speed is FPNH: of whole frames, not `alone`, not in the tier ci."""
    return result.json["work"]["has_fpnh"] and result.tier != "ci" and not alone(result)


def of_exposure(result: Result) -> bool:
    """Whether all frames of an exposure were extracted, not fewer that stand for them."""
    return result.frames_asked == EXPOSURE_FRAMES and not result.scaled_to


def standard(result: Result) -> bool:
    """Whether a milestone was run with its own method and production's settings."""
    return own_method(result) and settings(result) == PRODUCTION


def exposures(results: list[Result]) -> list[Result]:
    """Valid results of an exposure, or of frames that stand for it; no sweeps, no long runs.

    The reference point of cpu-refactor in the sweep over ranks counts, because it is a whole run.
    """
    return [
        r
        for r in results
        if r.effective
        and r.extraction
        and has_fpnh(r)
        and r.tier != "night"
        and (r.scaling is None or (r.scaling.kind == "ranks-per-gpu" and not r.gpus))
        and (of_exposure(r) or r.scaled_to)
    ]


def ladder_results(results: list[Result]) -> list[Result]:
    """Exposures of milestones in the order of the ladder, from plain files.

    Each with its own method, at the settings of production or of gpu_specter's script, now or at
    the time of their row.
    """
    order = {milestone: i for i, milestone in enumerate(MILESTONES)}
    chosen = [
        r
        for r in exposures(results)
        if own_method(r) and compression(r) == "none" and settings(r) in (PRODUCTION, SCRIPT, EARLY)
    ]
    return sorted(chosen, key=lambda r: (order[r.milestone], r.system, r.entry))


def complete_or_all(results: list[Result]) -> list[Result]:
    """The complete results; all if none is complete."""
    return [r for r in results if not r.why_incomplete] or results


def fastest(results: list[Result]) -> Result | None:
    """The fastest by the effective clock among those with the most frames of an exposure."""

    def rank(r: Result) -> tuple:
        return min(r.frames_asked, EXPOSURE_FRAMES), r.effective.fpnh.value

    return max(results, key=rank, default=None)


def in_sweep(results: list[Result], *kinds: str) -> list[Result]:
    """Results that are points of sweeps of these kinds and have a speed; not of tier ci."""
    return [
        r
        for r in results
        if r.scaling and r.scaling.kind in kinds and r.tier != "ci"
        # On several nodes there is only the effective clock.
        if r.extraction or (r.effective and r.nodes > 1)
    ]


def ranks_sweeps(results: list[Result]) -> dict[tuple[str, str, int, bool], dict[float, Result]]:
    """Points of sweeps over ranks a GPU, by ranks a GPU, which share a milestone, system and GPUs.

    The last part of the key is whether the sweep has MPS; its single rank a GPU needs none.
    """
    points = [r for r in in_sweep(results, "ranks-per-gpu") if r.gpus and r.effective.fpnh]
    with_mps = {(r.system, r.scaling.sweep) for r in points if r.json["launch"]["mps"]}
    found: dict[tuple[str, str, int, bool], dict[float, Result]] = {}
    for r in points:
        key = r.milestone, r.system, r.gpus, (r.system, r.scaling.sweep) in with_mps
        found.setdefault(key, {})[r.ranks / r.gpus] = r
    return found


def long_runs(results: list[Result]) -> list[Result]:
    """Long runs of whole frames with a steady part, by system and entry."""
    chosen = [r for r in results if has_fpnh(r) and r.sustained and r.sustained["fpnh"]]
    return sorted(chosen, key=lambda r: (r.system, r.entry))
