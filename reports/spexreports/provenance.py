"""Where the numbers come from: builds, systems, launches, clocks, health, validation, verdicts."""

import hashlib
import shlex
from pathlib import Path
from typing import Any

from spexreports.numbers import number
from spexreports.opening import held_to
from spexreports.page import Html, escape, heading, join, link, note, table
from spexreports.result import Result
from spexreports.section import by_group

LONGEST = 100  # characters of a value that a library makes

CLOCKS = (
    ("effective", "from before the launcher starts to the exit of the last process"),
    ("extraction", "from the first input opened, or GPU taken, to the last output closed"),
    ("phases", "seconds of the threads of a rank, by stage, as the run log has them"),
)

IDLE = "gpu-idle"  # a GPU between two runs lowers its clocks, and is well


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list):
        return ", ".join(_text(v) for v in value) or "–"
    # Some MPI libraries answer with lines of how they were configured; the first says what it is.
    first, *rest = str(value).strip().splitlines() or [""]
    return f"{first[:LONGEST]}…" if rest or len(first) > LONGEST else first


def _gib(value: float | None) -> str:
    return "–" if value is None else f"{value / 2**30:.0f} GiB"


def _build(result: Result) -> Html:
    return table(("build", ""), [(k, _text(v)) for k, v in result.json["build"].items()])


def _system(result: Result) -> Html:
    system = result.json["system"]
    rows = [(k, _text(v)) for k, v in system.items() if k not in ("gpus", "memory_bytes")]
    rows.append(("memory", _gib(system.get("memory_bytes"))))
    parts = [table(("system", ""), rows)]
    if system["gpus"]:
        head = (
            "GPU",
            "uuid",
            "name",
            "memory",
            "ECC",
            "MIG",
            "power limit (W)",
            "max. clocks SM, memory (MHz)",
            "PCIe",
        )
        parts.append(
            table(
                head,
                [
                    (
                        _text(g.get("index")),
                        _text(g.get("uuid")),
                        _text(g.get("name")),
                        _gib(g.get("memory_bytes")),
                        _text(g.get("ecc")),
                        _text(g.get("mig")),
                        _text(g.get("power_limit_w")),
                        f"{_text(g.get('clock_max_sm_mhz'))}, "
                        f"{_text(g.get('clock_max_memory_mhz'))}",
                        f"{_text(g.get('pcie_generation'))} × {_text(g.get('pcie_width'))}",
                    )
                    for g in system["gpus"]
                ],
            )
        )
    return join(parts)


def _environment(result: Result) -> dict[str, str]:
    launch = result.json["launch"]
    return {**launch["environment"], **launch["slurm"]}


def _variables(variables: dict[str, str]) -> Html:
    text = " ".join(f"{name}={value}" for name, value in variables.items())
    return _code(text) if text else Html("–")


def _launches(results: list[Result]) -> Html:
    """Command lines; variables that all entries share stand once, below."""
    environments = [_environment(r) for r in results]
    first = environments[0]
    shared = {k: v for k, v in first.items() if all(e.get(k) == v for e in environments)}
    rows = [
        (
            r.entry,
            f"{r.division}, {r.tier}",
            _code(shlex.join(r.json["launch"]["argv"])),
            _variables({k: v for k, v in own.items() if k not in shared}),
            _text(r.json["launch"]["binding"]),
        )
        for r, own in zip(results, environments, strict=True)
    ]
    head = ("entry", "division, tier", "launch", "its own variables", "binding")
    parts = [table(head, rows)]
    if shared:
        parts.append(note(join(["Variables of all entries: ", _variables(shared), "."])))
    return join(parts)


def _code(text: str) -> Html:
    return Html(f"<code>{escape(text)}</code>")


def _file(result: Result, out: Path) -> Html:
    """Which file the numbers are of: a link, and the beginning of its sha256."""
    digest = hashlib.sha256(result.file.read_bytes()).hexdigest()
    return join([link(result.file.name, result.file, out), " ", _code(digest[:12])])


def _health(result: Result) -> str:
    """Of the GPUs: why they slowed down, warmest, memory errors."""
    health = result.json["health"]
    during, after = health.get("during"), health.get("after")
    if not during:
        return _text(health.get("reason"))
    throttle = sorted({t for gpu in during for t in gpu["throttle_reasons"]} - {IDLE})
    warmest = [g["temperature_max_c"] for g in during if g.get("temperature_max_c") is not None]
    errors = [g["ecc_uncorrected"] for g in after or [] if g.get("ecc_uncorrected") is not None]
    parts = [f"slowed down: {', '.join(throttle)}" if throttle else "not slowed down"]
    if warmest:
        parts.append(f"at most {max(warmest):g} °C")
    if errors:
        parts.append(f"{sum(errors):g} uncorrected memory errors")
    if changed := health.get("settings_changed"):
        parts.append(f"set otherwise: {changed}")
    return "; ".join(parts)


def _validation(result: Result) -> str:
    return "; ".join([*held_to(result), *result.json["unusual"]])


def _verdict(result: Result) -> str:
    reasons = "; ".join(result.reasons)
    return f"{result.overall}: {reasons}" if reasons else result.overall


def _run(results: list[Result], out: Path) -> Html:
    first = results[0]
    parts = [heading(f"Run {first.run_id} on {first.system}")]
    plan = first.json["plan"]
    parts.append(note(f"Plan {plan.get('name')}, sha256 {plan.get('sha256')}."))
    # Entries of one run have one build, but results may have been put together by hand.
    builds = by_group(results, lambda r: str(r.json["build"]))
    parts += [_build(same[0]) for same in builds.values()]
    programs = {name: sha for r in results for name, sha in r.json.get("programs", {}).items()}
    if programs:
        rows = [(name, _code(sha)) for name, sha in sorted(programs.items())]
        parts.append(table(("program", "sha256"), rows))
    # Entries may see other GPUs (CUDA_VISIBLE_DEVICES); the one that lists most stands for all.
    parts.append(_system(max(results, key=lambda r: len(r.json["system"]["gpus"]))))
    parts.append(
        table(
            ("clock", "what it covers"),
            [
                *CLOCKS,
                ("page cache", _text(first.json["inputs"]["page_cache"])),
                ("storage", _text(first.json["inputs"]["storage"])),
            ],
        )
    )
    parts.append(_launches(results))
    parts.append(
        table(
            (
                "entry",
                "file, sha256",
                "warm-ups + timed runs",
                "health",
                "validation",
                "verdict",
            ),
            [
                (
                    r.entry,
                    _file(r, out),
                    f"{sum(s.warmup for s in r.samples)} + {len(r.timed)}",
                    _health(r),
                    _validation(r),
                    _verdict(r),
                )
                for r in results
            ],
            ["" if r.effective else "failed" for r in results],
        )
    )
    return join(parts)


def provenance(results: list[Result], out: Path) -> Html:
    """HTML of all runs, for a page in the folder `out`."""
    groups = by_group(results, lambda r: (r.run_id, r.system))
    return join(_run(group, out) for group in groups.values())
