"""Distribution of the time: wall time, use of the machine, kernels."""

import pandas as pd

from spexreports.results.checks import GpuCheck
from spexreports.results.micro import BundleSeconds, Kernel
from spexreports.results.result import KERNELS, Result
from spexreports.results.run_log import WALL, wall_parts
from spexreports.results.trace import Trace
from spexreports.tables.ladder import best_ladder_results
from spexreports.tables.numbers import gigabytes, number, time_text
from spexreports.tables.table import Table


def wall_table(results: list[Result]) -> Table | None:
    """Shares of the wall time of each milestone with a kept run log."""
    rows = []
    for r in best_ladder_results(results):
        parts = wall_parts(r)
        if parts:
            total = sum(parts.values())
            shares = {f"{name}, %": f"{100 * parts[name] / total:.0f}" for name in WALL}
            name = f"{r.system}, {r.entry}"
            rows.append(
                {"milestone": name, "frames": str(r.frames_asked), "s": number(total)} | shares
            )
    note = (
        "One run, from launch to exit. A moment of the extraction counts as the first of these "
        "that any rank does: compute, GPU start (contexts, handles, workspaces), read, write, "
        "wait. Reading and writing during compute are hidden, and do not count. The paper's "
        "reading and writing took approximately 25 to 30% of the wall time before interleave-io."
    )
    return Table.of("wall-time", "Shares of the wall time", rows, note)


def _cores(r: Result, share: bool) -> str | None:
    """Core-seconds per frame, or the fraction of the node's cores; None if unknown."""
    cpu_s, seconds = r.middle("cpu_s"), r.effective.seconds.value
    if cpu_s is None:
        return None
    return f"{100 * cpu_s / (seconds * r.cpus):.0f}%" if share else number(cpu_s / r.frames_asked)


def busy_table(results: list[Result]) -> Table | None:
    """Use of CPUs, GPUs and memory."""
    columns = {
        "system, entry": lambda r: f"{r.system}, {r.entry}",
        "ranks × threads": lambda r: f"{r.ranks} × {r.threads}" if r.threads else str(r.ranks),
        "GPUs busy": lambda r: r.middle("gpu_busy") and f"{100 * r.middle('gpu_busy'):.0f}%",
        "CPUs busy": lambda r: _cores(r, share=True),
        "core-seconds a frame": lambda r: _cores(r, share=False),
        "J a frame": lambda r: r.joules_per_frame and number(r.joules_per_frame),
        "memory of a rank, GB": lambda r: gigabytes(r.largest("max_rss_bytes")),
        "memory of a GPU, GB": lambda r: gigabytes(r.largest("device_memory_bytes")),
    }
    note = (
        "From launch to exit. GPUs busy: fraction of the time with a kernel (NVML). CPUs busy: "
        "fraction of all CPUs of the node. With 20 ranks the paper used 31.25% of the 64 cores of "
        "a Perlmutter node; on the 128 cores of the DGX 20 ranks are 16%."
    )
    return Table.by_column(
        "busy", "Use of the machine", best_ladder_results(results), columns, note
    )


def kernel_floor_table(results: list[Result]) -> Table | None:
    """Floors and times of the kernels of direct and band, one frame at a time on one GPU."""
    rows = []
    for r in best_ladder_results(results):
        if r.milestone not in ("direct", "band") or r.gpus != 1 or not r.roofline:
            continue
        points = pd.DataFrame(r.roofline).set_index("stage").loc[list(KERNELS)]
        ceilings = points[["ceiling_flops", "ceiling_bytes"]].to_numpy()
        each = points[["flops", "bytes"]] / r.frames_asked
        each["floor"] = (each[["flops", "bytes"]] / ceilings).max(axis=1)
        each["took"] = pd.Series(r.stage_seconds)
        each.loc["all"] = each.sum()
        rows += [
            {
                "milestone, stage": f"{r.milestone}, {stage}",
                "GFLOP": number(p.flops / 1e9),
                "GB": number(p.bytes / 1e9),
                "floor, ms": f"{p.floor * 1e3:.2f}",
                "ms": f"{p.took * 1e3:.1f}",
                "floors": f"{p.took / p.floor:.0f}",
                "TFLOP/s": f"{p.flops / p.took / 1e12:.2g}",
            }
            for stage, p in zip(each.index, each.itertuples(), strict=True)
        ]
    note = (
        "Per frame. The floor is the time for a stage's flops or bytes at the ceilings measured on "
        "this GPU; floors: the measured time in units of it."
    )
    return Table.of("kernels", "Kernels and their floors", rows, note)


def _rank_seconds(r: Result) -> float:
    """Wall clock of all ranks and threads, a frame."""
    return r.effective.seconds.value * r.ranks * (r.threads or 1) / r.frames_asked


def eigh_table(results: list[Result]) -> Table | None:
    """Solve and decorrelate of the milestones that use eigendecompositions."""
    rows = []
    for r in best_ladder_results(results):
        seconds = {s: r.stage_seconds.get(s, 0.0) for s in KERNELS}
        total = sum(seconds.values())
        if r.milestone in ("band", "direct", "pipeline") or not total:
            continue
        both = seconds["solve"] + seconds["decorrelate"]
        rows.append(
            {
                "system, entry": f"{r.system}, {r.entry}",
                "solve, s": number(seconds["solve"]),
                "decorrelate, s": number(seconds["decorrelate"]) if seconds["decorrelate"] else "–",
                "both, s": number(both),
                "both, of all kernels": f"{100 * both / total:.0f}%",
                "both, of the wall clock": f"{100 * both / _rank_seconds(r):.0f}%",
            }
        )
    note = (
        "Seconds per frame, summed over ranks and threads; – if the run log counts decorrelate in "
        "solve. Wall clock: of all ranks and threads, from launch to exit. Both are what the paper "
        "calls decorrelate (the eigendecompositions of N and of blocks), and f."
    )
    return Table.of("eigh", "What eigendecompositions cost", rows, note)


def kernel_seconds_table(checks: list[GpuCheck]) -> Table | None:
    """Seconds per frame by stage, from the step speed of ci/gpu-check."""
    rows = [
        {"s a frame": f"{check.gpus[0] if check.gpus else 'GPU'}, {row['what']}"}
        | {stage: f"{row['stages'][stage]:.4f}" for stage in KERNELS}
        | {"all": f"{row['seconds']:.4f}", "commit": check.commit}
        for check in checks[:1]
        for row in check.kernels
    ]
    note = "By ci/gpu-check: data on the device, one frame at a time, mean over its cameras."
    return Table.of(
        "kernel-seconds", "Seconds of the kernels", rows, note, text_columns=("commit",)
    )


def trace_table(traces: list[Trace]) -> Table | None:
    """Kernels, copies and idle time per patch, before and after batching."""
    columns = {
        "milestone": lambda t: t.milestone,
        "patches of a batch": lambda t: str(t.patches),
        "kernels a patch": lambda t: f"{t.counts['kernel'] / t.patches:.0f}",
        "copies a patch": lambda t: f"{t.counts['copy'] / t.patches:.0f}",
        "ms a patch": lambda t: f"{t.milliseconds / t.patches:.1f}",
        "GPU busy": lambda t: f"{100 * t.busy['kernel'] / t.milliseconds:.0f}%",
        "GPU, commit": lambda t: f"{t.gpu}, {t.commit}",
    }
    note = "By CUPTI, one rank; the batch of median length of 50 fibers at 6000 to 6157 Å."
    return Table.by_column(
        "patch-trace", "A patch on the GPU", traces, columns, note, text_columns=("GPU, commit",)
    )


def bundle_table(bundles: list[BundleSeconds]) -> Table | None:
    """A bundle on one CPU core, by method and milestone."""
    columns = {
        "method, milestone": lambda b: f"`{b.method}`, {b.milestone}",
        "OpenBLAS kernel": lambda b: b.kernel,
        **{stage: lambda b, stage=stage: f"{b.stages[stage]:.2f}" for stage in KERNELS},
        "all": lambda b: f"{b.seconds:.2f}",
        "runs": lambda b: str(b.repetitions),
    }
    title, text_columns = "CPU seconds of a bundle", ("OpenBLAS kernel",)
    return Table.by_column("bundle-seconds", title, bundles, columns, text_columns=text_columns)


def micro_table(kernels: list[Kernel]) -> Table | None:
    """All micro-benchmarks."""
    columns = {
        "kernel": lambda k: k.name,
        "an item": lambda k: time_text(k.each),
        "rate": lambda k: k.rate,
        "a call": lambda k: time_text(k.seconds),
        "items of a call": lambda k: str(k.batch),
        "on": lambda k: k.where,
    }
    note = (
        "`ceiling` is what the machine reaches: a CPU core, or a GPU. Google Benchmark may say "
        "that its library was built for debugging: that concerns the library, not these programs."
    )
    return Table.by_column(
        "micro", "Micro-benchmarks", kernels, columns, note, text_columns=("on",)
    )
