#!/usr/bin/env python3
"""Tests of ci/peer-bench without gpu_specter: a pretended one and pretended, quick programs.

The pretended Python stands for gpu_specter's: it prints what gpu_specter logs, and its "frame" is a
text, as are those of the pretended spex-cpu. Frames are equal where the texts are.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
PEER_BENCH = Path(__file__).resolve().parents[1] / "peer-bench"
LOG = """INFO:util.py:156:log_splits:            total:                 99.99
INFO:spex.py:183:write:Writing frame.fits
INFO:util.py:156:log_splits:  start:2026-11-26T08:17:36.251455+00:00
INFO:util.py:156:log_splits:   init:                  0.00
INFO:util.py:156:log_splits:   load:                  0.08
INFO:util.py:156:log_splits:extract:                 {}
INFO:util.py:156:log_splits:  write:                  0.01
"""
BOTH = f"{LOG.format('16.25')}{LOG.format('12.50')}again: 0.0001\n"
FIRST = {"init": 0.0, "load": 0.08, "extract": 16.25, "write": 0.01}
VERSIONS = dict.fromkeys(("numpy", "scipy", "astropy", "numba", "fitsio", "python"), "1.0")
VERSIONS |= {"cupy": None, "mpi4py": None, "cuda": None, "broadcast": "host"}
OUTPUT = "while (($#)); do [[ $1 == -o ]] && out=$2; [[ $1 == --events ]] && log=$2; shift; done\n"
EVENTS = [{"stage": "read", "start": 0, "end": 1}, {"stage": "extract", "start": 1, "end": 2.5}]
EVENTS += [{"stage": "gather", "start": 2.5, "end": 3}, {"stage": "write", "start": 3, "end": 9}]
REPORT = {
    "ok": "OK",
    "failure": None,
    "comparison": {
        "bins": {"expected": 9, "compared": 8},
        "checks": [{"hdu": "FLUX", "what": "flux pull", "limit": 1, "largest": 0.5, "bad": 0}],
    },
}
PROGRAMS = {
    "spex-sim": 'while (($#)); do [[ $1 == -o ]] && mkdir -p "$2"; shift; done',
    "spex-cpu": 'if [[ $1 == --version ]]; then echo "spex-cpu 1.0.0, commit abc"; exit; fi\n'
    f'{OUTPUT}echo frame >"$out"; echo \'{json.dumps({"events": EVENTS})}\' >"$log"',
    "spex-compare": 'ok=false; cmp -s "$1" "$2" && ok=true; [[ $3 == --json ]] || exit 1\n'
    f'echo \'{json.dumps(REPORT)}\' | sed "s/\\"OK\\"/$ok/" >"$4"',
    "mps-wrapper": "exit 1",
}
PYTHON = f"""case $2 in
  versions) echo '{json.dumps(VERSIONS)}' && exit ;;
  golden) cp "$3" "$4" && exit ;;
esac
path=${{PYTHONPATH%%:*}}
[[ -d $path/gpu_specter && $PYTHONPATH == *:own && $OMP_NUM_THREADS == 1 ]] || exit 1
{OUTPUT}cat "$path/frame" >"$out" || exit 1
echo '{BOTH}'"""


def runs(process: str) -> bool:
    """Whether a process has not ended; one that ended may wait to be taken note of."""
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


class PeerBench(unittest.TestCase):
    """ci/peer-bench as a module, and as a program with a pretended gpu_specter."""

    def setUp(self):
        """The folders, and the program as a module."""
        loader = SourceFileLoader("peer_bench", str(PEER_BENCH))
        self.program = module_from_spec(spec_from_loader("peer_bench", loader))
        loader.exec_module(self.program)
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name).resolve()
        package = self.path / "gpu_specter/py/gpu_specter"
        package.mkdir(parents=True)
        (package / "spex.py").touch()
        self.frame = self.path / "gpu_specter/py/frame"
        self.frame.write_text("frame\n")
        (self.path / "bin").mkdir()
        for name, text in PROGRAMS.items():
            self.script(f"bin/{name}", text)
        self.script("python", PYTHON)

    def script(self, name: str, text: str) -> None:
        """Writes a program."""
        file = self.path / name
        file.write_text(f"#!/usr/bin/env bash\n{text}\n")
        file.chmod(0o755)

    def run_it(self, *options: str) -> tuple[int, str]:
        """Status and output of ci/peer-bench."""
        command = [
            sys.executable,
            PEER_BENCH,
            self.path / "gpu_specter",
            "--bin",
            self.path / "bin",
        ]
        command += ["--python", self.path / "python", "--out", self.path / "out", *options]
        # No git: the scratch folder may lie in a checkout. No nvidia-smi: these have no GPU.
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | {"GIT_CEILING_DIRECTORIES": str(self.path), "PYTHONPATH": "own"},
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def result(self) -> dict:
        """The result that was written."""
        return json.loads((self.path / "out/peer.json").read_text())

    def test_result(self):
        """All programs in turn, each time, median and comparison."""
        options = (
            "--only",
            "cpu",
            "--cameras",
            "b0,z3",
            "--repeats",
            "2",
            "--system",
            "here",
            "--commit",
            "0123",
        )
        status, text = self.run_it(*options)
        self.assertEqual(status, 0, text)
        turns = [line.split()[1:5] for line in text.splitlines() if line.startswith("ok")]
        self.assertEqual(turns[0], ["cpu", "production", "b0", "gpu_specter"])
        self.assertEqual([turn[3] for turn in turns[:3]], ["gpu_specter", "eigh", "default"])
        self.assertEqual(len(turns), 3 * 2 * 2 * 2)
        self.assertEqual(turns[:12], turns[12:])
        found = self.result()
        self.assertEqual((found["system"], found["not_run"]), ("here", {}))
        self.assertEqual((found["peer"]["commit"], found["peer"]["changed"]), ("0123", None))
        self.assertEqual(found["spexbench"], ["spex-cpu 1.0.0, commit abc"])
        self.assertEqual(len(found["runs"]), 12)
        peer, eigh, default = found["runs"][:3]
        self.assertEqual([sample["first_s"] for sample in peer["samples"]], [FIRST, FIRST])
        self.assertEqual(peer["median_extraction_s"], 12.5)
        self.assertEqual((eigh["median_extraction_s"], eigh["fibers"]), (2.0, 25))
        [compared] = default["comparisons"]
        self.assertEqual((compared["with"], compared["ok"]), ("gpu_specter", True))
        self.assertEqual((compared["bins"], compared["compared"]), (9, 8))
        self.assertGreater(peer["median_seconds"], 0)
        self.assertFalse(list((self.path / "out/data/frames").glob("*.golden.fits")))

    def test_a_frame_that_differs(self):
        """Status 3, and the result says so."""
        self.frame.write_text("another\n")
        status, text = self.run_it("--only", "cpu", "--cameras", "r0", "--repeats", "1")
        self.assertEqual(status, 3, text)
        self.assertIn("FAIL eigh and gpu_specter", text)
        self.assertFalse(self.result()["runs"][1]["comparisons"][0]["ok"])

    def test_a_run_that_fails(self):
        """Status 1, one line with its log, and the other programs go on; --resume runs it again."""
        fails = '[[ " $* " == *" --method eigh "* ]] && echo "spex-cpu: no room" >&2 && exit 1'
        self.script("bin/spex-cpu", f"{fails}\n{PROGRAMS['spex-cpu']}")
        options = ("--only", "cpu", "--cameras", "r0", "--repeats", "2")
        status, text = self.run_it(*options)
        self.assertEqual(status, 1, text)
        self.assertEqual(text.count("status 1: spex-cpu: no room (log in"), 1, text)
        self.assertEqual(text.count("ok  "), 8)
        runs = {(run["program"], run["settings"]): run for run in self.result()["runs"]}
        self.assertEqual(runs["eigh", "production"]["samples"], [])
        self.assertIn("no room", runs["eigh", "production"]["failure"])
        self.assertEqual(len(runs["default", "script"]["samples"]), 2)
        self.assertTrue(runs["default", "script"]["comparisons"][0]["ok"])
        self.script("bin/spex-cpu", PROGRAMS["spex-cpu"])
        status, text = self.run_it(*options, "--resume")
        self.assertEqual((status, text.count("ok  ")), (0, 4), text)
        self.assertEqual(len(self.result()["runs"][1]["comparisons"]), 1)

    def test_resume(self):
        """The runs that lack; not with other programs."""
        options = ("--only", "cpu", "--cameras", "r0", "--settings", "script", "--resume")
        self.assertEqual(self.run_it(*options, "--repeats", "1")[0], 0)
        first = self.result()["runs"][0]["samples"]
        status, text = self.run_it(*options, "--repeats", "2")
        self.assertEqual((status, text.count("ok  ")), (0, 3), text)
        samples = self.result()["runs"][0]["samples"]
        self.assertEqual((samples[:1], len(samples)), (first, 2))
        spex_cpu = PROGRAMS["spex-cpu"].replace("commit abc", "commit xyz")
        self.script("bin/spex-cpu", spex_cpu)
        status, text = self.run_it(*options)
        self.assertEqual(status, 1)
        self.assertIn("peer.json: another spexbench (expected the same programs", text)
        (self.path / "out/peer.json").write_text("{")
        status, text = self.run_it(*options)
        self.assertEqual((status, len(text.splitlines())), (1, 1), text)
        self.assertIn("peer.json: is not JSON", text)

    def test_what_is_missing(self):
        """One line each, before anything is made."""
        arguments = [str(self.path / "gpu_specter"), "--bin", str(self.path / "bin")]
        arguments += ["--python", str(self.path / "python"), "--out", str(self.path / "out")]
        for change, status, line in (
            ({0: str(self.path)}, 1, "has no py/gpu_specter .expected a folder of gpu_specter"),
            ({2: str(self.path)}, 1, "there is no .*/spex-cpu .expected a build of spexbench"),
            ({4: "no-such"}, 1, "there is no program no-such .expected a Python with"),
            ({5: "--cameras", 6: "q0"}, 2, "--cameras: no camera q0"),
            ({5: "--settings", 6: "mine"}, 2, "--settings: no mine .expected production, script"),
            ({5: "--repeats", 6: "0"}, 2, "--repeats 0: nothing would be timed"),
            ({5: "--core", 6: "-1"}, 2, "--core -1: this process may not run there"),
        ):
            with self.subTest(line):
                argv = [change.get(i, word) for i, word in enumerate(arguments)]
                said = io.StringIO()
                with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(said):
                    self.program.parse(argv)
                text = said.getvalue() if status == 2 else str(ended.exception.code)
                self.assertEqual(ended.exception.code if status == 2 else 1, status)
                self.assertRegex(text.strip().splitlines()[-1], line)
        self.assertFalse((self.path / "out").exists())
        lacking = PYTHON.replace('"numba": "1.0"', '"numba": null')
        self.script("python", lacking)
        status, text = self.run_it()
        self.assertEqual((status, len(text.splitlines())), (1, 1), text)
        self.assertIn("has no numba (expected gpu_specter's packages", text)
        self.script("python", "exit 1")
        status, text = self.run_it()
        self.assertEqual((status, len(text.splitlines())), (1, 1), text)
        self.assertIn("python: cannot say its packages (expected Python", text)

    def test_what_cannot_run_here(self):
        """The reason of each program, in a line."""
        facts, plan = self.program.facts, self.program.plan
        everything = VERSIONS | dict.fromkeys(("cupy", "cuda", "mpi4py"), "1.0")
        of_gpu = [program for program in plan.PROGRAMS if program.device == "gpu"]
        (self.path / "bin/spex-gpu").touch()

        def reasons(gpu: bool, present: set[str], versions: dict) -> dict[str, str]:
            with (
                mock.patch.object(facts, "gpu", lambda: {"name": "H100"} if gpu else None),
                mock.patch.object(facts.shutil, "which", lambda name: name in present or None),
            ):
                return facts.missing(of_gpu, self.path / "bin", versions)

        tools = {"mpirun", "nvidia-cuda-mps-control"}
        self.assertEqual(reasons(True, tools, everything), {})
        self.assertEqual(len(reasons(False, tools, everything)), 4)
        for lacks, names, words in (
            ("cupy", ["gpu_specter-1", "gpu_specter-5"], "no CuPy"),
            ("cuda", ["gpu_specter-1", "gpu_specter-5"], "finds no CUDA"),
            ("mpi4py", ["gpu_specter-5"], "no mpi4py"),
            ("mpirun", ["gpu_specter-5"], "no mpirun"),
            ("nvidia-cuda-mps-control", ["gpu_specter-5"], "the driver's MPS"),
        ):
            found = reasons(True, tools - {lacks}, everything | {lacks: None})
            self.assertEqual(list(found), [f"gpu: {name}" for name in names])
            for reason in found.values():
                self.assertIn(words, reason)
        (self.path / "bin/spex-gpu").unlink()
        self.assertEqual(list(reasons(True, tools, everything)), ["gpu: pipeline", "gpu: direct"])

    def test_commands(self):
        """Equal settings for both; five ranks under MPS; the script's settings have no psferr."""
        plan = self.program.plan
        places = plan.Places(Path("bin"), Path("python"), Path("data"), 3)
        programs = {program.name: program for program in plan.PROGRAMS}

        def words(name: str, camera: str, settings: str) -> str:
            return " ".join(plan.command(programs[name], camera, settings, places))

        common = "-n 500 -w 3600.0,5800.0,0.8 --nsubbundles 5 --nwavestep 50 --wavepad 10 "
        common += "--pixpad-frac 0.8 --wavepad-frac 0.2 --psferr 0.04"
        for name in ("gpu_specter-1", "gpu_specter-5", "pipeline", "direct"):
            self.assertIn(common, words(name, "b0", "production"))
        five = words("gpu_specter-5", "b0", "production")
        self.assertRegex(five, "^bin/mps-wrapper mpirun .* -n 5 python .*/spex.py -i data/full/")
        self.assertTrue(five.endswith("--use-gpu --mpi"))
        self.assertNotIn("mpi", words("gpu_specter-1", "b0", "production"))
        self.assertIn("--milestone direct", words("direct", "b0", "production"))
        script = "--nwavestep 30 --wavepad 10 --pixpad-frac 0 --wavepad-frac 0"
        for name in ("gpu_specter", "eigh", "default"):
            found = words(name, "z9", "script")
            self.assertIn(script, found)
            self.assertNotIn("psferr", found)
            self.assertTrue(found.startswith("taskset -c 3 "))
            self.assertIn("-n 25", found)
        self.assertIn("--method eigh", words("eigh", "r0", "script"))

    def test_times_of_logs(self):
        """gpu_specter's steps; a log without them; a run log without an extraction."""
        measure = self.program.measure
        found = {"extraction_s": 12.5, "first_s": FIRST, "again_s": 0.0001}
        self.assertEqual(measure.times_of_peer(BOTH), found)
        found = measure.times_of_peer("INFO:core.py:483:extract_frame:Using GPU\nagain: 2.5\n")
        self.assertEqual((found["extraction_s"], found["again_s"]), (None, 2.5))
        self.assertEqual(found["first_s"], dict.fromkeys(FIRST))
        with self.assertRaisesRegex(measure.RunError, "did not run twice"):
            measure.times_of_peer(LOG.format("1.00"))
        log = self.path / "events.json"
        log.write_text(json.dumps({"events": EVENTS}))
        self.assertEqual(measure.extraction(log), 2.0)
        log.write_text(json.dumps({"events": EVENTS[:1]}))
        with self.assertRaisesRegex(measure.RunError, "events.json: has no extraction"):
            measure.extraction(log)

    def test_an_endless_run(self):
        """It is ended, with all that it started."""
        measure, log = self.program.measure, self.path / "log"
        with (
            mock.patch.object(measure, "LIMIT_S", 0.5),
            self.assertRaisesRegex(measure.RunError, "no end after 0.5 s"),
        ):
            measure.clock(["bash", "-c", "sleep 77 & echo $!; wait"], log, {})
        process = log.read_text().strip()
        for _ in range(50):
            if not runs(process):
                return
            time.sleep(0.1)
        self.fail("sleep runs on")

    def test_the_worst_comparison_is_kept(self):
        """One that failed stays; a later right one does not hide it."""
        worst = self.program.compare.worst
        right, wrong = {"with": "a", "ok": True}, {"with": "a", "ok": False}
        self.assertEqual(worst([], right), [right])
        self.assertEqual(worst([right], wrong), [wrong])
        self.assertEqual(worst([wrong], right), [wrong])
        by_cpu = right | {"by_cpu": [19]}
        self.assertEqual(worst([by_cpu], right), [by_cpu])
        self.assertEqual(worst([by_cpu], wrong), [wrong])
        other = {"with": "b", "ok": True}
        self.assertEqual(worst([wrong], other), [wrong, other])

    def test_the_cpu_decides_where_a_frame_of_a_gpu_differs(self):
        """A bundle by gpu_specter's CPU path replaces its GPU path's; what still differs, fails."""
        place = {"hdu": "IVAR", "fiber": 486, "bin": 2, "wavelength": 3600.0}
        check = {"hdu": "IVAR", "what": "ivar", "limit": 1, "largest": 2, "bad": 1}
        wrong = REPORT | {"failure": "IVAR differs"}
        wrong["comparison"] = REPORT["comparison"] | {"checks": [check | {"first_bad": place}]}
        text = "if cmp -s $1 $2; then echo '{}'; else echo '{}'; fi >$4"
        reports = [
            json.dumps(r).replace('"OK"', ok) for r, ok in ((REPORT, "true"), (wrong, "false"))
        ]
        self.script("bin/spex-compare", text.format(*reports))
        self.script("python", 'if [[ $2 == golden ]]; then cp "$3" "$4"; else cp "$4" "$3"; fi')
        files = {name: self.path / f"{name}.fits" for name in ("ours", "gpu", "cpu", "other")}
        for name, file in files.items():
            file.write_text("same" if name in ("ours", "cpu") else name)
        asked = []

        def frames(frame: str | None) -> dict:
            def by_cpu(bundle: int) -> Path | None:
                asked.append(bundle)
                return files[frame] if frame else None

            places = (files["ours"], files["gpu"], "production")
            programs = (self.path / "bin", self.path / "python")
            return self.program.compare.frames(*places, *programs, by_cpu)

        found = frames("cpu")
        self.assertEqual((found["ok"], found["by_cpu"]), (True, [19]))
        self.assertEqual(found["by_gpu"], "IVAR differs")
        for frame in ("other", None):
            found = frames(frame)
            self.assertEqual((found["ok"], found["failure"]), (False, "IVAR differs"))
            self.assertNotIn("by_cpu", found)
        self.assertEqual(asked, [19, 19, 19])
        self.assertEqual(files["gpu"].read_text(), "gpu")

    def test_a_bundle_on_a_cpu(self):
        """One core, one bundle of the full frame, the same settings."""
        plan = self.program.plan
        places = plan.Places(Path("bin"), Path("python"), Path("data"), 3)
        words, frame = plan.bundle_command("b0", "production", 19, places)
        self.assertEqual(words[:4], ["taskset", "-c", "3", "python"])
        self.assertIn("-i data/full/preproc-b0-00000001.fits", " ".join(words))
        self.assertIn("--specmin 475 -n 25 -w 3600.0,5800.0,0.8", " ".join(words))
        self.assertEqual(frame, Path("data/frames/bundle-19-production-b0.fits"))

    def test_limits(self):
        """Limits for each of the settings, by the keys of a golden; none above `unpadded`."""
        cases = json.loads((PEER_BENCH.parent / "peer/cases.json").read_text())["cases"]
        self.assertEqual(set(cases), set(self.program.plan.SETTINGS))
        most = {"flux_pull": 5e-3, "ivar_rel": 1e-3, "resolution_abs": 1e-3, "chi2pix_rel": 1e-2}
        for case in cases.values():
            for key, limit in (most | {"pixmask_abs": 1e-6}).items():
                self.assertLessEqual(case["tolerance"][key], limit)


if __name__ == "__main__":
    unittest.main()
