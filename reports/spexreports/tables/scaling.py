"""Sweeps (ranks, GPUs, MPS, bundles, cores, patches, files) and the flux of the whole frame."""

from spexreports.results.published import read_published
from spexreports.results.result import CLOCKS, KERNELS, Result
from spexreports.results.work import (
    FILES,
    alone,
    compression,
    files,
    in_sweep,
    options,
    ranks_sweeps,
)
from spexreports.tables.numbers import counted, factor, gigabytes, number, speed
from spexreports.tables.table import Table


def _name(r: Result) -> str:
    return f"{r.system}, {r.milestone}"


def _runs(r: Result) -> str:
    return str(len(r.timed))


def _ratios(name: str, top: Result, bottom: Result) -> dict[str, str]:
    """Seconds of one result over those of another, by both clocks."""
    return {
        f"{name}, {clock}": factor(
            getattr(top, clock).seconds.value / getattr(bottom, clock).seconds.value
        )
        for clock in CLOCKS
    }


# Description of a point, by kind of sweep.
POINTS = {
    "ranks-per-gpu": lambda r: (
        f"{counted(r.gpus, 'GPU')}, {counted(round(r.ranks / max(r.gpus, 1)), 'rank')} each"
        f"{', MPS' if r.json['launch']['mps'] else ''}"
    ),
    "gpus": lambda r: f"{counted(r.gpus, 'GPU')}, {files(r)}",
    "strong": lambda r: f"{counted(r.ranks, 'rank')}, {counted(r.scaling.bundles, 'bundle')}",
    "weak": lambda r: f"{counted(r.ranks, 'rank')}, {counted(r.scaling.bundles, 'bundle')}",
    "weak-frames": lambda r: f"{counted(r.ranks, 'rank')}, {counted(r.frames_asked, 'frame')}",
    "weak-nodes": lambda r: f"{counted(r.nodes, 'node')}, {counted(r.frames_asked, 'frame')}",
    "nodes": lambda r: f"{counted(r.nodes, 'node')}, {counted(r.frames_asked, 'frame')}",
    "threads": lambda r: counted(r.threads or 1, "thread"),
    "extractors": lambda r: counted(int(r.scaling.x), "extractor"),
    "nwavestep": lambda r: f"nwavestep {r.scaling.x:g}",
    "nsubbundles": lambda r: f"nsubbundles {r.scaling.x:g}",
    "compression": lambda r: FILES[compression(r)],
}


def sweeps_table(results: list[Result]) -> Table | None:
    """Both clocks at each point of each sweep."""
    kinds = list(POINTS)

    def order(r: Result) -> tuple:
        x = r.scaling.x if isinstance(r.scaling.x, int | float) else 0
        return kinds.index(r.scaling.kind), r.system, r.scaling.sweep, x

    columns = {
        "sweep": lambda r: r.scaling.kind,
        "system, milestone": _name,
        "point": lambda r: POINTS[r.scaling.kind](r),
        "frames": lambda r: str(r.frames_asked),
        "launch to exit, s": lambda r: speed(r.effective.seconds),
        "extraction, s": lambda r: speed(r.extraction.seconds) if r.extraction else None,
        "FPNH": lambda r: speed(r.effective.fpnh) if r.effective.fpnh else None,
        "read, s a frame": lambda r: f"{r.stage_seconds.get('read', 0.0):.2f}",
        "memory of a rank, GB": lambda r: gigabytes(r.largest("max_rss_bytes")),
        "runs": _runs,
    }
    found, paper = sorted(in_sweep(results, *POINTS), key=order), read_published().statements
    note = (
        "Strong: all ranks share the bundles of a frame; weak: each rank has a bundle. Ranks "
        "share the GPUs under MPS, or have a core each. The paper found saturation at "
        f"{paper['ranks-v100'].number} ranks on a V100, at up to {paper['ranks-a100'].number} on "
        "an A100."
    )
    text_columns = ("system, milestone", "point")
    return Table.by_column("sweeps", "Sweeps", found, columns, note, text_columns=text_columns)


def ranks_table(results: list[Result]) -> Table | None:
    """Frames per node-hour by the number of ranks that share a GPU."""
    found = ranks_sweeps(results)
    ranks = sorted({x for points in found.values() for x in points})
    rows = [
        {
            "system, milestone": f"{system}, {milestone}",
            "GPUs": str(gpus),
            "MPS": "on" if mps else "off",
        }
        | {
            counted(round(x), "rank"): speed(points[x].effective.fpnh) if x in points else None
            for x in ranks
        }
        for (milestone, system, gpus, mps), points in sorted(found.items())
    ]
    note = "Frames per node-hour, launch to exit, by ranks a GPU. A single rank a GPU has no MPS."
    return Table.of("ranks-a-gpu", "Ranks a GPU", rows, note, text_columns=("MPS",))


def gpus_table(results: list[Result]) -> Table | None:
    """Seconds from launch to exit by the GPUs of a node, of which each has a rank."""
    points: dict[tuple, dict[int, Result]] = {}
    for r in in_sweep(results, "gpus"):
        key = (_name(r), files(r), r.frames_asked, r.scaling.sweep)
        points.setdefault(key, {})[r.gpus] = r
    counts = sorted({gpus for by_gpus in points.values() for gpus in by_gpus})
    rows = [
        {"system, milestone": name, "files": form, "frames": str(frames)}
        | {
            counted(n, "GPU"): speed(by_gpus[n].effective.seconds) if n in by_gpus else None
            for n in counts
        }
        for (name, form, frames, _), by_gpus in sorted(points.items())
    ]
    note = "Seconds from launch to exit, with a rank for each GPU."
    return Table.of("gpus-of-a-node", "GPUs of a node", rows, note, text_columns=("files",))


def _exit_seconds(r: Result) -> float:
    """From the end of the extraction clock to the exit."""
    return r.effective.seconds.value - r.middle("launch_s") - r.extraction.seconds.value


def _of_a_rank(r: Result, *stages: str) -> str:
    """Seconds of these stages in a run, mean of the ranks."""
    total = sum(r.stage_seconds.get(stage, 0.0) for stage in stages)
    return f"{total * r.frames_asked / r.ranks:.3f}"


def weak_parts_table(results: list[Result]) -> Table | None:
    """Where the time goes when each further rank brings a bundle of its own."""
    found = [r for r in in_sweep(results, "weak") if r.gpus and r.middle("launch_s")]
    columns = {
        "system, milestone": _name,
        "ranks": lambda r: str(r.ranks),
        "GPUs": lambda r: str(r.gpus),
        "launch, s": lambda r: f"{r.middle('launch_s'):.2f}",
        "extraction, s": lambda r: f"{r.extraction.seconds.value:.2f}",
        "exit, s": lambda r: f"{_exit_seconds(r):.2f}",
        "GPU start of a rank, s": lambda r: _of_a_rank(r, "start"),
        "kernels of a rank, s": lambda r: _of_a_rank(r, *KERNELS),
        "solve of a rank, s": lambda r: _of_a_rank(r, "solve"),
    }
    note = (
        "Each rank has a bundle of the same frame. Launch: until all ranks have started. Exit: "
        "from the last output to the end of the last rank. Columns of a rank are means over the "
        "ranks. Its start and kernels are parts of the extraction; solve is a part of the kernels."
    )
    ordered = sorted(found, key=lambda r: (_name(r), r.ranks))
    return Table.by_column("weak-parts", "Weak scaling by its parts", ordered, columns, note)


def mps_table(results: list[Result]) -> Table | None:
    """The same ranks on one GPU with and without MPS."""
    points: dict[tuple, dict] = {}
    for r in in_sweep(results, "mps"):
        points.setdefault((_name(r), r.scaling.sweep), {})[r.scaling.x] = r
    rows = [
        {
            "system, milestone": name,
            "ranks a GPU": f"{by_x['on'].ranks / by_x['on'].gpus:g}",
            "off, FPNH": speed(by_x["off"].effective.fpnh),
            "on, FPNH": speed(by_x["on"].effective.fpnh),
        }
        | _ratios("on / off", by_x["off"], by_x["on"])
        for (name, _), by_x in points.items()
        if set(by_x) == {"off", "on"}
    ]
    note = (
        f"MPS made DESI's port {read_published().statements['mps'].number} times faster in some "
        "cases, by the log of the GPU hackathon of 2020."
    )
    return Table.of("mps", "MPS on and off", rows, note)


def alone_table(results: list[Result]) -> Table | None:
    """One frame by --input, by both clocks, for each kind of file."""
    columns = {
        "system": lambda r: r.system,
        "input": lambda r: FILES[compression(r)],
        "launch to exit, s": lambda r: speed(r.effective.seconds),
        "extraction, s": lambda r: speed(r.extraction.seconds),
        "runs": _runs,
    }
    found = [r for r in results if alone(r) and r.gpus and r.effective]
    text_columns = ("input",)
    return Table.by_column(
        "frames-alone", "One frame alone", found, columns, text_columns=text_columns
    )


def flux_table(results: list[Result]) -> Table | None:
    """The cost of --flux frame compared with patch, in the same run of a plan."""

    def alike(r: Result) -> tuple:
        return r.run_id, r.system, r.milestone, options(r).get("method"), r.case

    valid = [r for r in results if r.effective and r.extraction and r.tier != "ci"]
    patches = {alike(r): r for r in valid if options(r).get("flux", "patch") == "patch"}
    pairs = [(patches.get(alike(r)), r) for r in valid if options(r).get("flux") == "frame"]
    rows = [
        {
            "system, milestone": _name(frame),
            "frames": str(frame.frames_asked),
            "patch, s": number(patch.extraction.seconds.value),
            "frame, s": number(frame.extraction.seconds.value),
        }
        | _ratios("frame / patch", frame, patch)
        | {"runs": _runs(frame)}
        for patch, frame in pairs
        if patch
    ]
    note = "Seconds of the extraction clock; ratios of medians."
    return Table.of("flux-of-the-frame", "Flux of the whole frame and of patches", rows, note)
