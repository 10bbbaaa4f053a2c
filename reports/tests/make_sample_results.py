"""Makes reports/tests/data: results with made-up numbers, for the tests of the report alone.

usage: python3 reports/tests/make_sample_results.py FOLDER

The numbers come from the formulas below. No machine has measured them, and no figure drawn from
them says anything about one.
"""

import hashlib
import json
import random
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spexreports.order_statistics import median as median_of
from spexreports.result import STAGES
from spexreports.result_files import SCHEMA_FILE

SYSTEM = "sample node (made-up numbers)"
GPU = "Sample GPU"
CAMERAS = ("b0", "r0", "z0")
UUIDS = [f"GPU-0000000{i}-made-up" for i in range(4)]
MADE_UP = "made-up numbers of reports/tests/make_sample_results.py"

# Milestone: seconds of a frame, its shares by stage in the order of STAGES.
LADDER = {
    "baseline": (290.0, (1, 2, 1, 0, 25, 20, 12, 36, 2, 0, 0, 1)),
    "cpu-refactor": (130.0, (1, 3, 1, 0, 8, 15, 15, 53, 3, 0, 0, 1)),
    "multi-gpu": (21.0, (4, 6, 1, 1, 3, 6, 8, 62, 2, 1, 2, 4)),
    "batch-eigh": (13.0, (5, 9, 1, 1, 4, 8, 10, 50, 3, 1, 2, 6)),
    "batch-subbundle": (6.0, (8, 16, 2, 2, 6, 12, 10, 28, 4, 2, 2, 8)),
    "interleave-io": (4.6, (8, 16, 2, 2, 6, 12, 10, 28, 4, 2, 2, 8)),
    "direct": (0.9, (15, 30, 4, 4, 6, 10, 6, 8, 3, 3, 1, 10)),
    "pipeline": (0.4, (15, 30, 4, 4, 6, 10, 6, 8, 3, 3, 1, 10)),
}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def statistic(samples: list[float]) -> dict:
    found = median_of(tuple(samples))
    return {
        "median": found.value,
        "mad": statistics.median(abs(s - found.value) for s in samples),
        "low": found.low,
        "high": found.high,
        "coverage": found.coverage or None,
        "samples": samples,
    }


def figure(seconds: list[float], frames: int, nodes: int, gpus: int, tier: str) -> dict:
    """Of the tier ci the seconds alone."""

    def rate(count: int) -> dict | None:
        if tier == "ci" or count == 0:
            return None
        return statistic([3600 * frames / (s * count) for s in seconds])

    return {
        "seconds": statistic(seconds),
        "fpnh": rate(nodes),
        "frames_per_gpu_hour": rate(gpus),
    }


def snapshot(gpus: int) -> list[dict]:
    return [
        {
            "uuid": uuid,
            "throttle_reasons": [],
            "ecc_corrected": 0,
            "ecc_uncorrected": 0,
            "temperature_c": 41,
            "clock_sm_mhz": 1980,
            "clock_memory_mhz": 3201,
            "power_w": 120.0,
            "memory_used_bytes": 0,
        }
        for uuid in UUIDS[:gpus]
    ]


def gpu(index: int) -> dict:
    return {
        "index": index,
        "uuid": UUIDS[index],
        "name": GPU,
        "memory_bytes": 1.5e11,
        "ecc": True,
        "mig": False,
        "persistence": True,
        "power_limit_w": 700.0,
        "clock_max_sm_mhz": 1980,
        "clock_max_memory_mhz": 3201,
        "pcie_generation": 5,
        "pcie_width": 16,
    }


def make(
    milestone: str,
    *,
    entry: str | None = None,
    seconds: float | None = None,
    day: int = 1,
    repeats: int = 1,
    gpus: int = 4,
    ranks_per_gpu: int = 1,
    ranks: int | None = None,
    scaling: dict | None = None,
    scale_to: int | None = None,
    compression: str = "none",
    failure: str | None = None,
    bundles: int = 60,
    tier: str = "acceptance",
    size: str = "full",
    options: tuple[str, ...] = (),
) -> dict:
    """One result; `seconds` is by the extraction clock, of all frames."""
    entry = entry or milestone
    per_frame, shares = LADDER[milestone]
    on_gpu = milestone not in ("baseline", "cpu-refactor")
    gpus = gpus if on_gpu else 0
    ranks = ranks or (gpus * ranks_per_gpu if on_gpu else 16)
    frames = len(CAMERAS)
    noise = random.Random(f"{entry} {day}")
    seconds = seconds or per_frame * frames / (1 if on_gpu else 16)
    extraction = [round(seconds * noise.uniform(0.985, 1.015), 4) for _ in range(repeats + 1)]
    effective = [round(s + noise.uniform(1.4, 1.6), 4) for s in extraction]
    start = f"2026-11-{day:02d}T08:00:00Z"
    whole = per_frame * frames * (1 if on_gpu else 16)
    samples = []
    for i in range(repeats + 1):
        wrong = failure if i == repeats else None
        phases = {}
        for stage, share in zip(STAGES, shares, strict=True):
            total = round(whole * share / sum(shares) * noise.uniform(0.97, 1.03), 5)
            each = round(total / ranks, 6)
            phases[stage] = {"min": each, "median": each, "max": each, "sum": total}
        samples.append(
            {
                "index": i,
                "warmup": i == 0,
                "seed": i + 1,
                "inputs_sha256": sha256(f"{compression} {i + 1}"),
                "outputs_sha256": sha256(f"out {i}"),
                "compared": True,
                "throttled": False,
                "warnings": [],
                "logged_s": extraction[i],
                "gpu_busy": None,
                "gpu_busy_before": None,
                "cpu_s": None,
                "other_cpu_s": None,
                "node_joules": None,
                "sustained": None,
                "start_utc": start,
                "exit_status": 1 if wrong else 0,
                "failure": wrong,
                "effective_s": effective[i],
                "extraction_s": extraction[i],
                "launch_s": round(effective[i] - extraction[i], 4),
                "phases": phases,
                "joules": [round(300 * extraction[i], 1)] * gpus if on_gpu else None,
                "max_rss_bytes": 2.1e9,
                "device_memory_bytes": 9.3e9 if on_gpu else None,
                "patches": 78 * bundles,
                "fell_back": 0,
                "failed_patches": 0,
            }
        )
    speed = None if failure else (effective[1:], extraction[1:])
    check = {
        "hdu": "FLUX",
        "what": "pull",
        "limit": 0.01,
        "largest": 0.0004,
        "compared": 100,
        "bad": 0,
        "first_bad": None,
    }
    program = "spex-gpu" if on_gpu else "spex-cpu"
    throttle = [
        {
            "uuid": uuid,
            "throttle_reasons": [],
            "temperature_max_c": 55,
            "clock_sm_max_mhz": 1980,
            "power_max_w": 420.0,
        }
        for uuid in UUIDS[:gpus]
    ]
    ceilings = (5.6e13, 4.0e12) if on_gpu else (4.0e10, 1.2e10)
    return {
        "run_id": f"sample-{day:02d}",
        "start_utc": start,
        "end_utc": f"2026-11-{day:02d}T09:00:00Z",
        "tier": tier,
        "division": "ported",
        "case": "sample" if compression == "none" else f"sample-{compression}",
        "milestone": milestone,
        "entry": entry,
        "plan": {"name": "sample", "sha256": sha256("plan")},
        "programs": {program: sha256(program), "spex-bench": sha256("spex-bench")},
        "libraries": {},
        "status": "failed" if failure else "complete",
        "build": {
            "version": "0.0.0",
            "commit": "0" * 40,
            "dirty": False,
            "sources_sha256": sha256("sources"),
            "compiler": "sample compiler 1.0",
            "flags": "-O3",
            "cuda": "13.0",
            "mpi": "Open MPI 4.1",
            "blas": "OpenBLAS 0.3",
            "lapack": "OpenBLAS 0.3",
            "cfitsio": "4.3",
            "gpu_architectures": "90",
        },
        "system": {
            "name": SYSTEM,
            "hosts": ["sample-host"],
            "nodes_allocated": 1,
            "cpu": "Sample CPU",
            "cpus": 16,
            "memory_bytes": 5e11,
            "os": "Sample OS",
            "kernel": "6.0",
            "driver": "580.0",
            "gpus": [gpu(i) for i in range(max(gpus, 1))],
            "gpus_reason": None,
        },
        "launch": {
            "argv": ["mpirun", "-n", str(ranks), program, "--milestone", milestone, *options],
            "alone": False,
            "variables": ["OMP_NUM_THREADS"],
            "environment": {"OMP_NUM_THREADS": "1"},
            "slurm": {},
            "launcher": "mpirun",
            "launcher_options": [],
            "nodes": 1,
            "ranks": ranks,
            "gpus_per_node": gpus,
            "ranks_per_gpu": ranks_per_gpu if on_gpu else None,
            "threads_per_rank": 1,
            "mps": ranks_per_gpu > 1,
            "binding": "none",
        },
        "inputs": {
            "generator": {
                "program": "spex-sim",
                "version": "0.0.0",
                "size": size,
                "cameras": ",".join(CAMERAS),
                "compression": compression,
            },
            "seeds": "plan",
            "storage": "tmpfs",
            "page_cache": "warm",
        },
        "work": {
            "frames": frames,
            "bundles": bundles,
            "scaled_to": scale_to,
            "has_fpnh": tier != "ci" and size == "full",
            "whole_exposure": False,
            "own_options": not options,
            "tolerance": "production",
            "sustain": None,
        },
        "costs": [],
        "ceilings": None,
        "threshold": None,
        "skipped": None,
        "error": None,
        "sustained": None,
        "unusual": [],
        "golden": [],
        "timing": {
            "warmups": 1,
            "repeats": repeats,
            "until": None,
            "samples": samples,
            "dropped": [],
            "extended": False,
            "run_log_sha256": None,
            "series_sha256": None,
        },
        "fom": {
            "frames_asked": frames,
            "frames_valid": 0 if failure else frames,
            "scaled_to": scale_to,
            "complete": False,
            "incomplete_because": [f"{frames} frame(s), not the 30 of an exposure at full size"],
            "nodes": 1,
            "gpus": gpus,
            "effective": figure(speed[0], frames, 1, gpus, tier) if speed else None,
            "extraction": figure(speed[1], frames, 1, gpus, tier) if speed else None,
        },
        "energy": {
            "joules_per_frame": None
            if failure or not on_gpu
            else statistics.median(sum(s["joules"]) / frames for s in samples[1:]),
            "reason": None if on_gpu and not failure else "the run used no GPU",
        },
        "health": {
            "before": snapshot(gpus) if on_gpu else None,
            "during": throttle if on_gpu else None,
            "after": snapshot(gpus) if on_gpu else None,
            "settings_changed": None,
            "reason": None if on_gpu else "no GPU was used",
        },
        "validation": {
            "failure": None,
            "together": [check | {"hdu": "all", "what": "|mean pull| of all frames"}],
            "frames": [
                {
                    "camera": camera,
                    "compared": repeats + 1,
                    "reference": True,
                    "checks": [check],
                    "truth": None,
                    "failure": failure,
                }
                for camera in CAMERAS
            ],
        },
        "scaling": scaling,
        "roofline": [
            {
                "stage": stage,
                "flops": flops,
                "bytes": moved,
                "seconds": statistics.median(s["phases"][stage]["sum"] for s in samples[1:]),
                "gpus": gpus,
                "ceiling_flops": ceilings[0],
                "ceiling_bytes": ceilings[1],
                "source": MADE_UP,
            }
            for stage, flops, moved in (
                ("spots", 4e10, 8e9),
                ("assemble", 2e11, 2e10),
                ("solve", 1.4e12, 1e10),
                ("decorrelate", 2.4e12, 3e10),
            )
        ]
        if scaling is None and not failure
        else [],
        "verdict": {
            "correctness": "fail" if failure else "pass",
            "performance": "not-judged",
            "health": "pass" if on_gpu else "unknown",
            "overall": "incorrect" if failure else "pass",
            "exit_status": 3 if failure else 0,
            "reasons": [failure] if failure else [],
        },
    }


def sweep(name: str, kind: str, x: float | str, bundles: int = 60) -> dict:
    return {"sweep": name, "kind": kind, "x": x, "bundles": bundles}


def results() -> list[dict]:
    """All of them."""
    made = [
        make(m, scale_to=30 if m in ("baseline", "cpu-refactor") else None, repeats=6)
        for m in LADDER
    ]
    # Other work: not to be put beside the others without a word.
    made.append(make("direct", entry="direct-30", options=("--nwavestep", "30"), repeats=6))
    made.append(
        make("direct", entry="direct-frame", options=("--flux", "frame"), seconds=2.8, repeats=6)
    )
    made.append(
        make(
            "cpu-refactor",
            entry="cpu-refactor-cholesky",
            seconds=8,
            options=("--method", "cholesky"),
        )
    )
    made.append(
        make(
            "direct",
            entry="direct-broken",
            failure="frame r0: IVAR: 12 of 100 bins differ by more than 0.01 (made-up failure)",
        )
    )
    ranks = [(gpus, n) for gpus in (1, 4) for n in (1, 2, 5)]
    made += [
        make(
            "batch-subbundle",
            entry=f"ranks-{gpus}gpu-{n}",
            gpus=gpus,
            ranks_per_gpu=n,
            seconds=round(60 / gpus / n**0.6, 3),
            scaling=sweep(f"ranks-per-gpu-{gpus}", "ranks-per-gpu", n),
        )
        for gpus, n in ranks
    ]
    made += [
        make(
            "pipeline",
            entry=f"gpus-{gpus}",
            gpus=gpus,
            seconds=round(3 / gpus**0.9, 3),
            scaling=sweep("gpus", "gpus", gpus),
        )
        for gpus in (1, 2, 4)
    ]
    made += [
        make(
            "cpu-refactor",
            entry=f"strong-{n}",
            ranks=n,
            seconds=round(400 / n**0.95, 3),
            scaling=sweep("strong-20", "strong", n, 20),
        )
        for n in (1, 2, 5, 10)
    ]
    made += [
        make(
            "cpu-refactor",
            entry=f"weak-{n}",
            ranks=n,
            seconds=round(20 * (1 + 0.02 * n), 3),
            scaling=sweep("weak", "weak", n, n),
        )
        for n in (1, 3, 7)
    ]
    made += [
        make(
            "direct",
            entry=f"nwavestep-{n}",
            seconds=round(2.0 + 8 / n + n / 60, 3),
            scaling=sweep("nwavestep", "nwavestep", n),
            options=("--nwavestep", str(n)),
        )
        for n in (10, 30, 50, 100)
    ]
    made += [
        make(
            "direct",
            entry=f"nsubbundles-{n}",
            seconds=round(2.0 + 0.1 * n, 3),
            scaling=sweep("nsubbundles", "nsubbundles", n),
            options=("--nsubbundles", str(n)),
        )
        for n in (5, 10)
    ]
    made += [
        make(
            "pipeline",
            entry=f"input-{compression}",
            compression=compression,
            seconds=round(1.2 + 0.9 * i, 3),
            scaling=sweep("input", "compression", f"sample-{compression}"),
        )
        for i, compression in enumerate(("none", "gz", "fz"))
    ]
    return made


def events(milestone: str) -> dict:
    """A run log: two ranks that extract, and with interleaving a reader and a writer."""
    log = []

    def add(rank: int, frame: int | None, stage: str, start: float, end: float) -> None:
        camera = None if frame is None else CAMERAS[frame % 3]
        bundle = 0 if stage == "extract" else None
        log.append(
            {
                "rank": rank,
                "frame": frame,
                "camera": camera,
                "bundle": bundle,
                "stage": stage,
                "start": round(start, 3),
                "end": round(end, 3),
            }
        )

    interleaved = milestone == "interleave-io"
    ranks = range(4 if interleaved else 2)
    workers = ranks[:2]
    for rank in workers:
        add(rank, None, "start", 0, 1)
    now = 1.0
    for frame in range(4):
        if interleaved:
            add(2, frame, "read", 1.5 * frame, 1.5 * frame + 0.8)
            begin = max(now, 1.5 * frame + 0.8)
        else:
            add(0, frame, "read", now, now + 0.8)
            begin = now + 0.8
        for rank in workers:
            add(rank, frame, "extract", begin, begin + 1.2 + 0.1 * rank)
        end = begin + 1.3
        add(0, frame, "gather", end, end + 0.1)
        add(3 if interleaved else 0, frame, "write", end + 0.1, end + 0.6)
        now = end + (0.1 if interleaved else 0.6)
    return {
        "schema": {"name": "spexbench-run-log", "major": 1, "minor": 0},
        "milestone": milestone,
        "ranks": [
            {"rank": r, "host": "sample-host", "max_rss_bytes": 1e9, "seconds": {}} for r in ranks
        ],
        "frames": [{"camera": CAMERAS[i % 3]} for i in range(4)],
        "events": log,
    }


def as_file(data: dict) -> dict:
    """The members of a result as its file has them: those of the record, and what is derived."""
    parts = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))["properties"]
    made = {"schema": {"name": "spexbench-result", "major": 2, "minor": 0}}
    for part in ("record", "derived"):
        known = parts[part]["properties"]
        made[part] = {key: value for key, value in data.items() if key in known}
    return made


def members_of(file: Path) -> dict:
    """The members of a result file."""
    data = json.loads(file.read_text(encoding="utf-8"))
    return data["record"] | data["derived"]


def text_of(data: dict) -> str:
    """JSON with a line for each member, so that changes can be read."""

    def lines(part: dict) -> str:
        return ",\n".join(f"  {json.dumps(key)}: {json.dumps(one)}" for key, one in part.items())

    if "schema" in data:  # a run log
        return json.dumps(data) + "\n"
    made = as_file(data)
    parts = [f' "{part}": {{\n{lines(made[part])}\n }}' for part in ("record", "derived")]
    return f'{{\n "schema": {json.dumps(made["schema"])},\n' + ",\n".join(parts) + "\n}\n"


def write_all(folder: Path) -> None:
    """A run in FOLDER/run, two later ones of an entry in FOLDER/later, tier ci in FOLDER/ci."""
    for name in ("run", "later", "ci"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for data in results():
        (folder / "run" / f"{data['entry']}.json").write_text(text_of(data))
    for milestone in ("batch-subbundle", "interleave-io"):
        (folder / "run" / f"{milestone}.events.json").write_text(text_of(events(milestone)))
    check = make("cpu-refactor", entry="check", tier="ci", size="bundle", seconds=2, bundles=3)
    (folder / "ci" / "check.json").write_text(text_of(check))
    for day, seconds in ((8, 1.19), (15, 0.96)):
        data = make("pipeline", day=day, seconds=seconds, repeats=5)
        (folder / "later" / f"pipeline-{day:02d}.json").write_text(text_of(data))


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    write_all(Path(sys.argv[1]))
