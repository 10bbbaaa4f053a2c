"""Tests of the program's commands, whatever they draw."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from samples import ROOT
from spexreports.__main__ import COMMANDS
from spexreports.commands import RUN


class Commands(unittest.TestCase):
    def test_help_does_not_wait_for_packages(self):
        """Matplotlib and the like take seconds to load, which --help and wrong words need not."""
        code = (
            "import sys, spexreports.__main__ as m\n"
            "sys.argv = ['spex-reports', *sys.argv[1:]]\n"
            "try: m.main()\n"
            "except SystemExit as end: print(end.code)\n"
            "print(sorted({'numpy', 'astropy', 'matplotlib', 'pandas'} & sys.modules.keys()))"
        )
        for arguments, status in (
            (["--help"], "0"),
            (["frame", "--help"], "0"),
            (["nothing"], "2"),
        ):
            said = subprocess.run(
                [sys.executable, "-c", code, *arguments],
                env=os.environ | {"PYTHONPATH": str(ROOT / "reports")},
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(said.stdout.splitlines()[-2:], [status, "[]"], arguments)

    def test_every_command_has_its_function(self):
        self.assertEqual(list(COMMANDS), list(RUN))

    def test_a_package_that_cannot_be_loaded_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "pandas.py").write_text("raise ImportError('pandas is broken')")
            path = f"{folder}:{ROOT / 'reports'}"
            status, _, stderr = self.run_program("compare", "a", "b", path=path)
        self.assertEqual(status, 1)
        self.assertRegex(stderr, r"\Aspex-reports: pandas is broken \(.*\)\n\Z")

    def run_program(self, *arguments: str, path: Path | str = "reports") -> tuple[int, str, str]:
        """Status, stdout and stderr of the package, started with `PYTHONPATH=path`."""
        said = subprocess.run(
            [sys.executable, "-m", "spexreports", *arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(path), "COLUMNS": "100"},
            capture_output=True,
            text=True,
            check=False,
        )
        return said.returncode, said.stdout, said.stderr


if __name__ == "__main__":
    unittest.main(verbosity=2)
