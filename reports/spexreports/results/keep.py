"""Keeps results in a tree SYSTEM/PLAN/ENTRY.json; newer ones replace older ones."""

import json
import re
from pathlib import Path
from typing import Any

from spexreports.errors import UsageError
from spexreports.results.read import find, parse_result, read_json
from spexreports.results.run_log import EVENT
from spexreports.results.sources import check_commit, name_commit

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def _line(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def compact(data: dict[str, Any]) -> str:
    """JSON without spaces, one line per member of the record and of the derived part."""
    parts = [f'"schema":{_line(data["schema"])}']
    for key in ("record", "derived"):
        members = ",\n".join(f"{_line(name)}:{_line(value)}" for name, value in data[key].items())
        parts.append(f'"{key}":{{\n{members}}}')
    return "{" + ",\n".join(parts) + "}\n"


def keep_worst_checks(data: dict[str, Any]) -> None:
    """Keeps only the worst of each check over all frames, in the first frame.

    Checks that found no difference are dropped. A result with a failed check stays unchanged.
    """
    frames = data["record"]["validation"]["frames"]
    checks = [check for frame in frames for check in frame["checks"]]
    if any(check["bad"] or check["largest"] is None for check in checks):
        return
    worst: dict[tuple[str, str], dict[str, Any]] = {}
    for check in checks:
        if not check["largest"]:
            continue
        key = (check["hdu"], check["what"])
        if key not in worst or check["largest"] > worst[key]["largest"]:
            worst[key] = check
    for frame in frames:
        frame["checks"] = []
    if frames:
        frames[0]["checks"] = list(worst.values())


def drop_unread(record: dict[str, Any]) -> None:
    """Drops what no table or figure reads.

    These are the environment, hashes of libraries, checks of passed golden cases, the errors of
    each correct frame against the truth (those of all frames together stay), the stages of
    warm-ups, and the differences of stage times between ranks.
    """
    for case in record["golden"]:
        if case["failure"] is None:
            case["checks"] = []
    for frame in record["validation"]["frames"]:
        if frame["failure"] is None:
            frame["truth"] = None
    record["libraries"] = {}
    record["launch"]["environment"] = {}
    record["launch"]["variables"] = []
    programs = record["programs"]
    record["programs"] = {k: v for k, v in programs.items() if not k.startswith("lib")}
    for sample in record["timing"]["samples"]:
        # Stage times are medians of the timed runs.
        phases = {} if sample["warmup"] else sample["phases"]
        sample["phases"] = {stage: {"sum": seconds["sum"]} for stage, seconds in phases.items()}


def compact_log(log: dict[str, Any]) -> dict[str, Any]:
    """The part of a run log that figures draw: the spans of its ranks."""
    events = [{name: event[name] for name in EVENT} for event in log["events"]]
    return {"schema": log.get("schema"), "events": events}


def keep(
    paths: list[Path], into: Path, system: str | None, events: bool, commit: str | None = None
) -> list[Path]:
    """Writes the results of files and folders into the tree; returns the written files.

    `system` replaces the name of the machine, and `commit` the name of the commit, if the hash of
    its sources is the result's. No figure changes: the text is the same JSON without spaces, with
    the worst of each check and without what drop_unread drops. Series are always kept, run logs
    with `events`.
    """
    written = []
    for result in find(paths).results:
        data = read_json(result.file)
        if system:
            data["record"]["system"]["name"] = system
        if commit:
            name_commit(result.file, data["record"]["build"], commit)
        check_commit(result.file, data["record"]["build"])
        keep_worst_checks(data)
        drop_unread(data["record"])
        kept = parse_result(result.file, data)
        for what, name in (("system", kept.system), ("plan", kept.plan), ("entry", kept.entry)):
            if not NAME.fullmatch(name):
                raise UsageError(what, f"{name!r} cannot name a file", "letters, digits, . _ -")
        folder = into / kept.system / kept.plan
        folder.mkdir(parents=True, exist_ok=True)
        texts = {f"{kept.entry}.json": compact(data)}
        for kind in ("series", *(("events",) if events else ())):
            if (beside := result.beside(kind)).exists():
                content = read_json(beside)
                content = compact_log(content) if kind == "events" else content
                texts[f"{kept.entry}.{kind}.json"] = _line(content) + "\n"
        (folder / f"{kept.entry}.events.json").unlink(missing_ok=True)
        for name, text in texts.items():
            partial = folder / f".{name}.partial"
            partial.write_text(text, encoding="utf-8")
            written.append(partial.rename(folder / name))
    return written
