"""GPUs as spex-bench sees them through a fake NVML."""

import json
import os
import sys

import test_night
from bench_runs import OPTIONS, Bench, BenchTest

# Pretends to be spex-gpu, also in its frames, and runs spex-cpu. Variables set the MB in use of a
# GPU before and after the run, and the power limit after it.
PRETENDER = f"""#!{sys.executable}
import json, os, subprocess, sys, time
from pathlib import Path

from astropy.io import fits
from astropy.io.fits.hdu import base

# Checksum comments contain the time, but frames of one input must have the same bytes.
base._ValidHDU._get_timestamp = lambda hdu: "once"
here = Path(__file__).resolve().parent


def use_memory(when):
    if when in os.environ:
        Path(os.environ["FAKE_NVML_MEMORY"]).write_text(os.environ[when])
        time.sleep(0.5)


use_memory("MEMORY_BEFORE")
(here / "visible").write_text(os.environ["CUDA_VISIBLE_DEVICES"])
options = sys.argv[1:]
options[options.index("--milestone") + 1] = "cpu-refactor"
listed = options.index("--list") + 1
rows = Path(options[listed]).read_text()
outputs = Path(rows.split()[3]).parent
unnamed = outputs.with_name("unnamed")
unnamed.mkdir(exist_ok=True)
options[listed] = str(here / "unnamed.txt")
Path(options[listed]).write_text(rows.replace(str(outputs), str(unnamed)))
status = subprocess.run([here / "spex-cpu", *options], check=False).returncode
for frame in sorted(unnamed.iterdir()):
    with fits.open(frame, mode="update", memmap=False) as file:
        file[0].header["SPEXPROG"], file[0].header["MILESTNE"] = "spex-gpu", "pipeline"
        file[0].add_checksum()
    frame.rename(outputs / frame.name)
use_memory("MEMORY_AFTER")
if "LIMIT_AFTER" in os.environ:
    Path(os.environ["FAKE_NVML_POWER"]).write_text(os.environ["LIMIT_AFTER"])
path = Path(options[options.index("--events") + 1])
log = json.loads(path.read_text())
log["events"][-1]["end"] = time.time() - log["origin_unix"]
log["program"], log["milestone"] = "spex-gpu", "pipeline"
path.write_text(json.dumps(log))
sys.exit(status)
"""

# Pretends to be the control program of MPS, whose daemon ends 4 s after it was told to quit.
MPS = """#!/bin/bash
if [[ ${1:-} == -d ]]; then
  setsid bash -c 'until [[ -e $0 ]]; do sleep 0.05; done; sleep 4' "$0.quit" <&- >&- 2>&- &
else
  read -r command
  [[ $command != quit ]] || touch "$0.quit"
fi
"""

LIBRARIES = [os.environ["SPEX_FAKE_NVML"], os.environ.get("LD_LIBRARY_PATH", "")]
LIBRARY = {"LD_LIBRARY_PATH": ":".join(path for path in LIBRARIES if path)}
ENTRY = {"id": "gpu", "case": "small", "milestone": "pipeline", "gpus": 2, "ranks": 1}
ENTRY["options"] = OPTIONS


class Gpus(BenchTest):
    """A plan with an entry on two of four GPUs."""

    @classmethod
    def setUpClass(cls):
        """The programs, with a fake spex-gpu."""
        cls.bench = Bench([ENTRY])
        cls.bench.put_program("spex-gpu", PRETENDER)

    @classmethod
    def tearDownClass(cls):
        """Removes their folder."""
        cls.bench.__exit__()

    def run_with(self, status: int = 0, *texts: str, **environment: str) -> dict:
        """The result of a run; checks its status and that its output has the texts."""
        self.says(self.bench.run(**environment | LIBRARY), status, *texts)
        return self.bench.result("gpu")

    def test_a_run_uses_the_monitored_gpus(self):
        """By UUID, in the order of CUDA_VISIBLE_DEVICES."""
        result = self.run_with(FAKE_NVML_MEMORY="grows", CUDA_VISIBLE_DEVICES="3,1,0")
        self.assertEqual((self.bench.folder / "visible").read_text(), "GPU-fake-3,GPU-fake-1")
        uuids = [gpu["uuid"] for gpu in result["health"]["during"]]
        self.assertEqual(uuids, ["GPU-fake-3", "GPU-fake-1"])
        self.assertEqual(len(result["system"]["gpus"]), 3)
        self.assertGreater(result["energy"]["joules_per_frame"], 0)
        self.assertIn("libnvidia-ml.so.1", result["programs"])
        self.assertEqual(result["timing"]["samples"][0]["gpu_busy"], [0.75, 0.75])

    def test_the_gpus_of_a_night_are_sampled(self):
        """Their use and energy, sample by sample."""
        night = ENTRY | {"options": test_night.OPTIONS, "sustain": {"frames": 20}}
        cases = {"small": test_night.CASE | {"seeds": 1}}
        with Bench([night], tier="night", warmups=1, cases=cases) as bench:
            bench.put_program("spex-gpu", PRETENDER)
            self.says(bench.run(FAKE_NVML_MEMORY="grows", **LIBRARY), 0)
            self.assertGreater(bench.result("gpu")["sustained"]["fpnh"]["median"], 0)
            series = json.loads((bench.folder / "out/gpu.series.json").read_text())
            self.assertEqual([g["uuid"] for g in series["gpus"]], ["GPU-fake-0", "GPU-fake-1"])
            for gpu in series["gpus"]:
                self.assertEqual(gpu["busy"], [0.75] * len(series["seconds"]))
                self.assertEqual(gpu["energy_j"], sorted(gpu["energy_j"]))
                self.assertGreater(gpu["energy_j"][-1], 0)
                self.assertIsNone(gpu["temperature_c"][0])

    def test_hidden_gpus_are_not_used(self):
        """An empty list, -1, and too few GPUs: skipped."""
        for visible in ("", "-1", "2", "GPU-none", "1,1"):
            result = self.run_with(77, CUDA_VISIBLE_DEVICES=visible)
            self.assertEqual(result["status"], "skipped")

    def test_an_unused_gpu_is_reported(self):
        """A warning in the result."""
        result = self.run_with()
        self.assertIn("no memory of a GPU was used", " ".join(result["unusual"]))

    def test_memory_that_is_freed_late_does_not_hide_the_runs(self):
        """The previous run still has its memory when this one starts."""
        memory = self.bench.folder / "memory"
        memory.write_text("900 900 1 1")
        result = self.run_with(
            FAKE_NVML_MEMORY=str(memory), MEMORY_BEFORE="1 1 1 1", MEMORY_AFTER="900 900 1 1"
        )
        self.assertEqual(result["timing"]["samples"][0]["device_memory_bytes"], 899e6)

    def test_a_context_starts_the_extraction_clock(self):
        """The creation of contexts is part of extraction."""
        memory = self.bench.folder / "memory"
        memory.write_text("1 1 1 1")
        result = self.run_with(FAKE_NVML_MEMORY=str(memory), MEMORY_BEFORE="1 900 1 1")
        sample = result["timing"]["samples"][0]
        self.assertGreater(sample["extraction_s"], sample["logged_s"] + 0.2)

    def test_the_server_of_mps_may_take_seconds_to_end(self):
        """It releases the contexts of all GPUs, and does not count as a leftover process."""
        with Bench([ENTRY | {"mps": True}]) as bench:
            for name, text in (("spex-gpu", PRETENDER), ("nvidia-cuda-mps-control", MPS)):
                bench.put_program(name, text)
            path = f"{bench.folder}:{os.environ['PATH']}"
            self.says(bench.run(**LIBRARY, FAKE_NVML_MEMORY="grows", PATH=path), 0)

    def test_changed_settings_are_reported(self):
        """A power limit that changed during the result's runs is reported, also after a resume."""
        limit = self.bench.folder / "limit"
        limit.write_text("700")
        once = {"FAKE_NVML_MEMORY": "grows", "FAKE_NVML_POWER": str(limit)}
        result = self.run_with(**once, LIMIT_AFTER="700")
        self.assertIsNone(result["health"]["settings_changed"])
        said = "power_limit_w of GPU-fake-1 was 700.0, and is 500.0 after run 0"
        text = f"a GPU's settings changed: {said}"
        result = self.run_with(0, text, **once, LIMIT_AFTER="500")
        self.assertEqual(result["health"]["settings_changed"], said)
        self.assertIn(text, result["unusual"])
        limit.write_text("700")
        self.says(self.bench.run("--resume", "--repeats", "2", **once | LIBRARY), 0)
        self.assertEqual(self.bench.result("gpu")["health"]["settings_changed"], said)

    def test_a_machine_without_mps_does_not_make_frames_wrong(self):
        """Status 1 and one line before the entry's files are made; other entries run."""
        with Bench([ENTRY, ENTRY | {"id": "shared", "mps": True}]) as bench:
            bench.put_program("spex-gpu", PRETENDER)
            fake = LIBRARY | {"FAKE_NVML_MEMORY": "grows"}
            for script, text in (
                (None, "nvidia-cuda-mps-control is not on PATH"),
                ("#!/bin/bash\nexit 1\n", "nvidia-cuda-mps-control -d failed"),
            ):
                if script:
                    bench.put_program("nvidia-cuda-mps-control", script)
                self.says(bench.run(**fake, PATH=f"{bench.folder}:{os.environ['PATH']}"), 1, text)
                self.assertEqual(bench.result("gpu")["verdict"]["overall"], "pass")
                self.assertEqual(bench.result("shared")["verdict"]["overall"], "error")

    def test_a_throttled_run_does_not_count_and_is_repeated(self):
        """At most as often as runs were requested; the machine is unhealthy and has no speed."""
        hot = {"FAKE_NVML_MEMORY": "grows", "FAKE_NVML_HOT": "1"}
        result = self.run_with(5, **hot)
        self.assertEqual([s["throttled"] for s in result["timing"]["samples"]], [True])
        self.assertIsNone(result["fom"]["effective"])
        self.assertIn("1 run(s) were throttled and do not count", result["verdict"]["reasons"])
        self.says(self.bench.run("--resume", "--repeats", "2", **hot | LIBRARY), 5)
        self.assertEqual(len(self.bench.result("gpu")["timing"]["samples"]), 2)
        self.bench.run("--resume", "--repeats", "3", **LIBRARY, FAKE_NVML_MEMORY="grows")
        samples = self.bench.result("gpu")["timing"]["samples"]
        self.assertEqual([s["throttled"] for s in samples], [True, True, False, False, False])
        self.assertEqual(len(self.bench.result("gpu")["fom"]["effective"]["seconds"]["samples"]), 3)
