"""The verdicts of spex-bench: accepted or not, and why."""

from spexreports.results.result import Result
from spexreports.results.work import exposures, fastest, standard
from spexreports.tables.headline import headlines, machine

WORDS = ("no", "yes", "open")
# What the members of a threshold ask for.
TARGETS = {
    "fpnh_effective": "at least {} FPNH",
    "fpnh_extraction": "at least {} FPNH of extraction alone",
    "fpnh_sustained": "at least {} FPNH in a long run",
    "seconds_effective": "at most {} s an exposure",
    "seconds_extraction": "at most {} s of extraction alone",
}


def verdict(result: Result) -> str:
    """The verdict of spex-bench, and its threshold."""
    found, asked = result.json["verdict"], result.json["threshold"]
    if asked:
        target = ", ".join(f"{key} {value:g}" for key, value in asked.items() if value is not None)
        speed_text = f"held to {target}: speed {found['performance']}, "
    else:
        speed_text = "speed not judged, as no target was stated (`spex-bench --thresholds FILE`): "
    overall = "" if found["overall"] == "pass" and not asked else f"{found['overall']}, "
    text = f"{overall}{speed_text}correctness {found['correctness']}, health {found['health']}"
    return text + "".join(f"; {reason}" for reason in found["reasons"])


def judged(results: list[Result]) -> list[Result]:
    """The headlines; without a threshold, the fastest exposure of the system that has one."""
    held: dict[str, list[Result]] = {}
    for r in exposures(results):
        if standard(r) and r.json["threshold"]:
            held.setdefault(r.system, []).append(r)
    return [
        h if h.json["threshold"] or h.system not in held else fastest(held[h.system])
        for h in headlines(results)
    ]


def _asked(result: Result) -> str:
    """The threshold in a newcomer's words."""
    asked = result.json["threshold"]
    margin = f", less {100 * asked['margin']:g}%" if asked["margin"] else ""
    return " and ".join(
        f"{TARGETS[name].format(f'{value:,g}')}{margin if name.startswith('fpnh') else ''}"
        for name, value in asked.items()
        if name in TARGETS and value is not None
    )


def _in_short(result: Result) -> str:
    """The verdict without names of runs and of members of files."""
    found = result.json["verdict"]
    speed = "not judged (`spex-bench accept` judges it)"
    if result.json["threshold"]:
        speed = f"{found['performance']} (asked: {_asked(result)})"
    overall = "" if found["overall"] == "pass" else f"{found['overall']}: "
    text = f"{overall}speed {speed}, correctness {found['correctness']}, health {found['health']}"
    return text + "".join(f"; {reason}" for reason in found["reasons"])


def _word(result: Result) -> str:
    """Whether a result was accepted: no, yes or open."""
    if result.overall != "pass":
        return "no"
    return "yes" if result.json["threshold"] else "open"


def _name(result: Result, results: list[Result]) -> str:
    """The machine, and its system where another system has the same machine."""
    name = machine(result)
    same = {r.system for r in results if machine(r) == name}
    return name if len(same) == 1 else f"{name} ({result.system})"


def verdicts(results: list[Result]) -> list[tuple[str, str, str]]:
    """Machines, their verdict, and no, yes or open, in this order; equal verdicts appear once."""
    machines: dict[tuple[str, str], list[str]] = {}
    for r in results:
        machines.setdefault((_word(r), _in_short(r)), []).append(_name(r, results))
    ordered = sorted(machines, key=lambda key: WORDS.index(key[0]))
    return [(", ".join(dict.fromkeys(machines[key])), key[1], key[0]) for key in ordered]


def accepted(results: list[Result]) -> str:
    """Which machines are accepted, for the first screen of a document."""
    found, said = judged(results), []
    for word, start in (("no", "No"), ("yes", "Yes"), ("open", "Not judged")):
        those = [r for r in found if _word(r) == word]
        asked = "; ".join(dict.fromkeys(_asked(r) for r in those if r.json["threshold"]))
        names = ", ".join(dict.fromkeys(_name(r, found) for r in those))
        said += [f"{start}{f' ({asked})' if asked else ''}: {names}."] if those else []
    return " ".join(said)


def failures(results: list[Result]) -> list[str]:
    """Entries that do not pass, with the reasons."""
    return [
        f"{r.system}, {r.entry}: {r.overall}: {'; '.join(r.reasons) or r.skipped or r.error or ''}"
        for r in results
        if r.overall != "pass"
    ]
