"""Shared by the tests of spex-bench: a plan, programs in a separate folder, results."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["SPEX_PROGRAMS"])
SCHEMA = json.loads((ROOT / "bench/result.schema.json").read_text())

# Five bundles of five fibers with two patches each: a second of work.
OPTIONS = ["--wavelength", "5760,5839.2,0.8", "--bundlesize", "5", "--nsubbundles", "1"]
OPTIONS += ["--method", "cholesky"]


def entry(name: str, **more) -> dict:
    """An entry that extracts with one thread, because other tests may run in parallel."""
    return {
        "id": name,
        "case": "small",
        "milestone": "cpu-refactor",
        "ranks": 1,
        "threads": 1,
        "options": OPTIONS,
    } | more


def output_of(arguments: list, **more) -> tuple[int, str]:
    """The exit status and output of a program."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(arguments, text=True, check=False, timeout=600, **pipes, **more)
    return done.returncode, done.stdout


class Bench:
    """A folder with a plan, results, and the programs, of which spex-cpu may be replaced."""

    def __init__(self, entries: list[dict], extractor: str | None = None, **plan):
        """`extractor` is a script that replaces spex-cpu, which becomes real-spex-cpu."""
        self.folder = Path(tempfile.mkdtemp(prefix="spex-bench-"))
        for name in ("spex-bench", "spex-cpu", "spex-gpu", "spex-sim", "mps-wrapper"):
            shutil.copy(PROGRAMS / name, self.folder / name)
        if extractor is not None:
            (self.folder / "spex-cpu").rename(self.folder / "real-spex-cpu")
            self.put_program("spex-cpu", extractor)
        self.plan = {
            "name": "test",
            "description": "a test",
            "tier": "ci",
            "warmups": 0,
            "repeats": 1,
            # Other tests run beside these.
            "quiet": {"other_cpus": 10, "width": 10},
            "cases": {"small": {"cameras": "r0", "size": "tiny"}},
            "reference": {"method": "cholesky"},
            "entries": entries,
        } | plan
        self.write_plan()

    def __enter__(self):
        """The folder exists until the end of the block."""
        return self

    def __exit__(self, *_):
        """Removes the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def put_program(self, name: str, script: str) -> None:
        """Replaces a program by a script."""
        (self.folder / name).write_text(script)
        (self.folder / name).chmod(0o755)

    def write_plan(self) -> Path:
        """Writes the plan to its file."""
        path = self.folder / "plan.json"
        path.write_text(json.dumps(self.plan))
        return path

    def command(self, *options: str) -> list[str]:
        """The command line; inputs and reference frames are kept between runs."""
        arguments = [str(self.folder / "spex-bench"), str(self.write_plan()), *options]
        for name in ("out", "data", "references"):
            if f"--{name}" not in options:
                arguments += [f"--{name}", str(self.folder / name)]
        if "--goldens" not in options:
            arguments += ["--goldens", str(ROOT / "golden/cases.json")]
        return arguments

    def run(self, *options: str, **environment: str) -> tuple[int, str]:
        """The exit status and output of a run, whose results are new except with --resume."""
        if "--resume" not in options:
            shutil.rmtree(self.folder / "out", ignore_errors=True)
        return self.run_again(*options, **environment)

    def run_again(self, *options: str, **environment: str) -> tuple[int, str]:
        """The same with the current folder of results."""
        return output_of(self.command(*options), env=os.environ | environment)

    def result(self, name: str) -> dict:
        """An entry's record and derived numbers. Checks the file against the schema."""
        result = json.loads((self.folder / "out" / f"{name}.json").read_text())
        jsonschema.validate(result, SCHEMA)
        return result["record"] | result["derived"]

    def spex_bench(self, *arguments: str | Path) -> tuple[int, str]:
        """Status and output of a command of spex-bench."""
        return output_of([self.folder / "spex-bench", *map(str, arguments)])


class BenchTest(unittest.TestCase):
    """A test of spex-bench."""

    def says(self, done: tuple[int, str], status: int, *texts: str) -> str:
        """Checks the status of a run and that its output has the texts; returns the output."""
        self.assertEqual(done[0], status, done[1])
        for text in texts:
            self.assertIn(text, done[1])
        return done[1]
