"""Where the numbers come from: campaigns, machines, launches, health, checks."""

import re
import shlex
from collections.abc import Iterable

from spexreports.results.checks import GpuCheck
from spexreports.results.result import Result
from spexreports.tables.headline import right_frames, verdict
from spexreports.tables.numbers import counted
from spexreports.tables.table import Table

IDLE = "gpu-idle"  # a GPU between two runs lowers its clocks, and is well


def _entries(names: Iterable[str]) -> str:
    """Names in backquotes; points of a sweep (NAME-1, NAME-2) together, as NAME-…."""
    stems: dict[str, list[str]] = {}
    for name in names:
        stems.setdefault(re.sub(r"-[\d.]+$", "", name), []).append(name)
    return ", ".join(
        f"`{stem}-…`" if len(members) > 1 else f"`{members[0]}`" for stem, members in stems.items()
    )


def campaigns_table(results: list[Result]) -> Table | None:
    """Which commit every entry of every system is of: a row for each plan that was run."""
    groups: dict[tuple, list[Result]] = {}
    for r in sorted(results, key=lambda r: (r.system, r.start, r.entry)):
        groups.setdefault((r.system, r.commit, r.plan), []).append(r)
    rows = []
    for (system, commit, plan), group in groups.items():
        gpus = max(r.gpus_per_node for r in group)
        parts = [counted(gpus, group[0].gpu)] if gpus else []
        rows.append(
            {
                "system": system,
                "used of a node": ", ".join([*parts, counted(group[0].cpus, "CPU")]),
                "commit": commit,
                "date": ", ".join(sorted({f"{r.start:%Y-%m-%d}" for r in group})),
                "plan": plan,
                "entries": _entries(sorted({r.entry for r in group})),
            }
        )
    words = ("used of a node", "commit", "date", "plan", "entries")
    return Table.of("campaigns", "Runs of plans", rows, words=words)


def checks_table(checks: list[GpuCheck]) -> Table | None:
    """What runs of ci/gpu-check found, the newest first."""
    rows = [
        {
            "commit": check.commit,
            "date": f"{check.utc:%Y-%m-%d}",
            "GPUs": counted(len(check.gpus), check.gpus[0]) if check.gpus else "–",
            "checks": str(check.checks),
            "failed": "; ".join(f"`{name}`" for name in check.failed) or "none",
        }
        for check in checks
    ]
    words = ("date", "GPUs", "failed")
    return Table.of("gpu-checks", "Checks of GPU machines (ci/gpu-check)", rows, words=words)


def _health(result: Result) -> str:
    """Of the GPUs: why they slowed down, the warmest, memory errors."""
    health = result.json["health"]
    during, after = health["during"], health["after"]
    if not during:
        return health["reason"] or "–"
    throttle = sorted({t for gpu in during for t in gpu["throttle_reasons"]} - {IDLE})
    warmest = [g["temperature_max_c"] for g in during if g["temperature_max_c"] is not None]
    errors = [g["ecc_uncorrected"] for g in after or [] if g["ecc_uncorrected"] is not None]
    parts = [f"slowed down: {', '.join(throttle)}" if throttle else "not slowed down"]
    parts += [f"at most {max(warmest):g} °C"] if warmest else []
    parts += [f"{sum(errors):g} uncorrected memory errors"] if errors else []
    parts += [f"settings changed: {changed}"] if (changed := health["settings_changed"]) else []
    return "; ".join(parts)


def machines_table(results: list[Result]) -> Table | None:
    """Each machine with its build, by run."""
    runs: dict[tuple, Result] = {}
    for r in results:
        key = r.system, r.run_id
        if key not in runs or r.gpus_per_node > runs[key].gpus_per_node:
            runs[key] = r
    rows = []
    for (system, run), r in runs.items():
        of, build = r.json["system"], r.json["build"]
        gpus = f"{len(of['gpus'])} × {r.gpu}, driver {of['driver']}" if r.gpu else "–"
        rows.append(
            {
                "run": run,
                "system": system,
                "CPUs": f"{of['cpus']} × {of['cpu']}, {of['memory_bytes'] / 2**30:.0f} GiB",
                "GPUs": gpus,
                "software": ", ".join(
                    str(text)
                    for text in (of["os"], build["compiler"], build["cuda"], build["mpi"])
                    if text
                ),
                "files on": f"{r.json['inputs']['storage']}; {r.json['inputs']['page_cache']}",
            }
        )
    return Table.of("machines", "Machines", rows, words=tuple(rows[0])[1:] if rows else ())


def entries_table(results: list[Result]) -> Table | None:
    """Each entry: verdict, frames, health, what is missing, and its command line."""
    rows = [
        {
            "system, plan, entry": f"{r.system}, {r.plan}, {r.entry}",
            "verdict": verdict(r),
            "right frames": right_frames([r]),
            "GPUs": _health(r),
            "not complete": "; ".join(r.why_incomplete) or "complete",
            "unusual": "; ".join(r.unusual) or "–",
            "command": shlex.join(r.json["launch"]["argv"]),
        }
        for r in results
    ]
    words = tuple(rows[0])[1:] if rows else ()
    return Table.of("entries", "Entries", rows, words=words)
