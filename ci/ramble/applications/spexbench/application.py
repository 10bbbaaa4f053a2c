# SPDX-License-Identifier: BSD-3-Clause
"""A plan of spex-bench as an application of Ramble (docs/install.md, Ramble)."""

from ramble.appkit import *

# A line of the table that spex-bench ends with: entry, milestone, frames, GPUs, ranks, two clocks.
# Without braces, in which Ramble would look for variables of its own.
LINE = (
    r"(?P<entry>\S+) +(?P<milestone>\S+) +[0-9]+ +[0-9]+ +[0-9]+"
    r" +(?P<effective>[0-9.]+) +(?P<extraction>[0-9.]+)"
)
# Frames per node-hour by either clock, each with its interval where there is one.
INTERVAL = r"(?: \([-0-9]+\))?\*?"
SPEEDS = rf" +(?P<fpnh_effective>[0-9]+){INTERVAL} +(?P<fpnh_extraction>[0-9]+){INTERVAL}"


class Spexbench(ExecutableApplication):
    """Frames extracted by spex-bench: right, and how fast."""

    name = "spexbench"
    tags("benchmark-app", "astronomy")

    # It starts the ranks by itself, by mpirun or, within a job, by srun. One line: in the Ramble
    # that Benchpark takes, each line's output takes the place of the last one's.
    executable(
        "campaign",
        template=[
            "({spexbench_bin}spex-bench {plan} --out {experiment_run_dir}/result {options};"
            ' echo "spex-bench ended with status $?")',
        ],
        use_mpi=False,
        output_capture=OUTPUT_CAPTURE.ALL,
    )
    workload("campaign", executable="campaign")
    workload_variable(
        "spexbench_bin",
        default="",
        description="Its folder, with a slash at the end; else PATH",
        workloads=["campaign"],
    )
    workload_variable(
        "plan",
        default="ci",
        description="A plan that is shipped, or a file",
        workloads=["campaign"],
    )
    workload_variable(
        "options",
        default="",
        description="More of spex-bench's options, such as --data and --only",
        workloads=["campaign"],
    )

    figure_of_merit_context("entry", regex=LINE, output_format="{entry}, {milestone}")
    for clock in ("effective", "extraction"):
        figure_of_merit(
            f"{clock} time", fom_regex=LINE, group_name=clock, units="s", contexts=["entry"]
        )
        figure_of_merit(
            f"{clock} speed",
            fom_regex=LINE + SPEEDS,
            group_name=f"fpnh_{clock}",
            units="frames/node-hour",
            contexts=["entry"],
        )
    # A frame that is wrong, a machine that throttles, an entry that is slow end it with another.
    success_criteria("all pass", mode="string", match=r"spex-bench ended with status 0")
