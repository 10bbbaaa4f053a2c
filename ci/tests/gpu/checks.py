#!/usr/bin/env python3
"""Checks of spex-gpu on a machine with a GPU: those of more than one command.

usage: checks.py CHECK BUILD [ARGUMENT...]

CHECK is a function of CHECKS, with its ARGUMENTs. BUILD is the build folder. A check prints what it
found in lines that begin with `found: `. Exit status: 0, 1 where the check fails, 77 where there is
no GPU.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[3]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]
SKIPPED = 77  # docs/results.md
SANITIZER_FOUND = 9  # the exit status that compute-sanitizer is asked for
KERNELS = ("spots", "assemble", "solve", "decorrelate", "quality")
REPEATS = 4  # of each frame, whose stages take milliseconds


def found(text: str) -> None:
    """Says what the check found."""
    print("found:", re.sub(r"\s+", " ", text).strip(), flush=True)


def fail(text: str) -> NoReturn:
    """Ends the check: it failed."""
    found(text)
    sys.exit(1)


def run(command: list, expected: int | None = 0, **environment: str) -> str:
    """The output of a command, whose status must be `expected` (None: any)."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    print("+", " ".join(words), done.stdout, sep="\n", flush=True)
    if done.returncode == SKIPPED:
        found(done.stdout[-300:])
        sys.exit(SKIPPED)
    if expected is not None and done.returncode != expected:
        fail(f"{words[0]}: status {done.returncode} (expected {expected}): {done.stdout[-300:]}")
    return done.stdout


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in memory, which is removed."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="spex-", dir=memory if memory.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def need_gpu(build: Path) -> None:
    """Ends with 77 where there is no GPU."""
    with scratch() as folder:
        files = ["-i", folder / "none.fits", "-p", folder / "none.fits", "-o", folder / "o.fits"]
        run([build / "bin/spex-gpu", *files], None)


def seconds_by_stage(text: str) -> dict[str, float]:
    """What a run of spex-gpu says at its end, of all threads."""
    lines = re.findall(r"seconds of all threads: (.*)", text)
    if not lines:
        fail(f"no seconds of stages: {text[-300:]}")
    return {stage: float(value) for stage, value in re.findall(r"([\w-]+) ([\d.]+)", lines[-1])}


def frame_of(folder: Path, case: str, command: list, **environment: str) -> bytes:
    """The frame of a golden case by a command; always of one name, which is among the bytes."""
    output = folder / "frame.fits"
    output.unlink(missing_ok=True)
    inputs = ["-i", ROOT / f"golden/{case}/preproc.fits", "-p", ROOT / f"golden/{case}/psf.fits"]
    run([*command, *inputs, "-o", output], **environment)
    return output.read_bytes()


def identity(build: Path, milestone: str) -> None:
    """The same bytes from repeats, and from 1, 2 and 5 ranks."""
    frames = set()
    with scratch() as folder:
        for ranks in (1, 1, 2, 5):
            launcher = [*MPIRUN, ranks] if ranks > 1 else []
            command = [*launcher, build / "bin/spex-gpu", "--milestone", milestone]
            command += ["-w", "9720,9836,0.8", "--mask-bits", "all"]
            frames.add(frame_of(folder, "tiny-z", command))
    if len(frames) != 1:
        fail("1, 1, 2, 5 ranks: other bytes")
    found("1, 1, 2, 5 ranks: the same bytes")


def poison(build: Path, milestone: str, *options: str) -> None:
    """Whole bundles, with options: the same bytes with buffers that were filled with NaN."""
    # A bundle of all fibers goes to the host where light of another bundle falls on it.
    command = [build / "bin/spex-gpu", "--milestone", milestone, "-w", "3610,3700,0.8"]
    command += ["--bundlesize", "10", "--nsubbundles", "2", "-n", "10", *options]
    with scratch() as folder:
        frames = {frame_of(folder, "tiny-b", command, SPEX_GPU_POISON=value) for value in "01"}
    if len(frames) != 1:
        fail("with and without: other bytes")
    found("with and without: the same bytes")


def under_sanitizer(tool: str, command: list, expected: int) -> str:
    """The output of a command under a tool of compute-sanitizer."""
    if shutil.which("compute-sanitizer") is None:
        fail("there is no compute-sanitizer on PATH")
    sanitizer = ["compute-sanitizer", "--tool", tool, "--error-exitcode", SANITIZER_FOUND]
    return run([*sanitizer, *command], expected)


def sanitize(_: Path, tool: str, *command: str) -> None:
    """A tool of compute-sanitizer finds nothing in a command; {} stands for a folder."""
    with scratch() as folder:
        words = [word.replace("{}", str(folder)) for word in command]
        text = under_sanitizer(tool, words, 0)
    lines = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: .*", text)
    if not lines:
        fail("no summary of compute-sanitizer")
    found(lines[0])


def control(build: Path, tool: str) -> None:
    """The tool finds the fault of its kind that a program seeds."""
    under_sanitizer(tool, [build / "tests/sanitizer_control", tool], SANITIZER_FOUND)
    found("the seeded fault is found")


def kernels(build: Path, milestone: str, arms: str, *options: str) -> None:
    """Seconds by stage of simulated full frames, one at a time; --flux frame: also by spex-cpu.

    The first frame of each arm is left out: the extractor allocates memory for it, also between
    kernels. A run of these frames alone gives what they take.
    """
    with scratch() as night:
        cameras = ",".join(f"{arm}0" for arm in arms)
        run([build / "bin/spex-sim", "-o", night, "--cameras", cameras, "--on-grid"])
        names = [file.name.split("-", 1)[1] for file in sorted(night.glob("preproc-*.fits"))]

        def seconds_of(repeats: int) -> dict[str, float]:
            listed = [
                f"{name[:2]} {night}/preproc-{name} {night}/psf-{name} {night}/frame-{k}-{name}"
                for k in range(repeats)
                for name in names
            ]
            (night / "list").write_text("\n".join(listed) + "\n")
            command = [build / "bin/spex-gpu", "--list", night / "list", "--milestone", milestone]
            return seconds_by_stage(run([*command, *options]))

        first, seconds = seconds_of(1), seconds_of(1 + REPEATS)
        frames = REPEATS * len(names)
        a_frame = {stage: (seconds[stage] - first[stage]) / frames for stage in KERNELS}
        stages = {stage: round(value, 4) for stage, value in a_frame.items()}
        total = round(sum(a_frame.values()), 4)
        text = ", ".join(f"{stage} {value:.4f}" for stage, value in stages.items())
        found(f"{total:.4f} s a frame: {text}")
        # What ci/gpu-check keeps.
        what = f"{' '.join([milestone, *options])} ({', '.join(arms)})"
        print("kernels:", json.dumps({"what": what, "seconds": total, "stages": stages}))
        if options == ("--flux", "frame"):
            for name in names:
                compare_with_cpu(build, night, name)


def compare_with_cpu(build: Path, night: Path, name: str) -> None:
    """The flux of a whole full frame by the GPU, as it was just made, against the CPU's."""
    expected = night / f"cpu-{name}"
    files = ["-i", night / f"preproc-{name}", "-p", night / f"psf-{name}", "-o", expected]
    run([build / "bin/spex-cpu", *files, "--method", "cholesky", "--flux", "frame"])
    compare = [build / "bin/spex-compare", night / f"frame-0-{name}", expected]
    for line in re.findall(r"FLUX +(flux pull.*)", run([*compare, "--tolerance", "masked"])):
        found(f"{name[:2]}, as spex-cpu's: {line}")


def pixels_of(file: Path) -> set[int]:
    """Places of the pixels that are not 0 in a mask as --rejected-pixels writes it."""
    text = file.read_bytes()
    at = text.index(b"XTENSION") if b"XTENSION" in text else 0
    header = text[at:]
    end = header.index(b"END" + b" " * 77)
    axes = [int(re.findall(rb"NAXIS%d *= *(\d+)" % k, header[:end])[0]) for k in (1, 2)]
    start = at + (end + 80 + 2879) // 2880 * 2880
    data = text[start : start + axes[0] * axes[1]]
    return {i for i, value in enumerate(data) if value}


def rejected_pixels(build: Path, arm: str) -> None:
    """The pixels of a full frame with cosmic rays that spex-gpu and spex-cpu reject."""
    with scratch() as night:
        sim = [build / "bin/spex-sim", "-o", night, "--cameras", f"{arm}0", "--on-grid"]
        run([*sim, "--unmasked-cosmics", "1"])
        name = next(night.glob("preproc-*.fits")).name.split("-", 1)[1]
        files = ["-i", night / f"preproc-{name}", "-p", night / f"psf-{name}"]
        pixels = {}
        for program, options in (("gpu", ["--milestone", "direct"]), ("cpu", [])):
            out = night / f"{program}-{name}"
            mask = night / f"mask-{program}.fits"
            command = [build / f"bin/spex-{program}", *files, "-o", out, *options]
            text = run([*command, "--reject-pixels", "6", "--rejected-pixels", mask])
            pixels[program] = pixels_of(mask)
            seconds = ", ".join(f"{k} {v:.3f}" for k, v in seconds_by_stage(text).items())
            found(f"spex-{program}: {len(pixels[program])} pixels; {seconds}")
        apart = len(pixels["gpu"] ^ pixels["cpu"])
        found(f"{apart} pixels by one of them")
        # A residual may equal its threshold within rounding.
        if len(pixels["cpu"]) < 1000 or apart > 2:
            fail(f"{apart} pixels by one of them (expected at most 2, of 1000 or more)")
        compare = [build / "bin/spex-compare", night / f"gpu-{name}", night / f"cpu-{name}"]
        text = run([*compare, "--tolerance", "masked"], None if apart else 0)
        for line in re.findall(r"FLUX +(flux pull.*)", text):
            found(f"{arm}0, as spex-cpu's: {line}")


def visible_gpus() -> list[str]:
    """The GPUs that a program may see, as in CUDA_VISIBLE_DEVICES."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return [str(k) for k in range(len(run(["nvidia-smi", "-L"]).splitlines()))]
    return [one for one in visible.split(",") if one]


def mps(build: Path) -> None:
    """Frames by seven ranks under MPS, on the last GPU: the bytes of one rank on the first."""
    with scratch() as night:
        sim = [build / "bin/spex-sim", "-o", night, "--cameras", "b0,r0,z0", "--size", "bundle"]
        run([*sim, "--on-grid"])
        wrapper = [ROOT / "mpi/programs/mps-wrapper", *MPIRUN, 7]
        for launcher, milestone in (([], "batch-subbundle"), (wrapper, "interleave-io")):
            out = night / milestone
            out.mkdir()
            command = [*launcher, build / "bin/spex-gpu", "--exposure", night, "--outdir", out]
            where = {"CUDA_VISIBLE_DEVICES": visible_gpus()[-1]} if launcher else {}
            run([*command, "--milestone", milestone], **where)
        frames = sorted((night / "batch-subbundle").glob("frame-*.fits"))
        if len(frames) != 3:
            fail(f"{len(frames)} frames (expected 3)")
        for frame in frames:  # whose headers name the milestone
            other = night / "interleave-io" / frame.name
            run([build / "bin/spex-compare", other, frame, "--tolerance", "identical"])
    found("7 ranks, interleave-io, MPS: 3 frames, identical to those of 1 rank")


def exposure(build: Path) -> None:
    """30 frames by one process and by all GPUs: the same bytes, and the truth of every frame."""
    gpus = len(visible_gpus()) if shutil.which("nvidia-smi") else 1
    runs: list[tuple[int, list]] = [(1, []), (1, [])]
    if gpus > 1:
        runs += [(gpus, []), (gpus, []), (1, ["--gpus", gpus]), (1, ["--gpus", 1])]
    with scratch() as night, ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 3)) as pool:
        run([build / "bin/spex-sim", "-o", night, "--cameras", "all", "--on-grid"])
        out = night / "out"
        first: dict[str, str] = {}
        for ranks, options in runs:
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            launcher = [*MPIRUN, ranks, "--bind-to", "none"] if ranks > 1 else []
            command = [*launcher, build / "bin/spex-gpu", "--exposure", night, "--outdir", out]
            what = f"pipeline, {ranks} rank(s) {' '.join(map(str, options))}".strip()
            started = os.times().elapsed
            command += ["--milestone", "pipeline", "--events", night / "events.json"]
            text = run([*command, *options, "--loglevel", "debug"])
            seconds = os.times().elapsed - started
            used = set(re.findall(r"of the node: GPU (\S+),", text))
            if len(used) < ranks:
                fail(f"{what}: uses {len(used)} GPUs: {used}")
            stages = ", ".join(f"{k} {v:.2f}" for k, v in seconds_by_stage(text).items())
            found(f"{what}: {30 * 3600 / seconds:.0f} frames an hour, start-up in; {stages}")
            frames = sorted(out.glob("frame-*.fits"))
            hashes = pool.map(lambda f: hashlib.sha256(f.read_bytes()).hexdigest(), frames)
            sums = dict(zip((f.name for f in frames), hashes, strict=True))
            if len(sums) != 30:
                fail(f"{what}: {len(sums)} frames (expected 30)")
            first = first or sums
            if sums != first:
                fail(f"{what}: other bytes than the first run's")

        def compare(frame: Path) -> None:
            truth = night / frame.name.replace("frame-", "truth-")
            run([build / "bin/spex-compare", frame, "--truth", truth])

        list(pool.map(compare, frames))
        found("every frame agrees with its truth")


def inflated_images(build: Path) -> None:
    """Images inflated by GPUs: the frames of those that CPUs inflate."""
    times = 8  # each image: the first are read before a GPU is ready
    with scratch() as night:
        sim = [build / "bin/spex-sim", "-o", night, "--cameras", "b0,r0,z0", "--on-grid"]
        run([*sim, "--compress", "gz", "--compress-level", 6])
        sums: dict[str, list[str]] = {}
        for how in ("off", "on"):
            out = night / how
            out.mkdir()
            lines = []
            for image in sorted(night.glob("preproc-*.fits.gz")):
                _, camera, number = image.name.removesuffix(".fits.gz").split("-")
                files = f"{image} {night}/psf-{camera}-{number}.fits {out}/{camera}"
                lines += [f"{camera} {files}-{k}.fits" for k in range(times)]
            (night / "list").write_text("\n".join(lines) + "\n")
            command = [build / "bin/spex-gpu", "--list", night / "list", "--gpu-inflate", how]
            text = run([*command, "--milestone", "pipeline", "--loglevel", "debug"])
            inflated = text.count(" inflated an image of ")
            if (inflated > 0) != (how == "on"):
                fail(f"--gpu-inflate {how}: {inflated} images inflated by GPUs")
            if " left an image to the CPUs" in text:
                fail("a GPU did not inflate an undamaged image")
            frames = sorted(out.glob("*.fits"))
            if len(frames) != len(lines):
                fail(f"{len(frames)} frames (expected {len(lines)})")
            sums[how] = [hashlib.sha256(frame.read_bytes()).hexdigest() for frame in frames]
            found(f"--gpu-inflate {how}: {inflated} of {len(frames)} images inflated by GPUs")
    if sums["on"] != sums["off"]:
        fail("images inflated by GPUs: other frames")


CHECKS = (
    identity,
    poison,
    sanitize,
    control,
    kernels,
    rejected_pixels,
    mps,
    exposure,
    inflated_images,
)

if __name__ == "__main__":
    named = {check.__name__: check for check in CHECKS}
    if len(sys.argv) < 3 or sys.argv[1] not in named:
        sys.exit(__doc__)
    need_gpu(Path(sys.argv[2]))
    named[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
