"""What spex-bench is started in: signals, streams, limits and folders that others left to it."""

import json
import os
import shutil
import signal
import subprocess

from bench_runs import Bench, BenchTest, entry, output_of


def started(bench: Bench, *within: str, options: tuple[str, ...] = ()) -> tuple[int, str]:
    """The exit status and output of a run that `within`, a command and its words, starts."""
    shutil.rmtree(bench.folder / "out", ignore_errors=True)
    return output_of([*within, *bench.command(*options)])


class Surroundings(BenchTest):
    """None of them is taken for a fault of the frames."""

    def test_ignored_signals_of_children(self):
        """SIGCHLD is ignored where a parent of ours did so; children must be waited for yet."""
        with Bench([entry("one"), entry("two", ranks=2, threads=1)]) as bench:
            self.says(started(bench, "env", "--ignore-signal=CHLD"), 0)

    def test_what_shall_go_on_goes_on(self):
        """Where SIGHUP is ignored, as nohup has it, nothing is interrupted by one."""
        with Bench([entry("one", repeats=3)]) as bench:
            words = ["env", "--ignore-signal=HUP", *bench.command()]
            pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL}
            said = []
            with subprocess.Popen(words, text=True, **pipes) as process:
                for line in process.stderr:
                    said.append(line)
                    if "one timed run 1 of" in line:
                        process.send_signal(signal.SIGHUP)
            self.assertEqual(process.returncode, 0, said)

    def test_closed_streams(self):
        """No file of ours takes their place; a table that nobody can read is said, or status 1."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            for closed, wanted in (("<&-", 0), ("2>&-", 0), (">&-", 1), ("<&- >&- 2>&-", 1)):
                with self.subTest(closed=closed):
                    self.says(started(bench, "bash", "-c", f'exec "$@" {closed}', "bash"), wanted)
                    self.assertEqual(bench.result("one")["verdict"]["overall"], "pass")
                    for folder in ("out", "data"):
                        lock = (bench.folder / folder / ".spex-bench-lock").read_text()
                        self.assertRegex(lock, r"^process \d+ on \S+\n$")

    def test_everything_is_recorded_and_nothing_refused(self):
        """Names of all variables, values of MPI's; secrets stay where they are."""
        with Bench([entry("one")]) as bench:
            self.says(bench.run(OMPI_MCA_btl="^openib", MY_PASSWORD="secret"), 0)
            result = bench.result("one")
            launch = result["launch"]
            self.assertEqual(launch["environment"]["OMPI_MCA_btl"], "^openib")
            self.assertIn("MY_PASSWORD", launch["variables"])
            self.assertNotIn("secret", json.dumps(result))
            self.assertTrue([name for name in result["libraries"] if "openblas" in name])

    def test_a_result_that_is_a_pipe_is_not_waited_for(self):
        """One line, with --resume."""
        with Bench([entry("one")]) as bench:
            self.assertEqual(bench.run()[0], 0)
            result = bench.folder / "out/one.json"
            result.unlink()
            os.mkfifo(result)
            self.says(bench.run("--resume"), 1, "one.json: is no result")

    def test_too_few_open_files(self):
        """Where a program says it, its frames are not wrong."""
        saying = """#!/usr/bin/env bash
[[ "$*" != *--events* ]] || { echo "spex-cpu: frame.fits: Too many open files" >&2; exit 1; }
exec "${0%/*}/real-spex-cpu" "$@"
"""
        with Bench([entry("one")], extractor=saying) as bench:
            self.says(bench.run(), 1)
            self.assertEqual(bench.result("one")["verdict"]["overall"], "error")
