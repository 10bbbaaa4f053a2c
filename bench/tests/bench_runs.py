"""What the tests of spex-bench share: a plan, programs in a folder of their own, results."""

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

# Five bundles of five fibers, two patches each: a second of work.
OPTIONS = ["--wavelength", "5760,5839.2,0.8", "--bundlesize", "5", "--nsubbundles", "1"]
OPTIONS += ["--method", "cholesky"]


def entry(name: str, **more) -> dict:
    """An entry that extracts with one thread: other tests may run beside."""
    return {
        "id": name,
        "case": "small",
        "milestone": "cpu-refactor",
        "ranks": 1,
        "threads": 1,
        "options": OPTIONS,
    } | more


def output_of(words: list, **more) -> tuple[int, str]:
    """The exit status and output of a program."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(words, text=True, check=False, timeout=600, **pipes, **more)
    return done.returncode, done.stdout


class Bench:
    """A folder with the programs, of which spex-cpu may be another, a plan, and results."""

    def __init__(self, entries: list[dict], extractor: str | None = None, **plan):
        """`extractor` is a script that takes the place of spex-cpu, which is then real-spex-cpu."""
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
            "cases": {"small": {"cameras": "r0", "size": "bundle"}},
            "reference": {"method": "cholesky"},
            "entries": entries,
        } | plan
        self.write_plan()

    def __enter__(self):
        """The folder is there until the end of the block."""
        return self

    def __exit__(self, *_):
        """Removes the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def put_program(self, name: str, script: str) -> None:
        """A script in the place of a program."""
        (self.folder / name).write_text(script)
        (self.folder / name).chmod(0o755)

    def write_plan(self) -> Path:
        """The file of the plan as it is now."""
        path = self.folder / "plan.json"
        path.write_text(json.dumps(self.plan))
        return path

    def command(self, *options: str) -> list[str]:
        """The command line; inputs and reference frames are kept between runs."""
        words = [str(self.folder / "spex-bench"), str(self.write_plan()), *options]
        for name in ("out", "data", "references"):
            if f"--{name}" not in options:
                words += [f"--{name}", str(self.folder / name)]
        if "--goldens" not in options:
            words += ["--goldens", str(ROOT / "golden/cases.json")]
        return words

    def run(self, *options: str, **environment: str) -> tuple[int, str]:
        """The exit status and output of a run, whose results are new unless it is resumed."""
        if "--resume" not in options:
            shutil.rmtree(self.folder / "out", ignore_errors=True)
        return self.run_again(*options, **environment)

    def run_again(self, *options: str, **environment: str) -> tuple[int, str]:
        """The same in the folder of results as it is."""
        return output_of(self.command(*options), env=os.environ | environment)

    def result(self, name: str) -> dict:
        """An entry's record and what is derived of it; the file complies with the schema."""
        result = json.loads((self.folder / "out" / f"{name}.json").read_text())
        jsonschema.validate(result, SCHEMA)
        return result["record"] | result["derived"]

    def spex_bench(self, *words: str | Path) -> tuple[int, str]:
        """Status and output of a command of the program."""
        return output_of([self.folder / "spex-bench", *map(str, words)])


class BenchTest(unittest.TestCase):
    """A test of spex-bench."""

    def says(self, done: tuple[int, str], status: int, *words: str) -> str:
        """The output of a run, which has the status and says the words."""
        self.assertEqual(done[0], status, done[1])
        for one in words:
            self.assertIn(one, done[1])
        return done[1]
