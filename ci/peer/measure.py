"""Runs a command of ci/peer-bench by the clock, and reads what the programs say of their time."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import plan

LIMIT_S = 900  # of a process
# gpu_specter's Timer: "INFO:util.py:203:log_splits:   extract:                  23.30", s.
SPLIT = re.compile(r"^INFO:util\.py:\d+:log_splits: *([\w/-]+): *(\d+\.\d+)$", re.MULTILINE)
STEPS = ("init", "load", "extract", "write")  # of gpu_specter's program
AGAIN = re.compile(r"^again: (\d+\.\d+)$", re.MULTILINE)  # spex.py


class RunError(Exception):
    """A run that failed, in a line."""


def times_of_peer(log: str) -> dict:
    """What gpu_specter says of its time in both runs of a process, s; null where it says nothing.

    `again_s` is the whole second run, `extraction_s` its extraction.
    """
    found: dict[str, list[float]] = {step: [] for step in STEPS}
    for name, seconds in SPLIT.findall(log):
        found.get(name, []).append(float(seconds))
    extractions = found["extract"]
    again = AGAIN.findall(log)
    if len(again) != 1:
        raise RunError(
            "gpu_specter did not run twice (expected a line 'again: SECONDS' in its log)"
        )
    return {
        "extraction_s": extractions[1] if len(extractions) == 2 else None,
        "first_s": {step: seconds[0] if seconds else None for step, seconds in found.items()},
        "again_s": float(again[0]),
    }


def extraction(run_log: Path) -> float:
    """Seconds of the extraction by the run log of ours, without start, reading and writing."""
    events = json.loads(run_log.read_text())["events"]
    spans = [event for event in events if event["stage"] in ("extract", "gather")]
    if not spans:
        raise RunError(f"{run_log}: has no extraction (expected a run log of spex-cpu or spex-gpu)")
    return max(event["end"] for event in spans) - min(event["start"] for event in spans)


def end(process: subprocess.Popen) -> None:
    """Ends a run and all that it started; mps-wrapper gets the time to stop MPS."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        os.killpg(process.pid, number)
        try:
            process.wait(timeout=30)
            return
        except subprocess.TimeoutExpired:
            continue


def clock(command: list[str], log: Path, environment: dict[str, str]) -> float:
    """Seconds of a command from launch to exit; `log` has what it prints.

    Throws RunError for another status than 0, and after LIMIT_S.
    """
    with log.open("w") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=os.environ | environment,
            start_new_session=True,
        )
        try:
            status = process.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            end(process)
            raise RunError(f"no end after {LIMIT_S} s (log in {log})") from None
        except BaseException:
            end(process)
            raise
        seconds = time.perf_counter() - start
    if status != 0:
        last = log.read_text(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise RunError(f"status {status}: {last[0][:200]} (log in {log})")
    return seconds


def sample(
    program: plan.Program,
    camera: str,
    settings: str,
    places: plan.Places,
    environment: dict[str, str],
) -> dict:
    """One run: its seconds by both clocks; those of gpu_specter without its second extraction."""
    frame = places.frame(program, camera, settings)
    frame.parent.mkdir(parents=True, exist_ok=True)
    frame.unlink(missing_ok=True)
    log = frame.with_suffix(".log")
    command = plan.command(program, camera, settings, places)
    seconds = clock(command, log, environment)
    if not frame.is_file():
        raise RunError(f"no frame {frame} (log in {log})")
    if not program.is_peer:
        inside = extraction(plan.events(frame))
        return {"seconds": round(seconds, 4), "extraction_s": round(inside, 4)}
    times = times_of_peer(log.read_text(errors="replace"))
    return {"seconds": round(seconds - times["again_s"], 4)} | times
