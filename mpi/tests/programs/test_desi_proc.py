"""Tests the extractions of desi_proc's rank 0, without desispec.

usage: test_desi_proc.py FOLDER-OF-PROGRAMS DESI-PROC-FOLDER

With DESISPEC_DIR in the environment, a checkout of desispec, the patch is applied to a copy of its
proc.py too.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

OURS = Path(sys.argv.pop()).resolve()
PROGRAMS = Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(OURS))

import spex_desi_proc  # noqa: E402 (its folder is an argument)

GRID = {"b": "3600.0,5800.0,0.8", "r": "5760.0,7620.0,0.8"}
PSFERR = {"b": "0.04", "r": "0.01"}
# A rank of an MPI job: the run must not become part of the job. Rank 1 waits as in desi_proc.
RANK = """
import os, sys, time
from pathlib import Path
import spex_desi_proc
done = Path(sys.argv[1])
rank = os.environ.get("PMI_RANK") or os.environ["OMPI_COMM_WORLD_RANK"]  # by MPICH, by Open MPI
if rank == "0":
    commands = {camera: command for camera, command in zip(sys.argv[2::2], sys.argv[3::2])}
    errors = spex_desi_proc.extract(commands)
    done.write_text(f"{errors} errors, {len(commands)} left")
else:
    while not done.exists():
        time.sleep(0.05)
"""


class DesiProc(unittest.TestCase):
    """A night of two tiny cameras."""

    @classmethod
    def setUpClass(cls):
        """Images and PSFs."""
        cls.night = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.night)
        command = [PROGRAMS / "spex-sim", "-o", cls.night, "--size", "tiny", "--cameras", "b0,r0"]
        subprocess.run([*command, "--loglevel", "error"], check=True)

    def setUp(self):
        """A folder for frames, and the environment of a node."""
        self.out = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.out)
        options = "--threads 1 --loglevel error --method cholesky"
        environment = {"SPEX_BIN": str(PROGRAMS), "SPEX_OPTIONS": options}
        patched = mock.patch.dict(os.environ, environment)
        patched.start()
        self.addCleanup(patched.stop)

    def command(self, camera: str, *more: str) -> str:
        """The command that desi_proc writes."""
        image, psf = (self.night / f"{x}-{camera}-00000001.fits" for x in ("preproc", "psf"))
        words = ["desi_extract_spectra", "-w", GRID[camera[0]], "-i", image, "-p", psf]
        words += ["-o", self.frame(camera), "--psferr", PSFERR[camera[0]], "--no-gpu", *more]
        return " ".join(map(str, words))

    def frame(self, camera: str) -> Path:
        """The frame's path in desi_proc."""
        return self.out / f"frame-{camera}-00000001-no-badcolumn-mask.fits.gz"

    def expect_frame(self, camera: str, *more: str):
        """The frame equals the frame of the command alone."""
        found = self.frame(camera).read_bytes()
        self.frame(camera).unlink()
        words = self.command(camera, *more, *os.environ["SPEX_OPTIONS"].split()).split()[1:]
        subprocess.run([PROGRAMS / "spex-cpu", *words], check=True)
        self.assertEqual(found, self.frame(camera).read_bytes(), camera)

    def test_all_cameras_in_one_run_under_mpi(self):
        """Starts one run from one of two ranks."""
        done = self.out / "done"
        barycentric = "--barycentric-correction"
        commands = []
        for camera in ("b0", "r0"):
            commands += [camera, self.command(camera, barycentric)]
        mpirun = ["timeout", "100", "mpirun", "-n", "2", sys.executable, "-c", RANK, done]
        environment = {**os.environ, "PYTHONPATH": str(OURS)}
        run = subprocess.run(
            [*mpirun, *commands], env=environment, capture_output=True, text=True, check=False
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(done.read_text(), "0 errors, 0 left")
        self.assertEqual(run.stdout.count("RUNNING:"), 1)
        for camera in ("b0", "r0"):
            self.expect_frame(camera, barycentric)

    def test_missing_frames_are_counted(self):
        """A missing image, and commands for specter."""
        commands = {
            "b0": self.command("b0").replace("preproc-b0", "preproc-b9"),
            "r0": self.command("r0"),
            "r1": self.command("r0", "--use-specter"),
        }
        self.assertEqual(spex_desi_proc.extract(commands), 1)
        self.assertEqual(list(commands), ["r1"])
        self.assertFalse(self.frame("b0").exists())
        self.expect_frame("r0")

    def test_different_options_make_separate_runs(self):
        """Non-default grid and psferr are passed on."""
        _, usual = spex_desi_proc._split("b0", self.command("b0"))
        self.assertEqual(usual, ("--no-gpu",))
        words = self.command("b0").replace("5800.0", "5000.0").replace("0.04", "0.02")
        files, options = spex_desi_proc._split("b0", words)
        self.assertEqual(options, ("-w", "3600.0,5000.0,0.8", "--psferr", "0.02", "--no-gpu"))
        self.assertEqual(files["-o"], str(self.frame("b0")))

    def test_run_uses_its_gpus_and_cpus(self):
        """The run is not a rank of the MPI job."""
        set_here = {"SPEX_GPUS": "2,3", "PMI_RANK": "0", "SLURM_PROCID": "0", "HOME": "/here"}
        with mock.patch.dict(os.environ, set_here):
            environment = spex_desi_proc._environment()
        self.assertEqual(environment["CUDA_VISIBLE_DEVICES"], "2,3")
        self.assertEqual(environment["HOME"], "/here")
        self.assertFalse({"PMI_RANK", "SLURM_PROCID"} & set(environment))
        with (
            mock.patch.dict(os.environ, {"SPEX_CPUS": "0-2,7"}),
            mock.patch("os.sched_setaffinity") as bind,
        ):
            spex_desi_proc._bind()
        bind.assert_called_once_with(0, {0, 1, 2, 7})

    @unittest.skipUnless("DESISPEC_DIR" in os.environ, "DESISPEC_DIR is not set")
    def test_patch_applies(self):
        """The patched proc.py of desispec calls our module before its own extraction."""
        path = Path("py/desispec/scripts/proc.py")
        copy = self.out / path
        copy.parent.mkdir(parents=True)
        shutil.copy(Path(os.environ["DESISPEC_DIR"]) / path, copy)
        patch = (OURS / "desi_proc.patch").read_text()
        subprocess.run(["patch", "-p1"], cwd=self.out, input=patch, text=True, check=True)
        text = copy.read_text()
        ast.parse(text)
        ours = text.index("spex_desi_proc.extract(cmds)")
        self.assertGreater(ours, text.index("cmds[camera] = cmd", text.index("psferr")))
        self.assertLess(ours, text.index("comm.bcast(cmds", ours))


if __name__ == "__main__":
    unittest.main()
