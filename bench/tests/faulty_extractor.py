"""Replaces spex-cpu: runs it, and then makes one fault in each timed run.

The next line of the file `faults` names the fault. Reference frames are made without --events and
stay correct. Faults of a frame affect the last one.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Faults of the run log only; the frames stay unchanged.
LOGS = ("another clock", "fewer frames", "more ranks")
# Faults that leave the values of the frame.
OF_FILES = ("status", "other options", "swapped cameras", "bytes behind", "endless", "zipped")
OF_FILES += ("wrong sum", "no sum", "changed late", "work after exit", "another file system")
OF_FILES += ("another program", "output that is not text", "writes a second later")

here = Path(__file__).resolve().parent
timed = "--events" in sys.argv
if not timed:
    sys.exit(subprocess.run([here / "real-spex-cpu", *sys.argv[1:]], check=False).returncode)
fault, _, others = (here / "faults").read_text().partition("\n")
(here / "faults").write_text(others)
log = Path(sys.argv[sys.argv.index("--events") + 1])
listed = Path(sys.argv[sys.argv.index("--list") + 1]).read_text()
rows = [row.split() for row in listed.splitlines()]
answers = here / "answers"
if fault == "kept answers":
    for row in rows:
        shutil.copyfile(answers / Path(row[3]).name, row[3])
    shutil.copyfile(here / "old.events.json", log)
    sys.exit(0)
options = sys.argv[1:]
if fault == "other options":
    options += ["--nwavestep", "40"]
if fault == "swapped cameras":
    outputs = [row[3] for row in reversed(rows)]
    (here / "swapped.txt").write_text(
        "".join(" ".join([*row[:3], outputs[i]]) + "\n" for i, row in enumerate(rows))
    )
    options[options.index("--list") + 1] = str(here / "swapped.txt")
status = subprocess.run([here / "real-spex-cpu", *options], check=False).returncode
if status != 0:
    sys.exit(status)
shutil.copyfile(log, here / "old.events.json")
if not answers.exists():
    answers.mkdir()
    for row in rows:
        shutil.copy2(row[3], answers / Path(row[3]).name)
if fault == "status":
    sys.exit(9)
image, frame = Path(rows[-1][1]), Path(rows[-1][3])


def edit_frame() -> None:
    """Asks the test's FrameEditor: a FITS library takes longer to load than the extraction."""
    (here / "asked").write_text(f"{fault}\n{frame}")
    if failure := (here / "answered").read_text():
        sys.exit(failure)


def leave_behind(command: str, *arguments: Path) -> None:
    """Starts a process in a separate session, for which its parent does not wait."""
    subprocess.Popen(
        [sys.executable, "-c", command, frame, *arguments],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def meddle() -> None:
    """Faults of files or processes."""
    if fault == "bytes behind":
        with frame.open("ab") as file:
            file.write(bytes(2880))
    elif fault == "endless":
        os.truncate(frame, 1 << 42)  # sparse
    elif fault == "zipped":
        import gzip

        frame.write_bytes(gzip.compress(frame.read_bytes(), 1))
    elif fault == "wrong sum":
        frame.write_bytes(frame.read_bytes().replace(b"DATASUM = '1", b"DATASUM = '2", 1))
    elif fault == "no sum":
        frame.write_bytes(frame.read_bytes().replace(b"CHECKSUM=", b"CHECKSOM=", 1))
    elif fault == "changed late":
        # By a process that spex-bench cannot see, because it was started before.
        (here / "late").write_text(str(frame))
    elif fault == "work after exit":
        leave_behind("import time; time.sleep(60)")
    elif fault == "another file system":
        folder = frame.parent
        other = Path(tempfile.mkdtemp(dir="/dev/shm"))
        (here / "elsewhere").write_text(str(other))
        for file in folder.iterdir():
            shutil.move(file, other / file.name)
        folder.rmdir()
        folder.symlink_to(other)
    elif fault == "another program":
        with (here / "mps-wrapper").open("a") as file:
            file.write(os.linesep)
    elif fault == "output that is not text":
        sys.stderr.buffer.write(bytes(range(256)))
        sys.stderr.flush()
        sys.exit(9)


def edit_log(run: dict) -> dict:
    """The run log with a wrong value."""
    if fault == "another clock":
        run["events"][-1]["end"] += 100
    elif fault == "log of another program":
        run["program"] = "spex-gpu"
    elif fault == "fewer frames":
        run["frames"].pop()
    elif fault == "more ranks":
        run["ranks"] *= 2
    elif fault.startswith("log of"):
        run["frames"][0]["failed" if fault == "log of failed patches" else "fell_back"] += 1
    return run


if fault == "missing":
    frame.unlink()
elif fault in ("link", "second name"):
    frame.unlink()
    (os.symlink if fault == "link" else os.link)(answers / frame.name, frame)
elif fault == "changed input":
    with image.open("r+b") as file:
        file.seek(80000)
        file.write(bytes(40000))
elif fault and fault not in (*LOGS, *OF_FILES) and "log" not in fault.split():
    edit_frame()
meddle()
if fault == "half a log":
    log.write_text(log.read_text()[:500])
elif fault == "no log":
    log.unlink()
elif fault == "log without end":
    log.unlink()
    log.symlink_to("/dev/zero")
elif fault:
    log.write_text(json.dumps(edit_log(json.loads(log.read_text()))))
if fault == "writes a second later":
    time.sleep(1)
    with frame.open("r+b") as file:
        file.write(frame.read_bytes()[:10])
