"""A plan of spex-bench as a test of ReFrame: correct frames, speeds as in bench/thresholds.json.

    reframe -c ci/reframe/spexbench.py -r -S SpexBench.bin=build/cpu/bin
    reframe -c share/spexbench/ci/reframe/spexbench.py -r -S SpexBench.bin=$PWD/bin \
        -S SpexBench.plan=rungs-4gpu -S SpexBench.system_name=h200x4 --performance-report
    reframe -c ci/reframe/spexbench.py -r -S SpexBench.bin=build/gpu/bin \
        -S SpexBench.plan=perlmutter -S SpexBench.thresholds=site.json -S SpexBench.nodes=2 \
        -S SpexBench.num_cpus_per_task=128 -S SpexBench.num_gpus_per_node=4 \
        -S SpexBench.time_limit=1h

Sanity is the verdict in the result files. Performance is, for each entry and clock, frames per
node-hour, or the seconds of a run in the tier ci, which measures no speed. The reference of a speed
is that of the thresholds file, by system and plan, or for any system.
"""

import json
import re
from pathlib import Path
from statistics import median

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import run_after, run_before, sanity_function, variable

THRESHOLDS = Path(__file__).resolve().parents[2] / "bench/thresholds.json"


def figure(result: dict, clock: str) -> tuple[float, str] | None:
    """A result's speed by a clock, and the unit."""
    if result["tier"] == "ci":
        runs = [run[f"{clock}_s"] for run in result["timing"]["samples"] if not run["warmup"]]
        seconds = [one for one in runs if one is not None]
        return (median(seconds), "s") if seconds else None
    speed = ((result["fom"] or {}).get(clock) or {}).get("fpnh")
    return (speed["median"], "frames/node-hour") if speed else None


def read_thresholds(file: Path, system: str, plan: str) -> dict[str, dict[str, float]]:
    """Thresholds by entry: those of the system and plan before those of any system."""
    text = re.sub(r"//[^\n\"]*$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    known = json.loads(text)
    own = known.get("systems", {}).get(system, {}).get(plan, {})
    return known.get("entries", {}) | own


@rfm.simple_test
class SpexBench(rfm.RunOnlyRegressionTest):
    """One plan, by the spex-bench of a build folder or an installation."""

    descr = "frames extracted by spex-bench: correct, and as fast as before"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    bin = variable(str, value="")  # folder of spex-bench; default: PATH
    plan = variable(str, value="ci")
    only = variable(str, value="")
    data = variable(str, value="")
    system_name = variable(str, value="")  # default: ReFrame's
    thresholds = variable(str, value=str(THRESHOLDS))
    margin = variable(float, value=0.05)
    nodes = variable(int, value=1)
    # Of the job, with num_cpus_per_task and num_gpus_per_node (the partition's resource _rfm_gpu).
    time_limit = "2h"
    exclusive_access = True

    @run_after("init")
    def command(self):
        """The command line."""
        self.executable = str(Path(self.bin, "spex-bench").resolve()) if self.bin else "spex-bench"
        self.executable_opts = [self.plan, "--out", "result"]
        if self.nodes > 1:
            self.executable_opts += ["--nodes", str(self.nodes)]
        for option in ("only", "data"):
            if getattr(self, option):
                self.executable_opts += [f"--{option}", getattr(self, option)]

    @run_after("setup")
    def resources(self):
        """A task for each node, with all of its CPUs unless num_cpus_per_task says otherwise."""
        self.num_tasks, self.num_tasks_per_node = self.nodes, 1
        if self.num_cpus_per_task is None:
            self.num_cpus_per_task = self.current_partition.processor.num_cpus

    @run_before("run")
    def launch(self):
        """spex-bench starts the ranks itself, by mpirun, or by srun in a job."""
        self.system_name = self.system_name or self.current_system.name
        self.executable_opts += ["--system", f"'{self.system_name}'"]
        self.job.launcher = getlauncher("local")()

    def results(self) -> list[dict]:
        """The results, sorted by file name."""
        paths = sorted(Path(self.stagedir, "result").glob("*.json"))
        files = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        return [one["record"] | one["derived"] for one in files if "derived" in one]

    @sanity_function
    def is_correct(self):
        """Every entry is complete and correct. A slow entry fails the performance check."""
        found = self.results()
        wrong = [
            f"{one['entry']}: {'; '.join(one['verdict']['reasons'])}"
            for one in found
            if one["status"] != "complete" or one["verdict"]["correctness"] != "pass"
        ]
        return sn.assert_true(found and not wrong, f"not correct: {wrong or 'no result'}")

    @run_before("performance")
    def speeds(self):
        """The measured speeds, and the thresholds of the system and plan."""
        known = read_thresholds(Path(self.thresholds), self.system_name, self.plan)
        values, references = {}, {}
        for result in self.results():
            for clock in ("effective", "extraction"):
                if found := figure(result, clock):
                    name, (value, unit) = f"{result['entry']}_{clock}", found
                    values[name] = sn.make_performance_function(sn.defer(value), unit)
                    own = known.get(result["entry"], {})
                    least = own.get(f"fpnh_{clock}")
                    if least and unit != "s":
                        references[name] = (least, -own.get("margin", self.margin), None, unit)
        self.perf_variables = values
        self.reference = {self.current_partition.fullname: references} if references else {}
