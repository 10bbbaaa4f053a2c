"""What it takes to start: seconds from the launcher to the barrier of all ranks, over ranks."""

import statistics

from spexreports import style
from spexreports.result import Result
from spexreports.section import Missing, Picture, by_group, systems

KINDS = ("CPUs", "GPUs", "GPUs, with MPS")


def launch_seconds(result: Result) -> float | None:
    """The median of the runs that count."""
    known = [s.launch_s for s in result.timed if s.launch_s is not None]
    return statistics.median(known) if known else None


def _kind(result: Result) -> str:
    if not result.gpus:
        return KINDS[0]
    return KINDS[2] if result.mps else KINDS[1]


def _lines(results: list[Result]) -> dict[tuple[str, str], dict[int, float]]:
    """By system and kind, of each number of ranks the median over its entries."""
    known = [r for r in results if r.effective and launch_seconds(r) is not None]
    lines = {}
    for key, group in by_group(known, lambda r: (r.system, _kind(r))).items():
        by_ranks = by_group(group, lambda r: r.ranks)
        lines[key] = {
            ranks: statistics.median(launch_seconds(r) for r in same)
            for ranks, same in sorted(by_ranks.items())
        }
    return {key: line for key, line in lines.items() if len(line) > 1}


def launch_figure(results: list[Result]) -> list[Picture] | Missing:
    """A line for each system on CPUs, on GPUs, and on GPUs with MPS."""
    lines = _lines(results)
    if not lines:
        return Missing("no two entries of a system with other numbers of ranks")
    figure, axes = style.column_figure(52 + 4 * len(lines))
    axis = axes[0, 0]
    several = len({system for system, _ in lines}) > 1
    for i, ((system, kind), line) in enumerate(lines.items()):
        colour, marker = style.look(i)
        axis.plot(
            list(line),
            list(line.values()),
            color=colour,
            marker=marker,
            label=f"{kind}, {system}" if several else kind,
            clip_on=False,
        )
    axis.set_xscale("log")
    most = max(ranks for line in lines.values() for ranks in line)
    style.whole_ticks(axis.xaxis, [2**k for k in range(most.bit_length() + 1) if 2**k < 2 * most])
    axis.set_ylim(0, 1.12 * axis.get_ylim()[1])
    axis.set_xlabel("ranks of all nodes")
    axis.set_ylabel("launcher to barrier (s)")
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.3)
    drawn = {system for system, _ in lines}
    figure.suptitle(systems([r for r in results if r.system in drawn]), x=0.01, ha="left")
    caption = (
        "Seconds from before the launcher starts to the barrier of all ranks: mpirun or srun, MPS, "
        "MPI_Init, and reading the command line. Medians over the entries with so many ranks."
    )
    return [Picture("launch-time", figure, caption)]
