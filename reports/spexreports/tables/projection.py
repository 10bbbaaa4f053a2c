"""Projects the speed of other GPUs by scaling kernel times with data sheets.

The floor of a stage is the larger of flops / rate and bytes / bandwidth. A stage takes as
many times its floor as measured on a GPU that we have. The rates of another GPU are the measured
ones times the ratio of the data sheets. The time of an exposure outside its kernels (launch, start
of the GPUs, first read, last write, exit) is taken as measured. The error of the projection is
that between the measured GPUs.
"""

from dataclasses import dataclass

from spexreports.results.published import Gpu, read_published
from spexreports.results.result import KERNELS, Result
from spexreports.results.work import EXPOSURE_FRAMES, compression, has_fpnh, standard
from spexreports.tables.headline import headlines
from spexreports.tables.ladder import best_ladder_results
from spexreports.tables.numbers import number
from spexreports.tables.table import Table

NODES = {4: "a node of four", 1: "one"}


def gpu_of(result: Result) -> Gpu | None:
    """The data sheet of a result's GPU."""
    found = [gpu for name, gpu in read_published().gpus.items() if name in (result.gpu or "")]
    return found[0] if found else None


@dataclass(frozen=True)
class Work:
    """Flops and bytes of the stages of `direct`, and the ceilings measured on `gpu`."""

    gpu: Gpu
    points: list[dict]  # the result's roofline

    def floors(self, gpu: Gpu) -> dict[str, float]:
        """Seconds of each stage at the ceilings of another GPU, by the ratio of the data sheets."""
        rate = gpu.fp64_tflops / self.gpu.fp64_tflops
        band = gpu.memory_tb_s / self.gpu.memory_tb_s
        return {
            p["stage"]: max(
                p["flops"] / p["ceiling_flops"] / rate, p["bytes"] / p["ceiling_bytes"] / band
            )
            for p in self.points
        }

    def project(self, seconds: dict[str, float], here: Gpu, there: Gpu) -> float:
        """Seconds of a frame's kernels on `there`, from those by stage measured `here`."""
        old, new = self.floors(here), self.floors(there)
        return sum(seconds[stage] * new[stage] / old[stage] for stage in old)


def kernel_work(results: list[Result]) -> Work | None:
    """The work of a result with ceilings."""
    for r in best_ladder_results(results):
        if r.milestone == "direct" and r.gpus == 1 and r.roofline and (gpu := gpu_of(r)):
            return Work(gpu, [p for p in r.roofline if p["stage"] in KERNELS])
    return None


@dataclass(frozen=True)
class Measured:
    """`direct` and `pipeline` of the same run on one GPU."""

    gpu: Gpu
    direct: Result
    pipeline: Result

    @property
    def kernels(self) -> float:
        """Seconds of the kernels of a frame."""
        return sum(self.direct.stage_seconds[stage] for stage in KERNELS)

    @property
    def beside(self) -> float:
        """Seconds of the pipeline's run outside its kernels."""
        return self.pipeline.effective.seconds.value - self.pipeline.frames_asked * self.kernels


def measured(results: list[Result]) -> list[Measured]:
    """Pairs of `direct` and `pipeline` of one plan on one GPU, at production's settings.

    A pair is of one run of the plan if possible, otherwise of two runs.
    """
    valid = [r for r in results if has_fpnh(r) and r.effective and r.gpus == 1 and standard(r)]
    valid = [r for r in valid if not r.scaling and r.tier != "night"]
    pipelines = [r for r in valid if r.milestone == "pipeline"]
    partners = {(r.system, r.plan): r for r in pipelines} | {r.run_id: r for r in pipelines}
    found = []
    for direct in (r for r in valid if r.milestone == "direct"):
        partner = partners.get(direct.run_id) or partners.get((direct.system, direct.plan))
        if partner and (gpu := gpu_of(direct)):
            found.append(Measured(gpu, direct, partner))
    return found


def _pairs(results: list[Result]) -> list[tuple[Measured, Measured]]:
    """Different measured GPUs that ran the same plan at the same commit, in both orders."""
    found = measured(results)
    return [
        (a, b)
        for a in found
        for b in found
        if a.gpu != b.gpu and (a.direct.plan, a.direct.commit) == (b.direct.plan, b.direct.commit)
    ]


def errors(results: list[Result]) -> tuple[float, float] | None:
    """Between which factors measured kernels were of projected ones; 1 is always between them.

    None if no two kinds of GPU can be compared.
    """
    work, found = kernel_work(results), [1.0]
    for a, b in _pairs(results) if work else []:
        found.append(b.kernels / work.project(a.direct.stage_seconds, a.gpu, b.gpu))
    return (min(found), max(found)) if len(found) > 1 else None


def one_digit(value: float) -> float:
    """The value with one significant digit."""
    return float(f"{value:.0e}")


def span(low: float, high: float) -> str:
    """Two numbers of one digit, or one where they are equal: 20,000 to 40,000."""
    ends = [f"{one_digit(value):,.0f}" for value in (low, high)]
    return " to ".join(dict.fromkeys(ends))


def error_table(results: list[Result]) -> Table | None:
    """The projection from each measured GPU to others that ran the same plan."""
    work, rows = kernel_work(results), []
    for a, b in _pairs(results) if work else []:
        kernels = work.project(a.direct.stage_seconds, a.gpu, b.gpu)
        frames, took = b.pipeline.frames_asked, b.pipeline.effective.seconds.value
        seconds = a.beside + frames * kernels
        rows.append(
            {
                "from, to": f"{a.gpu.name} to {b.gpu.name}",
                "kernels projected, ms a frame": f"{1e3 * kernels:.1f}",
                "measured": f"{1e3 * b.kernels:.1f}",
                "error": f"{100 * (kernels / b.kernels - 1):+.0f}%",
                f"run of {frames} frames projected, s": f"{seconds:.2f}",
                "measured ": f"{took:.2f}",
                "error ": f"{100 * (seconds / took - 1):+.0f}%",
            }
        )
    note = "Plan flux-1gpu on both: direct for the kernels, pipeline for the run, launch to exit."
    return Table.of("projection-error", "How far the projection is off", rows, note)


def _how_far_off(error: tuple[float, float] | None) -> str:
    """A sentence on the error of the projection."""
    if not error:
        return (
            "These numbers have one digit. How far they are off is not known: no two kinds of GPU "
            "were measured at the same commit."
        )
    return (
        f"Between measured GPUs the kernels took {error[0]:.2f} to {error[1]:.2f} times the "
        "projection, which makes these ranges of one digit."
    )


def projection_table(results: list[Result]) -> Table | None:
    """FPNH of an exposure on one GPU of each kind, and on four per node."""
    work = kernel_work(results)
    whole = [m for m in measured(results) if m.pipeline.frames_asked == EXPOSURE_FRAMES]
    if not work or not whole:
        return None
    base = whole[0]
    beside = {1: base.beside}
    for r in headlines(results):
        if r.gpus == 4 and gpu_of(r) == base.gpu and compression(r) == "none":
            beside[4] = r.effective.seconds.value - EXPOSURE_FRAMES * base.kernels / 4
    error = errors(results)
    slow, fast = (error[1], error[0]) if error else (1, 1)
    rows = []
    for gpu in read_published().gpus.values():
        own = gpu == base.gpu
        kernels = work.project(base.direct.stage_seconds, base.gpu, gpu)
        # The slowest and the fastest that the error allows.
        ends = [kernels] * 2 if own else [kernels * slow, kernels * fast]
        row = {
            "GPU": f"{gpu.name}{' (measured)' if own else ', projected'}",
            "FP64, TFLOP/s": f"{gpu.fp64_tflops:g}",
            "memory, TB/s": f"{gpu.memory_tb_s:g}",
            "kernels, ms a frame": f"{1e3 * kernels:.0f}"
            if own
            else span(1e3 * ends[1], 1e3 * ends[0]),
        }
        for count, seconds in sorted(beside.items()):
            rates = [
                3600 * EXPOSURE_FRAMES / (seconds + EXPOSURE_FRAMES * end / count) for end in ends
            ]
            row[f"FPNH, {NODES[count]}"] = number(rates[0]) if own else span(*rates)
        rows.append(row)
    seconds = ", ".join(f"{beside[c]:.2f} s ({NODES[c]})" for c in sorted(beside))
    note = (
        f"Projected from `{base.direct.entry}` ({base.direct.commit}) and `{base.pipeline.entry}` "
        f"({base.pipeline.commit}) on one {base.gpu.name} ({base.direct.system}). A Perlmutter "
        "node has four A100 of 40 GB or 80 GB. Beside the kernels an exposure takes "
        f"{seconds}, as measured on {base.gpu.name}s; another machine's driver, CPUs and file "
        f"system change that. {_how_far_off(error)} Rates are those of the data sheets: "
        + "; ".join(f"{g.name}: {g.source}" for g in read_published().gpus.values())
        + "."
    )
    return Table.of("projection", "Projected, not measured: other GPUs", rows, note)
