"""The surroundings of spex-bench: signals, streams, limits, and folders."""

import json
import os
import shutil
import signal
import subprocess

from bench_runs import Bench, BenchTest, entry, output_of


def started(bench: Bench, *within: str, options: tuple[str, ...] = ()) -> tuple[int, str]:
    """The exit status and output of a run that `within`, a command line, starts."""
    shutil.rmtree(bench.folder / "out", ignore_errors=True)
    return output_of([*within, *bench.command(*options)])


class Surroundings(BenchTest):
    """They are never reported as faults of the frames."""

    def test_ignored_signals_of_children(self):
        """If SIGCHLD is ignored, as inherited from a parent, children can still be waited for."""
        with Bench([entry("one"), entry("two", ranks=2, threads=1)]) as bench:
            self.says(started(bench, "env", "--ignore-signal=CHLD"), 0)

    def test_nohup(self):
        """If SIGHUP is ignored, as under nohup, it interrupts nothing."""
        with Bench([entry("one", repeats=3)]) as bench:
            arguments = ["env", "--ignore-signal=HUP", *bench.command()]
            pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL}
            said = []
            with subprocess.Popen(arguments, text=True, **pipes) as process:
                for line in process.stderr:
                    said.append(line)
                    if "one timed run 1 of" in line:
                        process.send_signal(signal.SIGHUP)
            self.assertEqual(process.returncode, 0, said)

    def test_closed_streams(self):
        """Our files do not take their descriptors; a table that cannot be written gives 1."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            for closed, wanted in (("<&-", 0), ("2>&-", 0), (">&-", 1), ("<&- >&- 2>&-", 1)):
                with self.subTest(closed=closed):
                    self.says(started(bench, "bash", "-c", f'exec "$@" {closed}', "bash"), wanted)
                    self.assertEqual(bench.result("one")["verdict"]["overall"], "pass")
                    for folder in ("out", "data"):
                        lock = (bench.folder / folder / ".spex-bench-lock").read_text()
                        self.assertRegex(lock, r"^process \d+ on \S+\n$")

    def test_the_environment_is_recorded(self):
        """Names of all variables, values of MPI's, and no secrets."""
        with Bench([entry("one")]) as bench:
            self.says(bench.run(OMPI_MCA_btl="^openib", MY_PASSWORD="secret"), 0)
            result = bench.result("one")
            launch = result["launch"]
            self.assertEqual(launch["environment"]["OMPI_MCA_btl"], "^openib")
            self.assertIn("MY_PASSWORD", launch["variables"])
            self.assertNotIn("secret", json.dumps(result))
            self.assertTrue([name for name in result["libraries"] if "openblas" in name])

    def test_a_pipe_is_not_a_result(self):
        """--resume refuses it with one line, and does not block."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            result = bench.folder / "out/one.json"
            result.unlink()
            os.mkfifo(result)
            self.says(bench.run("--resume"), 1, "one.json: is not a result")

    def test_too_few_open_files(self):
        """If a program reports it, its frames are not wrong."""
        saying = """#!/usr/bin/env bash
[[ "$*" != *--events* ]] || { echo "spex-cpu: frame.fits: Too many open files" >&2; exit 1; }
exec "${0%/*}/real-spex-cpu" "$@"
"""
        with Bench([entry("one")], extractor=saying) as bench:
            self.says(bench.run(), 1)
            self.assertEqual(bench.result("one")["verdict"]["overall"], "error")
