#!/usr/bin/env python3
"""Tests of ci/gpu-check where there is no GPU: what it keeps of ctest's files, and how it ends."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True
GPU_CHECK = Path(__file__).resolve().parents[1] / "gpu-check"
CASE = '<testcase name="{}" time="1.5" status="{}">{}<system-out>{}</system-out></testcase>'
SKIPPED = '<skipped message="{}"/>'
STAGES = '{"what": "direct (b, r, z)", "seconds": 0.03, "stages": {"spots": 0.03}}'
TESTS = (
    ("golden.tiny-b.direct", "run", "", "    FLUX  flux pull  1e-06  3e-05  ok"),
    ("speed.direct", "run", "", f"found: 0.03 s a frame\nkernels: {STAGES}"),
    ("identity.band", "fail", '<failure message=""/>', "found: other bytes"),
    ("golden.desi-r0.band", "notrun", SKIPPED.format("SKIP_RETURN_CODE=77"), "skipped: no file"),
    ("poison.tiny-z.band", "notrun", SKIPPED.format("SKIP_RETURN_CODE=77"), "there is no GPU here"),
    ("test_gpu_spots", "notrun", SKIPPED.format("Unable to find executable"), ""),
)


class GpuCheck(unittest.TestCase):
    """What ci/gpu-check makes of tests."""

    def setUp(self):
        """The program as a module, and a folder."""
        loader = SourceFileLoader("gpu_check", str(GPU_CHECK))
        self.program = module_from_spec(spec_from_loader("gpu_check", loader))
        loader.exec_module(self.program)
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)

    def test_what_is_kept(self):
        """Passed, failed and skipped tests; one without a program or a GPU is no skipped one."""
        junit = self.path / "step.xml"
        junit.write_text(f"<testsuite>{''.join(CASE.format(*test) for test in TESTS)}</testsuite>")
        result = self.program.Result(self.path / "gpu-check.json", self.path)
        result.take("golden", junit)
        kept = json.loads(result.file.read_text())
        rows = {row["check"]: (row["ok"], row["detail"]) for row in kept["checks"]}
        self.assertEqual(rows["golden.tiny-b.direct"], (True, "flux pull 1e-06 3e-05 ok"))
        self.assertEqual(rows["speed.direct"], (True, "0.03 s a frame"))
        self.assertEqual(rows["identity.band"], (False, "other bytes"))
        self.assertFalse(rows["poison.tiny-z.band"][0])
        self.assertFalse(rows["test_gpu_spots"][0])
        self.assertEqual(kept["not_run"], {"golden.desi-r0.band": "skipped: no file"})
        self.assertEqual(kept["kernels"], [json.loads(STAGES)])

    def test_no_tests(self):
        """A step without tests fails."""
        result = self.program.Result(self.path / "gpu-check.json", self.path)
        result.take("mps", self.path / "none.xml")
        self.assertEqual([row["ok"] for row in result.checks], [False])

    def test_no_gpu(self):
        """One line, before anything is made."""
        out = self.path / "out"
        done = subprocess.run(
            [sys.executable, GPU_CHECK, "--out", out],
            env=os.environ | {"PATH": str(self.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        line = "gpu-check: there is no GPU here (expected nvidia-smi to name one)\n"
        self.assertEqual((done.returncode, done.stderr, out.exists()), (1, line, False))


if __name__ == "__main__":
    unittest.main()
