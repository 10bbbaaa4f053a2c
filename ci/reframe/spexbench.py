"""A plan of spex-bench as a test of ReFrame: right frames, and speeds beside those shipped.

    reframe -c ci/reframe/spexbench.py -r -S SpexBench.bin=build/cpu/bin
    reframe -c share/spexbench/ci/reframe/spexbench.py -r -S SpexBench.bin=$PWD/bin \
        -S SpexBench.plan=rungs-4gpu -S SpexBench.system_name=h200x4 --performance-report

Sanity is spex-bench's own verdict, in its result files. Performance is, of each entry, frames per
node-hour by either clock, or the seconds of a run in the tier ci, which has no speed of a machine.
References are those of bench/thresholds.json for the system's name and the plan, where it has them.
"""

import json
import re
from pathlib import Path
from statistics import median

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import run_after, run_before, sanity_function, variable

SHIPPED = Path(__file__).resolve().parents[2]
CLOCKS = ("effective", "extraction")
OUT = "result"


def reference_values(system: str, plan: str) -> dict:
    """By entry what thresholds.json asks of a system and a plan; nothing where it has none."""
    text = (SHIPPED / "bench/thresholds.json").read_text(encoding="utf-8")
    systems = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))["systems"]
    return systems.get(system, {}).get(plan, {})


def figures(result: dict) -> dict[str, tuple[float, str]]:
    """The speeds of a result, by a name and with their unit."""
    entry, found = result["entry"], {}
    if result["tier"] == "ci":
        runs = [one for one in result["timing"]["samples"] if not one["warmup"]]
        for clock in CLOCKS:
            seconds = [one[f"{clock}_s"] for one in runs if one[f"{clock}_s"] is not None]
            if seconds:
                found[f"{entry}_{clock}"] = (median(seconds), "s")
    elif result["fom"]:
        for clock in CLOCKS:
            speed = (result["fom"][clock] or {}).get("fpnh")
            if speed:
                found[f"{entry}_{clock}"] = (speed["median"], "frames/node-hour")
    return found


@rfm.simple_test
class SpexBench(rfm.RunOnlyRegressionTest):
    """One plan, by the spex-bench of a build folder or an installation."""

    descr = "frames extracted by spex-bench: right, and as fast as before"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    bin = variable(str, value="")  # its folder; else PATH
    plan = variable(str, value="ci")
    only = variable(str, value="")
    data = variable(str, value="")
    system_name = variable(str, value="")  # ReFrame's where not given
    margin = variable(float, value=0.05)

    @run_after("init")
    def command(self):
        """The command line, from what was set."""
        folder = Path(self.bin) if self.bin else None
        self.executable = str((folder / "spex-bench").resolve()) if folder else "spex-bench"
        self.executable_opts = [self.plan, "--out", OUT]
        for option in ("only", "data"):
            if getattr(self, option):
                self.executable_opts += [f"--{option}", getattr(self, option)]

    @run_before("run")
    def started_by_itself(self):
        """spex-bench starts the ranks, by itself or by srun in the job."""
        self.system_name = self.system_name or self.current_system.name
        self.executable_opts += ["--system", f"'{self.system_name}'"]
        self.job.launcher = getlauncher("local")()

    def results(self) -> list[dict]:
        """The result files, in the order of their names."""
        folder = Path(self.stagedir) / OUT
        paths = sorted(folder.glob("*.json"))
        all_of_it = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        return [one["record"] | one["derived"] for one in all_of_it if "derived" in one]

    @sanity_function
    def is_right(self):
        """Every entry is complete and right; slow is for the performance to say."""
        found = self.results()
        wrong = [
            f"{one['entry']}: {'; '.join(one['verdict']['reasons'])}"
            for one in found
            if one["status"] != "complete" or one["verdict"]["correctness"] != "pass"
        ]
        return sn.all(
            [
                sn.assert_true(found, "spex-bench wrote no result"),
                sn.assert_eq(wrong, [], "not right: {0}"),
            ]
        )

    @run_before("performance")
    def speeds(self):
        """What was measured, and what it is held to."""
        values, references = {}, {}
        known = reference_values(self.system_name, self.plan)
        for result in self.results():
            asked = known.get(result["entry"], {})
            for name, (value, unit) in figures(result).items():
                values[name] = sn.make_performance_function(sn.defer(value), unit)
                least = asked.get("fpnh_" + name.rpartition("_")[2])
                if least:
                    references[name] = (least, -self.margin, None, unit)
        self.perf_variables = values
        self.reference = {self.current_partition.fullname: references} if references else {}
