"""Sweeps: ranks, GPUs, MPS, bundles, cores, patches, files; and the flux of the whole frame."""

from spexreports.results.published import read_published
from spexreports.results.result import CLOCKS, Result
from spexreports.results.work import alone, compression, in_sweep, options
from spexreports.tables.headline import headlines
from spexreports.tables.numbers import factor, number, speed
from spexreports.tables.table import Table

FILES = {"none": ".fits", "gz": ".fits.gz", "fz": ".fits.fz"}


def gpus_table(results: list[Result]) -> Table | None:
    """An exposure on each number of GPUs of one node."""
    found = [r for r in headlines(results) if r.gpus]
    rows = [
        {
            "system, entry": f"{r.system}, {r.entry}",
            "GPUs": str(r.gpus),
            "FPNH, effective": speed(r.effective.fpnh),
            "FPNH, extraction": speed(r.extraction.fpnh),
            "extraction, × proportion": factor(
                r.extraction.fpnh.value / found[0].extraction.fpnh.value * found[0].gpus / r.gpus
            ),
        }
        for r in found
    ]
    note = (
        "30 frames by the fastest entry of each system. By the effective clock more GPUs gain "
        "little or lose: the driver starts them one after the other before it gives any of them "
        "work, and a launch by mpirun adds a second or two. The table of long runs has their gain."
    )
    return Table.of("gpus", "GPUs of one node", rows if len(rows) > 1 else [], note)


def ranks_table(results: list[Result]) -> Table | None:
    """Ranks that share a GPU, under MPS."""
    found = [r for r in in_sweep(results, "ranks-per-gpu") if r.gpus]
    found.sort(key=lambda r: (r.system, r.milestone, r.ranks / r.gpus))
    rows = [
        {
            "system, milestone": f"{r.system}, {r.milestone}",
            "ranks a GPU": f"{r.ranks / r.gpus:g}",
            "FPNH, effective": speed(r.effective.fpnh),
            "FPNH, extraction": speed(r.extraction.fpnh),
            "runs": str(len(r.timed)),
        }
        for r in found
        if r.effective.fpnh
    ]
    paper = read_published().statements
    note = (
        f"Of two frames. The paper found saturation at {paper['ranks-v100'].number} ranks on a "
        f"V100 and at up to {paper['ranks-a100'].number} on an A100."
    )
    return Table.of("ranks-per-gpu", "Ranks that share a GPU", rows, note)


def mps_table(results: list[Result]) -> Table | None:
    """The same ranks on one GPU with MPS and without."""
    points: dict[tuple, dict] = {}
    for r in in_sweep(results, "mps"):
        points.setdefault((r.system, r.milestone, r.scaling.sweep), {})[r.scaling.x] = r
    rows = []
    for (system, milestone, _), by_x in points.items():
        if set(by_x) == {"off", "on"}:
            off, on = by_x["off"], by_x["on"]
            ratios = {
                f"on / off, {clock}": factor(
                    getattr(off, clock).seconds.value / getattr(on, clock).seconds.value
                )
                for clock in CLOCKS
            }
            rows.append(
                {
                    "system, milestone": f"{system}, {milestone}",
                    "ranks a GPU": f"{on.ranks / on.gpus:g}",
                    "off, FPNH": speed(off.effective.fpnh),
                    "on, FPNH": speed(on.effective.fpnh),
                }
                | ratios
            )
    mps = read_published().statements["mps"]
    note = (
        f"DESI's port gained {mps.number} {mps.unit.split(', ')[0]} by MPS in some cases, says the "
        "log of the GPU hackathon of 2020."
    )
    return Table.of("mps", "MPS on and off", rows, note)


def bundles_table(results: list[Result]) -> Table | None:
    """Strong and weak scaling over ranks of GPUs: bundles in all, and seconds of both clocks."""
    chosen = [r for kind in ("strong", "weak") for r in in_sweep(results, kind) if r.gpus]
    chosen.sort(key=lambda r: (r.system, r.milestone, r.scaling.kind, r.ranks))
    rows = [
        {
            "system, milestone": f"{r.system}, {r.milestone}",
            "scaling": r.scaling.kind,
            "ranks": str(r.ranks),
            "bundles": str(r.scaling.bundles),
            "effective, s": speed(r.effective.seconds),
            "extraction, s": speed(r.extraction.seconds),
        }
        for r in chosen
    ]
    note = (
        "One GPU under MPS. Strong: a frame of 20 bundles; weak: a bundle for each rank. Weak "
        "scaling is not flat: each rank adds a context, and all share one GPU."
    )
    title, words = "Strong and weak scaling over ranks", ("scaling",)
    return Table.of("bundles", title, rows, note, words=words)


def cores_table(results: list[Result]) -> Table | None:
    """A frame by ranks of CPUs and by threads; of a point of both sweeps, that of more runs."""
    points = {}
    found = [r for r in in_sweep(results, "strong", "threads") if not r.gpus]
    for r in sorted(found, key=lambda r: len(r.timed)):
        points[r.system, r.ranks, r.threads or 1] = r
    rows = []
    for key in sorted(points):
        r = points[key]
        rows.append(
            {
                "system": r.system,
                "ranks × threads": f"{r.ranks} × {r.threads}",
                "wall clock, s": f"{r.effective.seconds.value:.1f}",
                "memory of a rank, GB": f"{(r.most('max_rss_bytes') or 0) / 1e9:.2f}",
            }
        )
    return Table.of("cores", "Cores of a CPU", rows)


def patches_table(results: list[Result]) -> Table | None:
    """Wall clock and stages over the size of a patch."""
    chosen = [
        r
        for kind in ("nwavestep", "nsubbundles")
        for r in sorted(in_sweep(results, kind), key=lambda r: (r.system, float(r.scaling.x)))
    ]
    rows = [
        {
            "patch": f"{r.scaling.kind} {r.scaling.x:g}",
            "wall clock, s": f"{r.effective.seconds.value:.1f}",
        }
        | {
            f"{s}, s": f"{r.stage_seconds.get(s, 0.0):.1f}"
            for s in ("assemble", "solve", "decorrelate")
        }
        for r in chosen
    ]
    return Table.of("patch-sizes", "Size of a patch", rows, "Stages are sums over all threads.")


def compression_table(results: list[Result]) -> Table | None:
    """Seconds of reading a frame, by the compression of its file."""
    rows = [
        {
            "system, file": f"{r.system}, `{FILES[compression(r)]}`",
            "reading a frame, s": f"{r.stage_seconds.get('read', 0.0):.2f}",
        }
        for r in in_sweep(results, "compression")
    ]
    return Table.of("compression", "Compressed inputs", rows)


def alone_table(results: list[Result]) -> Table | None:
    """One frame by --input, by both clocks, of each kind of file."""
    rows = [
        {
            "system": r.system,
            "input": f"`{FILES[compression(r)]}`",
            "launch to exit, s": speed(r.effective.seconds),
            "extraction, s": speed(r.extraction.seconds),
            "runs": str(len(r.timed)),
        }
        for r in results
        if alone(r) and r.gpus and r.effective
    ]
    return Table.of("frames-alone", "One frame alone", rows, words=("input",))


def flux_table(results: list[Result]) -> Table | None:
    """What --flux frame costs beside patch, in the same run of a plan."""

    def alike(r: Result) -> tuple:
        other = {k: v for k, v in options(r).items() if k not in ("--flux", "--outdir", "--list")}
        return r.run_id, r.system, r.milestone, other.get("--method"), r.case

    valid = [r for r in results if r.effective and r.extraction and r.tier != "ci"]
    by_patch = {alike(r): r for r in valid if options(r).get("--flux", "patch") == "patch"}
    rows = []
    for frame in (r for r in valid if options(r).get("--flux") == "frame"):
        if patch := by_patch.get(alike(frame)):
            ratios = {
                f"frame / patch, {clock}": factor(
                    getattr(frame, clock).seconds.value / getattr(patch, clock).seconds.value
                )
                for clock in CLOCKS
            }
            rows.append(
                {
                    "system, milestone": f"{frame.system}, {frame.milestone}",
                    "frames": str(frame.frames_asked),
                    "patch, s": number(patch.extraction.seconds.value),
                    "frame, s": number(frame.extraction.seconds.value),
                }
                | ratios
                | {"runs": str(len(frame.timed))}
            )
    note = "Seconds of the extraction clock; ratios of medians."
    return Table.of("flux-of-the-frame", "Flux of the whole frame beside patches", rows, note)
