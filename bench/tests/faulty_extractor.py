"""Takes the place of spex-cpu: runs it, and then, in runs that are timed, does one thing wrong.

What it does is the fault that the next line of the file `faults` names. The reference frames are
made without --events, and stay right. What is done to a frame is done to the last one; the
log is then made to cover it, so that it is not the time that it took that fails.
"""

import json
import mmap
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Faults that are edits of a frame.
FRAMES = (
    "nan",
    "dropped fiber",
    "shift",
    "wrong ivar",
    "five percent of ivar",
    "noise of a tenth of sigma",
    "one fiber off",
    "half of the fibers",
    "chi2pix",
    "resolution",
    "mask",
    "another HDU",
    "swapped bundles",
    "all zero",
    "other bytes",
    "another camera",
    "another exposure",
    "another unit",
    "another order",
    "another fiber's name",
    "scores",
    "unknown keyword",
    "frame of another milestone",
    "frame of another program",
    "frame of another method",
    "other failures than logged",
    "flux in the dark",
    "ivar in the dark",
    "chi2pix in the dark",
    "resolution in the dark",
)
# Keywords that a frame is to say something else by.
KEYWORDS = {
    "another camera": ("CAMERA", "z9"),
    "another exposure": ("EXPID", 7),
    "unknown keyword": ("CDELT1", 7.0),
    "frame of another milestone": ("MILESTNE", "pipeline"),
    "frame of another program": ("SPEXPROG", "spex-gpu"),
    "frame of another method": ("METHOD", "eigh"),
    "other failures than logged": ("NFAILED", 10),
}
# Cards that are put before another one of an HDU.
CARDS = {
    "scaled fibermap": ("FIBERMAP", "EXTNAME", "TSCAL4  = 1.0", "TZERO4  = 90.0"),
    "scaled scores": ("SCORES", "EXTNAME", "TSCAL1  = 2.0"),
    "two exposures": ("FLUX", "EXPID", "EXPID   = 4711"),
}

here = Path(__file__).resolve().parent
timed = "--events" in sys.argv
if not timed:
    sys.exit(subprocess.run([here / "real-spex-cpu", *sys.argv[1:]], check=False).returncode)
fault, _, others = (here / "faults").read_text().partition("\n")
(here / "faults").write_text(others)
log = Path(sys.argv[sys.argv.index("--events") + 1])
old_log = here / "old.events.json"
if fault == "never ran":
    log.write_text(old_log.read_text())
    sys.exit(0)
listed = Path(sys.argv[sys.argv.index("--list") + 1]).read_text()
rows = [row.split() for row in listed.splitlines()]
if fault.startswith("kept answers"):
    # All of them, or the last one while the others are extracted.
    began = time.time()
    all_kept = fault == "kept answers"
    chosen = rows if all_kept else rows[-1:]
    run = json.loads(old_log.read_text())
    if not all_kept:
        some = here / "some.txt"
        some.write_text("".join(" ".join(row) + "\n" for row in rows[:-1]))
        options = [str(some) if word.endswith("frames.txt") else word for word in sys.argv[1:]]
        subprocess.run([here / "real-spex-cpu", *options], check=True)
        began = json.loads(log.read_text())["origin_unix"]
    for row in chosen:
        Path(row[3]).write_bytes((here / "answers" / Path(row[3]).name).read_bytes())
    run["origin_unix"] = began
    for event in run["events"]:
        event["start"], event["end"] = 0, time.time() - began
    log.write_text(json.dumps(run))
    sys.exit(0)
if fault == "works unseen":
    # What is opened before the clock begins is told of when spex-bench goes on, by the time then.
    os.kill(os.getppid(), signal.SIGSTOP)
    for row in rows:
        Path(row[1]).read_bytes()
        Path(row[2]).read_bytes()
    time.sleep(0.3)
    subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -CONT {os.getppid()}"])
if fault == "reads a PSF early":
    Path(rows[-1][2]).read_bytes()
    time.sleep(0.2)
status = subprocess.run([here / "real-spex-cpu", *sys.argv[1:]], check=False).returncode
if status != 0:
    sys.exit(status)
old_log.write_text(log.read_text())
answers = here / "answers"
if not answers.exists():
    answers.mkdir()
    for row in rows:
        shutil.copy2(row[3], answers / Path(row[3]).name)
if fault == "status":
    sys.exit(9)
image, frame = Path(rows[-1][1]), Path(rows[-1][3])


def edit_frame() -> None:
    """Changes values or headers of the last frame."""
    import numpy as np
    from astropy.io import fits

    with fits.open(frame, mode="update", memmap=False) as file:
        flux, ivar, mask = file["FLUX"].data, file["IVAR"].data, file["MASK"].data
        sigma = np.where(ivar > 0, 1 / np.sqrt(np.where(ivar > 0, ivar, 1)), 0)
        if fault == "nan":
            flux[7, 30] = np.nan
        elif fault == "dropped fiber":
            flux[11], ivar[11] = 0, 0
        elif fault == "shift":
            flux[:] = np.roll(flux, 1, axis=1)
        elif fault == "wrong ivar":
            ivar[3] *= 1.01
        elif fault == "five percent of ivar":
            ivar *= 1.05
        elif fault == "noise of a tenth of sigma":
            flux += 0.1 * sigma * np.random.default_rng(1).normal(size=flux.shape)
        elif fault == "one fiber off":
            flux[5] += 0.3 * sigma[5]
        elif fault == "half of the fibers":
            flux[::2], ivar[::2] = 0, 0
            mask[::2] |= 1
        elif fault == "chi2pix":
            file["CHI2PIX"].data[:] = 1
        elif fault == "resolution":
            file["RESOLUTION"].data[:] += 1e-4
        elif fault == "mask":
            mask[2, 40] ^= 1
        elif fault == "another HDU":
            file.append(fits.ImageHDU(np.zeros(3), name="EXTRA"))
        elif fault == "swapped bundles":
            flux[:10] = np.concatenate([flux[5:10], flux[:5]])
        elif fault == "all zero":
            flux[:], ivar[:] = 0, 0
        elif fault == "other bytes":
            file["FLUX"].header["FAULT"] = True
        elif fault in KEYWORDS:
            name, value = KEYWORDS[fault]
            file[0].header[name] = value
            file[0].add_checksum()
        elif fault == "another unit":
            file["IVAR"].header["BUNIT"] = "Jy"
            file["IVAR"].add_checksum()
        elif fault == "another order":
            file.insert(1, file.pop(file.index_of("RESOLUTION")))
        elif fault == "another fiber's name":
            file["FIBERMAP"].data["TARGETID"][3] += 1
            file["FIBERMAP"].add_checksum()
        elif fault == "scores":
            file["SCORES"].data.field(1)[3] *= 1.01
            file["SCORES"].add_checksum()
        elif fault.endswith(" in the dark"):
            edit_dark_bins(file, ivar == 0)


def edit_dark_bins(file, dark) -> None:
    """Puts something into the bins that no pixel constrains."""
    name = fault.split()[0].upper()
    value = {"FLUX": -5000, "IVAR": 4, "CHI2PIX": 1e6, "RESOLUTION": 0.3}[name]
    data = file[name].data
    (data.transpose(0, 2, 1) if name == "RESOLUTION" else data)[dark] = value
    file[name].add_checksum()


def put_cards(name: str, before: str, *cards: str) -> None:
    """Puts cards into the header of an HDU of the last frame as they are, with right sums."""
    from astropy.io import fits

    with fits.open(frame) as file:
        place = file[name].fileinfo()
    content = frame.read_bytes()
    header = content[place["hdrLoc"] : place["datLoc"]]
    old = [header[k : k + 80] for k in range(0, len(header), 80)]
    old = old[: old.index(b"END".ljust(80))]
    at = next(k for k, card in enumerate(old) if card.startswith(before.encode().ljust(8) + b"="))
    new = [*old[:at], *(card.encode().ljust(80) for card in cards), *old[at:], b"END".ljust(80)]
    text = b"".join(new)
    text += b" " * (-len(text) % 2880)
    frame.write_bytes(content[: place["hdrLoc"]] + text + content[place["datLoc"] :])
    with fits.open(frame, mode="update", memmap=False) as file:
        file[name].add_checksum()


def add_to_resolution(path: Path) -> None:
    """Changes R by more than its tolerance."""
    from astropy.io import fits

    with fits.open(path, mode="update", memmap=False) as file:
        file["RESOLUTION"].data[:] += 1e-4
        file["RESOLUTION"].add_checksum()


def edit_files() -> None:
    """Puts something else in the place of the last frame."""
    kept = answers / frame.name
    frame.unlink()
    if fault == "link":
        frame.symlink_to(kept)
    elif fault == "second name":
        os.link(kept, frame)
    elif fault == "kept frame":
        shutil.copy2(kept, frame)


def leave_behind(command: str, *arguments: Path) -> None:
    """A process in a session of its own, which its parent does not wait for."""
    subprocess.Popen(
        [sys.executable, "-c", command, frame, *arguments],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


FILL = """
import mmap, sys, time
with open(sys.argv[1], "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0)
wanted = memory[:]
memory[:] = wanted  # from here on the file's times stay as they are
open(sys.argv[2], "w").close()
time.sleep(1)
memory[:] = wanted
"""


def fill_through_memory() -> None:
    """Writes the frame's bytes a second later, of which its times say nothing."""
    with frame.open("r+b") as file:
        memory = mmap.mmap(file.fileno(), 0)
    wanted = memory[:]
    memory[:] = wanted
    run["events"][-1]["end"] = time.time() - run["origin_unix"]
    time.sleep(1)
    memory[:] = wanted


def fill_after_the_run() -> None:
    """The same by a process that outlives this one."""
    started = here / "started"
    started.unlink(missing_ok=True)
    leave_behind(FILL, started)
    while not started.exists():
        time.sleep(0.01)


def meddle() -> None:
    """Whatever does not change a frame while the run lasts."""
    references = here / "references"
    if fault == "reads the truth":
        image.with_name(image.name.replace("preproc", "truth")).read_bytes()
    elif fault == "reads the reference":
        next(references.glob("*.fits")).read_bytes()
    elif fault == "writes the reference":
        target = next(references.glob("*.fits"))
        target.write_bytes(target.read_bytes())
    elif fault == "exchanges the reference":
        # A wrong frame, and what it is held to. The file that was there is not opened, and stays.
        add_to_resolution(frame)
        target = max((here / "references").glob("*.fits"), key=lambda path: path.stat().st_mtime_ns)
        target.rename(here / "kept-reference")
        shutil.copyfile(frame, target)
    elif fault == "bytes behind":
        with frame.open("ab") as file:
            file.write(bytes(2880))
    elif fault == "zipped":
        import gzip

        frame.write_bytes(gzip.compress(frame.read_bytes(), 1))
    elif fault == "wrong sum":
        frame.write_bytes(frame.read_bytes().replace(b"DATASUM = '1", b"DATASUM = '2", 1))
    elif fault == "no sum":
        frame.write_bytes(frame.read_bytes().replace(b"CHECKSUM=", b"CHECKSOM=", 1))
    elif fault == "finished after the run":
        started = here / "started"
        started.unlink(missing_ok=True)
        leave_behind(
            "import os, pathlib, sys, time; parent = os.getppid(); "
            "pathlib.Path(sys.argv[2]).touch()\n"
            "while os.getppid() == parent: time.sleep(0.01)\n"
            "time.sleep(0.2); open(sys.argv[1], 'r+b').write(b'SIMPLE')",
            started,
        )
        while not started.exists():
            time.sleep(0.01)
    elif fault == "left behind":
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
    elif fault == "words that are no text":
        sys.stderr.buffer.write(bytes(range(256)))
        sys.stderr.flush()
        sys.exit(9)


def edit_log(run: dict) -> dict:
    """The run log with something that is not so."""
    events = run["events"]
    if fault == "clock that ends early":
        for event in events:
            event["start"], event["end"] = event["start"] / 1000, event["end"] / 1000
    elif fault == "clock that begins late":
        late = max(event["end"] for event in events) - 0.001
        run["origin_unix"] += late
        for event in events:
            event["start"], event["end"] = 0, max(0, event["end"] - late)
    elif fault == "clock beyond the run":
        events[-1]["end"] += 100
    elif fault == "negative time":
        events[0]["start"] = -1
    elif fault == "another milestone":
        run["milestone"] = "baseline"
    elif fault == "log of another program":
        run["program"] = "spex-gpu"
    elif fault == "fewer frames":
        run["frames"].pop()
    elif fault == "no frames":
        run["frames"] = []
    elif fault == "patches failed":
        run["frames"][0]["failed"] = run["frames"][0]["patches"]
    elif fault == "patches that are not there":
        for one in run["frames"]:
            one["patches"] *= 1000
        run["frames"][0]["failed"] = 1
    elif fault == "log of other inputs":
        for one in run["frames"]:
            one["input"] += ".gz"
    elif fault == "more ranks":
        run["ranks"] *= 2
    elif fault == "patches fell back":
        run["frames"][0]["fell_back"] = 1
    return run


if fault == "missing":
    frame.unlink()
elif fault in ("link", "second name", "kept frame"):
    edit_files()
elif fault == "changed input":
    with image.open("r+b") as file:
        file.seek(80000)
        file.write(bytes(40000))
elif fault in FRAMES:
    edit_frame()
elif fault in CARDS:
    put_cards(*CARDS[fault])
meddle()
run = json.loads(log.read_text())
run["events"][-1]["end"] = time.time() - run["origin_unix"]
if fault == "filled through memory":
    fill_through_memory()
elif fault == "filled after the run":
    fill_after_the_run()
log.write_text(json.dumps(edit_log(run)))
if fault == "log of nothing":
    log.write_text("{}")
if fault == "log that is a list":
    log.write_text("[]")
if fault == "no log":
    log.unlink()
if fault == "half a log":
    log.write_text(log.read_text()[:500])
if fault in ("log that is a pipe", "log without end"):
    log.unlink()
if fault == "log that is a pipe":
    os.mkfifo(log)
if fault == "log without end":
    log.symlink_to("/dev/zero")
if fault == "log of deep lists":
    log.write_text("[" * 1000000)
if fault == "exchanged at the end":
    shutil.copy(here / "mps-wrapper", here / "copy").replace(here / "mps-wrapper")
