"""The origin of the numbers: campaigns, machines, launches, health, checks."""

import re
import shlex
from collections.abc import Iterable

from spexreports.results.checks import GpuCheck
from spexreports.results.peer import PeerResult
from spexreports.results.published import read_published
from spexreports.results.result import Result
from spexreports.tables.agreement import right_frames
from spexreports.tables.headline import headlines, label
from spexreports.tables.numbers import counted, speed
from spexreports.tables.peer import speed_of_peer
from spexreports.tables.table import Table
from spexreports.tables.verdicts import verdict

IDLE = "gpu-idle"  # normal: an idle GPU lowers its clocks

# Said of results that are older than the rules.
NOT_COMPLETE = "Not complete: right, but without all that the run rules ask (docs/benchmark.md)."


def origins(results: list[Result], peers: list[PeerResult], paper: bool = True) -> str:
    """The run, commit and date of each row of the summary; empty without a row."""
    found = headlines(results)
    if not found:
        return ""
    entries = [
        f"{label(r)}: `{r.entry}` of {r.system} ({r.commit}, {r.start:%Y-%m-%d}"
        f"{', not complete' if r.why_incomplete else ''})"
        for r in found
    ]
    beside = [speed_of_peer(peers, r) for r in found]
    said = [f"The paper: {read_published().best.milestone}, table 1."] if paper else []
    said += [f"Here: {'; '.join(entries)}.", *dict.fromkeys(one.note for one in beside if one)]
    said += [NOT_COMPLETE] if any(r.why_incomplete for r in found) else []
    return " ".join(said)


def _entries(names: Iterable[str]) -> str:
    """Names in backquotes; points of a sweep (NAME-1, NAME-2) are merged into NAME-…."""
    stems: dict[str, list[str]] = {}
    for name in names:
        stems.setdefault(re.sub(r"-[\d.]+$", "", name), []).append(name)
    return ", ".join(
        f"`{stem}-…`" if len(members) > 1 else f"`{members[0]}`" for stem, members in stems.items()
    )


def _machine(result: Result) -> str:
    of, build = result.json["system"], result.json["build"]
    parts = [f"{of['cpus']} × {of['cpu']}, {of['memory_bytes'] / 2**30:.0f} GiB"]
    parts += [f"{len(of['gpus'])} × {result.gpu}, driver {of['driver']}"] if result.gpu else []
    parts += filter(None, (of["os"], build["compiler"], build["cuda"], build["mpi"]))
    return "; ".join(parts)


def campaigns_table(results: list[Result]) -> Table | None:
    """Commit and machine of every entry: a row per plan that was run."""
    groups: dict[tuple, list[Result]] = {}
    for r in sorted(results, key=lambda r: (r.system, r.start, r.entry)):
        groups.setdefault((r.system, r.commit, r.plan, _machine(r)), []).append(r)
    rows = []
    for (system, commit, plan, machine), group in groups.items():
        storage = sorted({r.json["inputs"]["storage"] for r in group})
        rows.append(
            {
                "system": system,
                "GPUs used": str(max(r.gpus_per_node for r in group)),
                "commit": commit,
                "date": ", ".join(sorted({f"{r.start:%Y-%m-%d}" for r in group})),
                "plan": plan,
                "entries": _entries(sorted({r.entry for r in group})),
                "machine": machine,
                "files on": ", ".join(storage),
            }
        )
    text_columns = ("commit", "date", "plan", "entries", "machine", "files on")
    return Table.of("campaigns", "Runs of plans", rows, text_columns=text_columns)


def checks_table(checks: list[GpuCheck]) -> Table | None:
    """Results of ci/gpu-check, newest first."""
    columns = {
        "commit": lambda c: c.commit,
        "date": lambda c: f"{c.utc:%Y-%m-%d}",
        "GPUs": lambda c: counted(len(c.gpus), c.gpus[0]) if c.gpus else None,
        "checks": lambda c: str(c.checks),
        "failed": lambda c: "; ".join(f"`{name}`" for name in c.failed) or "none",
    }
    title, text_columns = "Checks of GPU machines (ci/gpu-check)", ("date", "GPUs", "failed")
    return Table.by_column("gpu-checks", title, checks, columns, text_columns=text_columns)


def _cpu_health(cpu: dict | None) -> list[str]:
    """Health of the CPUs and the memory: what the counters say; empty without counters."""
    if not cpu:
        return []
    before, after = cpu["before"], cpu["after"]
    errors, hot = after["memory_uncorrected"], after["throttled"]
    parts = [f"{errors:g} uncorrected errors of the node's memory"] if errors is not None else []
    return parts + (
        [f"cores too hot {hot - before['throttled']:g} times"] if hot is not None else []
    )


def _health(result: Result) -> str:
    """Health of CPUs and GPUs: throttling, the highest temperature, memory errors."""
    health = result.json["health"]
    during, after = health["during"], health["after"]
    cpu = _cpu_health(health.get("cpu"))
    if not during:
        return "; ".join(cpu) or health["reason"] or "–"
    throttle = sorted({t for gpu in during for t in gpu["throttle_reasons"]} - {IDLE})
    warmest = [g["temperature_max_c"] for g in during if g["temperature_max_c"] is not None]
    errors = [g["ecc_uncorrected"] for g in after or [] if g["ecc_uncorrected"] is not None]
    parts = [*cpu, f"slowed down: {', '.join(throttle)}" if throttle else "not slowed down"]
    parts += [f"at most {max(warmest):g} °C"] if warmest else []
    parts += [f"{sum(errors):g} uncorrected memory errors"] if errors else []
    parts += [f"settings changed: {changed}"] if (changed := health["settings_changed"]) else []
    return "; ".join(parts)


def entries_table(results: list[Result]) -> Table | None:
    """Each entry: verdict, seconds, frames, health, and what is missing."""
    columns = {
        "system, plan, entry": lambda r: f"{r.system}, {r.plan}, {r.entry}",
        "verdict": lambda r: r.overall,
        "s": lambda r: speed(r.effective.seconds) if r.effective else None,
        "frames": lambda r: right_frames([r]),
        "judged": verdict,
        "health": _health,
        "not complete": lambda r: "; ".join(r.why_incomplete) or "complete",
        "unusual": lambda r: "; ".join(r.unusual) or "–",
    }
    text_columns = tuple(name for name in columns if name != "s")
    return Table.by_column("entries", "Entries", results, columns, text_columns=text_columns)


def commands(results: list[Result]) -> list[tuple[str, str]]:
    """Each entry and its command line."""
    return [
        (f"{r.system}, {r.plan}, {r.entry}", shlex.join(r.json["launch"]["argv"])) for r in results
    ]
