"""Where the time goes: wall time, use of the machine, kernels."""

from spexreports.results.checks import GpuCheck
from spexreports.results.micro import BundleSeconds, Kernel
from spexreports.results.result import KERNELS, Result
from spexreports.results.run_log import WALL, wall_parts
from spexreports.tables.ladder import best_rungs
from spexreports.tables.numbers import number, time_text
from spexreports.tables.table import Table


def wall_table(results: list[Result]) -> Table | None:
    """Shares of the wall time of each rung whose run log is kept."""
    rows = []
    for r in best_rungs(results):
        parts = wall_parts(r)
        if parts:
            total = sum(parts.values())
            shares = {f"{name}, %": f"{100 * parts[name] / total:.0f}" for name in WALL}
            name = f"{r.system}, {r.entry}"
            rows.append({"rung": name, "frames": str(r.frames_asked), "s": number(total)} | shares)
    note = (
        "Of one run, from launch to exit. A moment of the extraction is compute where any rank "
        "extracts a frame, else GPU start (contexts, handles, workspaces), else read, else write, "
        "else wait. Reading and writing beside compute are hidden, and do not count. The paper's "
        "reading and writing took approximately 25 to 30% of the wall time before interleave-io."
    )
    return Table.of("wall-time", "Shares of the wall time", rows, note)


def _part(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}%"


def _gigabytes(value: float | None) -> str:
    return "–" if value is None else f"{value / 1e9:.1f}"


def busy_table(results: list[Result]) -> Table | None:
    """How busy CPUs and GPUs were, and which memory was used."""
    rows = []
    for r in best_rungs(results):
        cpu_s, seconds = r.middle("cpu_s"), r.effective.seconds.value
        joules = r.joules_per_frame
        row = {
            "system, entry": f"{r.system}, {r.entry}",
            "ranks × threads": f"{r.ranks} × {r.threads}" if r.threads else str(r.ranks),
            "GPUs busy": _part(r.middle("gpu_busy")),
            "CPUs busy": _part(None if cpu_s is None else cpu_s / (seconds * r.cpus)),
            "core-seconds a frame": "–" if cpu_s is None else number(cpu_s / r.frames_asked),
            "J a frame": "–" if joules is None else number(joules),
            "memory of a rank, GB": _gigabytes(r.most("max_rss_bytes")),
            "memory of a GPU, GB": _gigabytes(r.most("device_memory_bytes")),
        }
        if set(list(row.values())[2:]) != {"–"}:
            rows.append(row)
    note = (
        "From launch to exit. GPUs busy: the part of the time with a kernel (NVML). CPUs busy: of "
        "all of the node's. With 20 ranks the paper used 31.25% of the 64 cores of a Perlmutter "
        "node; on the 128 cores of the DGX 20 ranks are 16%."
    )
    return Table.of("busy", "Use of the machine", rows, note)


def kernel_floor_table(results: list[Result]) -> Table | None:
    """Floors and times of the kernels of direct and band, one frame at a time on one GPU."""
    rows = []
    for r in best_rungs(results):
        if r.milestone not in ("direct", "band") or r.gpus != 1 or not r.roofline:
            continue
        frames, sums = r.frames_asked, [0.0] * 4
        points = [p for p in r.roofline if p["stage"] in KERNELS]
        for p in [*points, None]:
            if p:
                floor = max(p["flops"] / p["ceiling_flops"], p["bytes"] / p["ceiling_bytes"])
                took = r.stage_seconds[p["stage"]]
                values = [p["flops"] / frames, p["bytes"] / frames, floor / frames, took]
                sums = [a + b for a, b in zip(sums, values, strict=True)]
            flops, moved, floor, took = values if p else sums
            rows.append(
                {
                    "rung, stage": f"{r.milestone}, {p['stage'] if p else 'all'}",
                    "GFLOP": number(flops / 1e9),
                    "GB": number(moved / 1e9),
                    "floor, ms": f"{floor * 1e3:.2f}",
                    "ms": f"{took * 1e3:.1f}",
                    "floors": f"{took / floor:.0f}",
                    "TFLOP/s": f"{flops / took / 1e12:.2g}",
                }
            )
    note = (
        "Of a frame. The floor is what a stage must compute and move, at the ceilings measured on "
        "this GPU; floors: how many times that it takes."
    )
    return Table.of("kernels", "Kernels and their floors", rows, note)


def eigh_table(results: list[Result]) -> Table | None:
    """Solve and decorrelate of the rungs that work by eigendecompositions."""
    rows = []
    for r in best_rungs(results):
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
                "both, of all kernels": f"{100 * both / total:.0f}%",
            }
        )
    note = (
        "Seconds of a frame, of all ranks; – where the run log counts decorrelate in solve. The "
        "paper's 85% is another share: of the application's run time, with the eigendecomposition "
        "of N in decorrelate, which is in solve here."
    )
    return Table.of("eigh", "What eigendecompositions cost", rows, note)


def kernel_seconds_table(checks: list[GpuCheck]) -> Table | None:
    """Seconds of a frame by stage, from the step speed of ci/gpu-check."""
    rows = [
        {"s a frame": f"{check.gpus[0] if check.gpus else 'GPU'}, {row['what']}"}
        | {stage: f"{row['stages'][stage]:.4f}" for stage in KERNELS}
        | {"all": f"{row['seconds']:.4f}", "commit": check.commit}
        for check in checks[:1]
        for row in check.kernels
    ]
    note = "By ci/gpu-check: data on the device, one frame at a time, the mean of its cameras."
    return Table.of("kernel-seconds", "Seconds of the kernels", rows, note, words=("commit",))


def bundle_table(bundles: list[BundleSeconds]) -> Table | None:
    """A bundle on one core of a CPU, by method and milestone."""
    rows = [
        {
            "method, milestone": f"`{b.method}`, {b.milestone}",
            "OpenBLAS kernel": b.kernel,
            **{stage: f"{b.stages[stage]:.2f}" for stage in KERNELS},
            "all": f"{b.seconds:.2f}",
            "runs": str(b.repetitions),
        }
        for b in bundles
    ]
    title, words = "CPU seconds of a bundle", ("OpenBLAS kernel",)
    return Table.of("bundle-seconds", title, rows, words=words)


def micro_table(kernels: list[Kernel]) -> Table | None:
    """All micro-benchmarks."""
    rows = [
        {
            "kernel": kernel.name,
            "on": kernel.where,
            "a call": time_text(kernel.seconds),
            "items of a call": str(kernel.batch),
            "an item": time_text(kernel.each),
        }
        for kernel in kernels
    ]
    return Table.of("micro", "Micro-benchmarks", rows, words=("on",))
