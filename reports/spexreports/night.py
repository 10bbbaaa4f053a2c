"""Long runs: exposures without a pause, what a night takes, and how the machine was meanwhile."""

import json
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spexreports import style
from spexreports.errors import DataError
from spexreports.numbers import interval, number, span_text
from spexreports.order_statistics import Estimate, median
from spexreports.page import Footnotes, Html, heading, join, link, note, small, table
from spexreports.published import read_published
from spexreports.result import Result
from spexreports.section import Missing, Picture, systems
from spexreports.work import has_fpnh, why_incomplete

SERIES = ("spexbench-series", 1)
BUSY = "busy, %"
HALF_AN_HOUR = 1800
HEAD = (
    "system, entry",
    "frames",
    "distinct",
    "steady, s",
    "FPNH, steady",
    "FPNH, launch to exit",
    "drift over it, %",
    "J a frame: GPUs, node",
    "CPUs busy",
    "a night",
    "a year, node-hours",
    "all again, node-hours",
)


def long_runs(results: list[Result]) -> list[Result]:
    """Those of whole frames with a steady part, by system and entry."""
    chosen = [r for r in results if has_fpnh(r) and (r.json.get("sustained") or {}).get("fpnh")]
    return sorted(chosen, key=lambda r: (r.system, r.entry))


def _timed(result: Result) -> list[dict[str, Any]]:
    counted = {s.round for s in result.timed}
    return [s for s in result.json["timing"]["samples"] if s["index"] in counted]


def series_file(result: Result) -> Path:
    """Beside the result; it may not exist."""
    return result.file.with_name(result.file.name.removesuffix(".json") + ".series.json")


def read_series(file: Path) -> dict[str, Any]:
    """What a long run's machine was like; throws DataError."""
    expected = "a series of spex-bench"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if (data["schema"]["name"], data["schema"]["major"]) != SERIES:
            raise DataError(file, f"is of another schema: {data['schema']}", expected)
        looks = len(data["seconds"])
        lists = [data["frames"], data["cpu_busy"], data["cpu_mhz"]]
        lists += [data["node"][key] for key in ("energy_j", "power_w")]
        for gpu in data["gpus"]:
            keys = ("temperature_c", "clock_sm_mhz", "power_w", "energy_j", "busy")
            lists += [gpu[key] for key in keys]
        if any(len(one) != looks for one in lists):
            raise DataError(file, "has lists of other lengths than its times", expected)
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise DataError(file, f"is broken: {error}", expected) from error
    return data


def _percent(drift: dict[str, Any] | None, seconds: float, notes: Footnotes) -> Html | str:
    """The change of the rate over the steady part."""
    if drift is None:
        return "–"
    part = 100 * seconds / 3600
    covers = f"a {100 * drift['coverage']:.1f}% interval, by pairs of blocks half a run apart"
    ends = f"{part * drift['low']:+.1f} to {part * drift['high']:+.1f}"
    below = small(join([f" {ends}", notes.mark(covers)]))
    return join([f"{part * drift['median']:+.1f}", below])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _energy(samples: list[dict[str, Any]], frames: int) -> str:
    gpus = [sum(s["joules"]) / frames for s in samples if s["joules"]]
    node = [s["node_joules"] / frames for s in samples if s["node_joules"] is not None]
    return ", ".join(number(_mean(part)) if part else "–" for part in (gpus, node))


def _cpus_busy(result: Result, samples: list[dict[str, Any]]) -> str:
    parts = [s["cpu_s"] / s["effective_s"] / result.cpus for s in samples if s["cpu_s"] is not None]
    return f"{100 * _mean(parts):.0f}%" if parts else "–"


def sustained(result: Result) -> Estimate:
    """FPNH of a long run over distinct inputs; of its timed runs."""
    return median(tuple(result.json["sustained"]["fpnh"]["samples"]))


def lasted_as_asked(result: Result) -> bool:
    """Whether the steady parts were half an hour, or all frames that the plan has."""
    asked, parts = result.json["sustained"], [s["sustained"]["soak"] for s in _timed(result)]
    if not parts or not all(parts):
        return False
    if asked["asked_s"] is None:
        return True
    return min(part["seconds"] for part in parts) >= max(asked["asked_s"], HALF_AN_HOUR)


def _row(result: Result, notes: Footnotes, out: Path) -> list[object]:
    samples, fpnh, survey = _timed(result), sustained(result), read_published().survey
    last = samples[-1]["sustained"]
    year = survey.night_frames * survey.nights_a_year
    span = interval(fpnh)
    return [
        join(
            [
                f"{result.system}, ",
                link(result.entry, result.file, out),
                notes.mark(*(f"not complete: {why}" for why in why_incomplete(result))),
            ]
        ),
        number(result.frames_asked),
        last["inputs"],
        f"{_mean([s['sustained']['soak']['seconds'] for s in samples]):.1f}",
        join([number(fpnh.value), small(f" {span}") if span else ""]),
        number(result.effective.fpnh.value),
        _percent(result.json["sustained"]["drift_per_hour"], last["soak"]["seconds"], notes),
        _energy(samples, result.frames_asked),
        _cpus_busy(result, samples),
        span_text(survey.night_frames / fpnh.value / result.nodes),
        number(year / fpnh.value),
        number(survey.reduction_frames / fpnh.value),
    ]


def night_table(results: list[Result], out: Path) -> Html | None:
    """HTML: a row a long run; None where there is none."""
    chosen, notes = long_runs(results), Footnotes()
    if not chosen:
        return None
    survey = read_published().survey
    text = (
        "Sustained FPNH is over the first frames, whose inputs all differ; the run goes on with "
        "the same inputs, to show drift. A steady part leaves out 30 frames at either end, or a "
        "tenth of the frames where that is less. The first frame of each input was compared with "
        "the CPU extractor's and the truth, the others by their bytes. A night has "
        f"{survey.night_frames:,} frames, a year {survey.nights_a_year} such nights; all again are "
        f"{survey.reduction_frames:,} frames."
    )
    rows = [_row(r, notes, out) for r in chosen]
    body = table(HEAD, rows, numbers=range(1, len(HEAD)))
    return join([heading("Long runs"), body, note(text), notes.html()])


def _known(xs: list[float], ys: list[float | None]) -> tuple[list[float], list[float]]:
    pairs = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
    return [x for x, _ in pairs], [y for _, y in pairs]


def _draw_rate(axis: Axes, result: Result, minutes: float) -> None:
    blocks = _timed(result)[-1]["sustained"]["soak"]["blocks"]
    edges = [blocks[0]["begin_s"] / minutes]
    edges += [(b["begin_s"] + b["seconds"]) / minutes for b in blocks]
    rates = [3600 * b["frames"] / b["seconds"] / result.nodes for b in blocks]
    axis.stairs(rates, edges, baseline=None, color=style.BLUE, lw=1.0)
    axis.axhline(result.json["sustained"]["fpnh"]["median"], color=style.GREY, ls=":", lw=0.8)
    axis.set_ylim(0, 1.15 * max(rates))
    style.thousands(axis.yaxis)
    axis.set_ylabel("FPNH")


def _draw_lines(axis: Axes, xs: list[float], lines: list[tuple[str, list]], label: str) -> None:
    for i, (name, values) in enumerate(lines):
        x, y = _known(xs, values)
        if y:
            axis.plot(x, y, lw=0.8, color=style.CYCLE[i % len(style.CYCLE)], label=name)
    axis.set_ylabel(label)
    axis.margins(y=0.15)
    if label == BUSY:
        axis.set_ylim(0, 105)
    if len(axis.lines) > 1:
        axis.legend(ncols=5, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)


def _panels(series: dict[str, Any]) -> list[tuple[str, list[tuple[str, list]]]]:
    """Label and lines of those that were measured."""
    gpus = series["gpus"]
    names = [f"GPU {i}" for i in range(len(gpus))]

    def of_gpus(key: str, factor: float = 1) -> list[tuple[str, list]]:
        scaled = [[None if v is None else v * factor for v in gpu[key]] for gpu in gpus]
        return list(zip(names, scaled, strict=True))

    node = [] if series["node"]["source"] is None else [("node", _node_power(series))]
    busy = [("CPUs", [None if v is None else 100 * v for v in series["cpu_busy"]])]
    # The GPUs come first, so that each has its colour in all panels.
    wanted = [
        ("°C", of_gpus("temperature_c")),
        ("SM clock, MHz", of_gpus("clock_sm_mhz")),
        ("W", of_gpus("power_w") + node),
        (BUSY, of_gpus("busy", 100) + busy),
    ]
    if not gpus:
        wanted[1] = ("CPU clock, MHz", [("mean of those in use", series["cpu_mhz"])])
    return [
        (label, lines)
        for label, lines in wanted
        if any(value is not None for _, values in lines for value in values)
    ]


def _node_power(series: dict[str, Any]) -> list[float | None]:
    """As the meter gives it, or from its energy between the looks."""
    node, times = series["node"], series["seconds"]
    if any(v is not None for v in node["power_w"]):
        return node["power_w"]
    joules, power = node["energy_j"], [None]
    for i in range(1, len(times)):
        known = joules[i] is not None and joules[i - 1] is not None and times[i] > times[i - 1]
        power.append((joules[i] - joules[i - 1]) / (times[i] - times[i - 1]) if known else None)
    return power


def _draw(result: Result, series: dict[str, Any]) -> Figure:
    long = series["seconds"][-1] > 300
    unit = 60.0 if long else 1.0
    # The blocks' clock begins with the first frame that was written.
    first = next((s for s, f in zip(series["seconds"], series["frames"], strict=True) if f), 0.0)
    xs = [(s - first) / unit for s in series["seconds"]]
    panels = _panels(series)
    figure, axes = style.column_figure(
        24 + 22 * (1 + len(panels)), nrows=1 + len(panels), sharex=True
    )
    _draw_rate(axes[0, 0], result, unit)
    for axis, (label, lines) in zip(axes[1:, 0], panels, strict=True):
        _draw_lines(axis, xs, lines, label)
    axes[-1, 0].set_xlabel(f"{'minutes' if long else 's'} since the first frame")
    figure.suptitle(systems([result]) + f": {result.entry}", x=0.01, ha="left")
    return figure


def night_figure(results: list[Result]) -> list[Picture] | Missing:
    """Speed, temperatures, clocks, power and use over the time of each long run."""
    pictures = []
    for result in long_runs(results):
        file = series_file(result)
        if not file.exists():
            continue
        series = read_series(file)
        node = series["node"]
        counter = (
            f"Power of the node by {node['source']}: {node['covers']}."
            if node["source"]
            else f"Power of the node is not known: {node['covers']}."
        )
        caption = (
            "FPNH of each of 20 parts of the steady run, and over distinct inputs (dotted); then "
            f"what the machine said of itself every {series['every_s']:g} s. {counter}"
        )
        name = "night" if not pictures else f"night-{len(pictures) + 1}"
        pictures.append(Picture(name, _draw(result, series), caption))
    return pictures or Missing("no long run (tier night) with its series beside it")
