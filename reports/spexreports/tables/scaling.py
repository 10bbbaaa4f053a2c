"""Sweeps: ranks, GPUs, MPS, bundles, cores, patches, files; and the flux of the whole frame."""

from spexreports.results.published import read_published
from spexreports.results.result import CLOCKS, Result
from spexreports.results.work import FILES, alone, compression, in_sweep, options
from spexreports.tables.numbers import factor, number, speed
from spexreports.tables.table import Table


def _name(r: Result) -> str:
    return f"{r.system}, {r.milestone}"


def _runs(r: Result) -> str:
    return str(len(r.timed))


def _ratios(name: str, top: Result, bottom: Result) -> dict[str, str]:
    """Seconds of one result over those of another, by either clock."""
    return {
        f"{name}, {clock}": factor(
            getattr(top, clock).seconds.value / getattr(bottom, clock).seconds.value
        )
        for clock in CLOCKS
    }


def ranks_table(results: list[Result]) -> Table | None:
    """Ranks that share a GPU, under MPS."""
    found = [r for r in in_sweep(results, "ranks-per-gpu") if r.gpus and r.effective.fpnh]
    found.sort(key=lambda r: (r.system, r.milestone, r.ranks / r.gpus))
    columns = {
        "system, milestone": _name,
        "ranks a GPU": lambda r: f"{r.ranks / r.gpus:g}",
        "FPNH, effective": lambda r: speed(r.effective.fpnh),
        "FPNH, extraction": lambda r: speed(r.extraction.fpnh),
        "runs": _runs,
    }
    paper = read_published().statements
    note = (
        f"Of two frames. The paper found saturation at {paper['ranks-v100'].number} ranks on a "
        f"V100 and at up to {paper['ranks-a100'].number} on an A100."
    )
    return Table.by_column("ranks-per-gpu", "Ranks that share a GPU", found, columns, note)


def mps_table(results: list[Result]) -> Table | None:
    """The same ranks on one GPU with MPS and without."""
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
        f"DESI's port gained {read_published().statements['mps'].number} times by MPS in some "
        "cases, says the log of the GPU hackathon of 2020."
    )
    return Table.of("mps", "MPS on and off", rows, note)


def bundles_table(results: list[Result]) -> Table | None:
    """Strong and weak scaling over ranks of GPUs: bundles in all, and seconds of both clocks."""
    found = [r for r in in_sweep(results, "strong", "weak") if r.gpus]
    found.sort(key=lambda r: (r.system, r.milestone, r.scaling.kind, r.ranks))
    columns = {
        "system, milestone": _name,
        "scaling": lambda r: r.scaling.kind,
        "ranks": lambda r: str(r.ranks),
        "bundles": lambda r: str(r.scaling.bundles),
        "effective, s": lambda r: speed(r.effective.seconds),
        "extraction, s": lambda r: speed(r.extraction.seconds),
    }
    note = (
        "One GPU under MPS. Strong: a frame of 20 bundles; weak: a bundle for each rank. Weak "
        "scaling is not flat: each rank adds a context, and all share one GPU."
    )
    title, words = "Strong and weak scaling over ranks", ("scaling",)
    return Table.by_column("bundles", title, found, columns, note, words=words)


def cores_table(results: list[Result]) -> Table | None:
    """A frame by ranks of CPUs and by threads; of a point of both sweeps, that of more runs."""
    found = [r for r in in_sweep(results, "strong", "threads") if not r.gpus]
    found.sort(key=lambda r: len(r.timed))
    points = {(r.system, r.ranks, r.threads or 1): r for r in found}
    columns = {
        "system": lambda r: r.system,
        "ranks × threads": lambda r: f"{r.ranks} × {r.threads}",
        "wall clock, s": lambda r: f"{r.effective.seconds.value:.1f}",
        "memory of a rank, GB": lambda r: f"{(r.most('max_rss_bytes') or 0) / 1e9:.2f}",
    }
    return Table.by_column("cores", "Cores of a CPU", [points[k] for k in sorted(points)], columns)


def patches_table(results: list[Result]) -> Table | None:
    """Wall clock and stages over the size of a patch."""
    found = in_sweep(results, "nwavestep", "nsubbundles")
    found.sort(key=lambda r: (r.scaling.kind == "nsubbundles", r.system, float(r.scaling.x)))
    columns = {
        "patch": lambda r: f"{r.scaling.kind} {r.scaling.x:g}",
        "wall clock, s": lambda r: f"{r.effective.seconds.value:.1f}",
        "assemble, s": lambda r: f"{r.stage_seconds.get('assemble', 0.0):.1f}",
        "solve, s": lambda r: f"{r.stage_seconds.get('solve', 0.0):.1f}",
        "decorrelate, s": lambda r: f"{r.stage_seconds.get('decorrelate', 0.0):.1f}",
    }
    note = "Stages are sums over all threads."
    return Table.by_column("patch-sizes", "Size of a patch", found, columns, note)


def compression_table(results: list[Result]) -> Table | None:
    """Seconds of reading a frame, by the compression of its file."""
    columns = {
        "system, file": lambda r: f"{r.system}, {FILES[compression(r)]}",
        "reading a frame, s": lambda r: f"{r.stage_seconds.get('read', 0.0):.2f}",
    }
    found = in_sweep(results, "compression")
    return Table.by_column("compression", "Compressed inputs", found, columns)


def alone_table(results: list[Result]) -> Table | None:
    """One frame by --input, by both clocks, of each kind of file."""
    columns = {
        "system": lambda r: r.system,
        "input": lambda r: FILES[compression(r)],
        "launch to exit, s": lambda r: speed(r.effective.seconds),
        "extraction, s": lambda r: speed(r.extraction.seconds),
        "runs": _runs,
    }
    found = [r for r in results if alone(r) and r.gpus and r.effective]
    words = ("input",)
    return Table.by_column("frames-alone", "One frame alone", found, columns, words=words)


def flux_table(results: list[Result]) -> Table | None:
    """What --flux frame costs beside patch, in the same run of a plan."""

    def alike(r: Result) -> tuple:
        return r.run_id, r.system, r.milestone, options(r).get("--method"), r.case

    valid = [r for r in results if r.effective and r.extraction and r.tier != "ci"]
    patches = {alike(r): r for r in valid if options(r).get("--flux", "patch") == "patch"}
    pairs = [(patches.get(alike(r)), r) for r in valid if options(r).get("--flux") == "frame"]
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
    return Table.of("flux-of-the-frame", "Flux of the whole frame beside patches", rows, note)
