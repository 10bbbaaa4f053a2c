"""Tables of an acceptance: the judged speeds, and the machine."""

from typing import Any

from spexreports.results.acceptance import Acceptance
from spexreports.tables.table import NONE, Table

EXPOSURE = 30  # frames


def readable(value: float | None) -> str:
    """Three digits, and thousands with commas."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _times(speed: dict[str, Any]) -> str:
    return f"{readable(speed['ratio'])} ×" if speed["ratio"] else NONE


def _unit(speed: dict[str, Any]) -> str:
    if speed["unit"] == "FPNH":
        return "FPNH"
    frames = speed["frames"]
    return "s an exposure" if frames == EXPOSURE else f"s for {frames} frame(s)"


def speeds_table(found: Acceptance) -> Table | None:
    """The speeds that were judged: verdict, measured and required."""
    rows = [
        {
            "entry": f"`{speed['entry']}`",
            "verdict": speed["verdict"],
            "measured": f"{readable(speed['measured'])} {_unit(speed)}",
            "interval": f"{readable(speed['low'])} to {readable(speed['high'])}",
            "required": f"{'at most' if speed['unit'] == 's' else 'at least'} "
            f"{readable(speed['limit'])}",
            "as fast as required": _times(speed),
            "runs or parts": str(speed["runs"]),
            "what": speed["what"],
        }
        for speed in found.judgment["speeds"]
    ]
    note = (
        "Medians. Seconds of an exposure of 30 frames run from launch to exit; FPNH are frames per "
        "node-hour. A long run has parts instead of runs."
    )
    text_columns = ("verdict", "measured", "interval", "required", "what")
    return Table.of("accepted", "Judged speeds", rows, note, text_columns=text_columns)


def tables_of(found: Acceptance) -> tuple[Table | None, Table]:
    """Its tables: speeds, and facts."""
    return speeds_table(found), facts_table(found)


def _words(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,g}" if isinstance(value, float) else str(value)


def facts_table(found: Acceptance) -> Table:
    """The system and the build, as spex-bench found them."""
    system, build = found.json["system"], found.json["build"]
    gpus = system["gpus"]
    rows = {
        "hosts": system["hosts"],
        "CPUs": f"{system['cpus']} of {system['cpu']}",
        "memory, GB": system["memory_bytes"] / 1e9,
        "GPUs": f"{len(gpus)} × {gpus[0]['name']}" if gpus else "none",
        "driver": system["driver"],
        "system": f"{system['os']}, kernel {system['kernel']}",
    }
    rows |= {name.replace("_", " "): fact for name, fact in system.get("facts", {}).items()}
    rows |= {name: build[name] for name in ("compiler", "flags", "mpi", "blas", "cuda", "cfitsio")}
    rows["files on"] = found.json["inputs"]["storage"]
    table = [{"fact": name, "value": _words(value)} for name, value in rows.items()]
    return Table.of("facts", "The machine and the build", table, text_columns=("value",))
