"""What other GPUs would do: floors of the kernels scaled by data sheets. Projected, not measured.

A stage takes its floor, the larger of flops / rate and bytes / bandwidth, times the number of
floors that it was measured to take on a GPU that we have. Rates of another GPU are those measured
here times the ratio of the data sheets. What an exposure takes beside its kernels (launch, start
of the GPUs, first read, last write, exit) is taken as measured. The same projection between the
GPUs that were measured says how far off it is.
"""

from dataclasses import dataclass

from spexreports.results.published import Gpu, read_published
from spexreports.results.result import KERNELS, Result
from spexreports.results.work import EXPOSURE_FRAMES, compression, standard
from spexreports.tables.headline import headlines
from spexreports.tables.ladder import best_rungs
from spexreports.tables.numbers import number
from spexreports.tables.table import Table

NODES = {4: "a node of four", 1: "one"}


@dataclass(frozen=True)
class Work:
    """A stage of a frame, and the ceilings that were measured on `gpu`."""

    gpu: Gpu
    flops: float
    bytes: float
    ceiling_flops: float  # per second
    ceiling_bytes: float

    def floor(self, gpu: Gpu) -> float:
        """Seconds at the ceilings of another GPU, by the ratio of the data sheets."""
        flops = self.ceiling_flops * gpu.fp64_tflops / self.gpu.fp64_tflops
        moved = self.ceiling_bytes * gpu.memory_tb_s / self.gpu.memory_tb_s
        return max(self.flops / flops, self.bytes / moved)


def gpu_of(result: Result) -> Gpu | None:
    """The row of the data sheets that a result's GPU belongs to."""
    found = [gpu for name, gpu in read_published().gpus.items() if name in (result.gpu or "")]
    return found[0] if found else None


def kernel_work(results: list[Result]) -> dict[str, Work]:
    """What the stages of `direct` compute and move for a frame, from a result with ceilings."""
    for r in best_rungs(results):
        if r.milestone == "direct" and r.gpus == 1 and r.roofline and (gpu := gpu_of(r)):
            frames = r.frames_asked
            return {
                p["stage"]: Work(
                    gpu,
                    p["flops"] / frames,
                    p["bytes"] / frames,
                    p["ceiling_flops"],
                    p["ceiling_bytes"],
                )
                for p in r.roofline
                if p["stage"] in KERNELS
            }
    return {}


def project(seconds: dict[str, float], work: dict[str, Work], here: Gpu, there: Gpu) -> float:
    """Seconds of a frame's kernels on `there`, from seconds by stage that were measured `here`."""
    return sum(seconds[s] * work[s].floor(there) / work[s].floor(here) for s in work)


@dataclass(frozen=True)
class Measured:
    """`direct` and `pipeline` of the same run on one GPU, frames by frames."""

    gpu: Gpu
    direct: Result
    pipeline: Result

    @property
    def stages(self) -> dict[str, float]:
        """Seconds of the kernels of a frame."""
        return {s: self.direct.stage_seconds[s] for s in KERNELS}

    @property
    def kernels(self) -> float:
        """Their sum."""
        return sum(self.stages.values())

    @property
    def beside(self) -> float:
        """Seconds that the pipeline's run takes beside its kernels."""
        return self.pipeline.effective.seconds.value - self.pipeline.frames_asked * self.kernels


def measured(results: list[Result]) -> list[Measured]:
    """Pairs of one run of a plan on one GPU, of production's settings, with any frames."""
    valid = [r for r in results if r.effective and r.gpus == 1 and standard(r) and not r.scaling]
    valid = [r for r in valid if r.effective.fpnh and r.tier == "acceptance"]
    found = []
    for direct in (r for r in valid if r.milestone == "direct"):
        same = [r for r in valid if r.milestone == "pipeline" and r.run_id == direct.run_id]
        gpu = gpu_of(direct)
        if same and gpu and all(s in direct.stage_seconds for s in KERNELS):
            found.append(Measured(gpu, direct, same[0]))
    return found


def error_table(results: list[Result]) -> Table | None:
    """The projection from each measured GPU to the others that ran the same plan."""
    work, found, rows = kernel_work(results), measured(results), []
    for a in found:
        for b in found:
            if a.gpu == b.gpu or a.pipeline.plan != b.pipeline.plan or not work:
                continue
            kernels = project(a.stages, work, a.gpu, b.gpu)
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


def projection_table(results: list[Result]) -> Table | None:
    """FPNH of an exposure on one GPU of each kind, and on four of a node."""
    work = kernel_work(results)
    whole = [m for m in measured(results) if m.pipeline.frames_asked == EXPOSURE_FRAMES]
    if not work or not whole:
        return None
    base = whole[0]
    beside = {1: base.beside}
    for r in headlines(results):
        if r.gpus == 4 and gpu_of(r) == base.gpu and compression(r) == "none":
            beside[4] = r.effective.seconds.value - EXPOSURE_FRAMES * base.kernels / 4
    rows = []
    for gpu in read_published().gpus.values():
        kernels = project(base.stages, work, base.gpu, gpu)
        row = {
            "GPU": f"{gpu.name}{' (measured)' if gpu == base.gpu else ', projected'}",
            "FP64, TFLOP/s": f"{gpu.fp64_tflops:g}",
            "memory, TB/s": f"{gpu.memory_tb_s:g}",
            "kernels, ms a frame": f"{1e3 * kernels:.0f}",
        }
        for count, seconds in sorted(beside.items()):
            took = seconds + EXPOSURE_FRAMES * kernels / count
            row[f"FPNH, {NODES[count]}"] = number(3600 * EXPOSURE_FRAMES / took)
        row["FPNH of the kernels alone, one"] = number(3600 / kernels)
        rows.append(row)
    seconds = ", ".join(f"{beside[c]:.2f} s ({NODES[c]})" for c in sorted(beside))
    note = (
        f"Projected from `{base.direct.entry}` and `{base.pipeline.entry}` on one {base.gpu.name} "
        f"({base.direct.system}, {base.direct.commit}). A Perlmutter node has four A100 of 40 GB "
        "or 80 GB. Beside the kernels an exposure takes "
        f"{seconds}, as measured on {base.gpu.name}s; another machine's driver, CPUs and file "
        "system change that. Rates are those of the data sheets: "
        + "; ".join(f"{g.name}: {g.source}" for g in read_published().gpus.values())
        + "."
    )
    return Table.of("projection", "Projected, not measured: other GPUs", rows, note)
