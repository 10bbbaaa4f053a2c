"""Wall time from launch to exit, by activity."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spexreports.figures import style
from spexreports.results.result import Result
from spexreports.results.run_log import WALL, wall_parts
from spexreports.tables.headline import label

STYLES = {
    "launch": (style.GRAY, ""),
    "GPU start": (style.BLACK, ""),
    "read": (style.SKY, ""),
    "compute": (style.GREEN, ""),
    "write": (style.VERMILION, ""),
    "wait": ("#FFFFFF", "////"),
    "exit": (style.PURPLE, ""),
}


def _bar(axis: Axes, row: int, parts: dict[str, float], scale: float, height: float) -> None:
    left = 0.0
    for name in WALL:
        color, hatch = STYLES[name]
        width = parts[name] * scale
        label = name if row == 0 else None
        edge = {"edgecolor": style.GRAY if hatch else "white", "hatch": hatch, "lw": 0.4}
        axis.barh(row, width, height, left=left, color=color, label=label, **edge)
        left += width


def _legend(drawn: Figure) -> None:
    drawn.legend(loc="outside lower left", ncols=4, handlelength=1.2, columnspacing=1.0)


def wall_figure(results: list[Result]) -> Figure | None:
    """A bar for each result, in seconds; None without a run log."""
    found = [(r, parts) for r in results if (parts := wall_parts(r))]
    if not found:
        return None
    drawn, axes = style.figure(1.0 + 0.46 * len(found))
    axis = axes[0, 0]
    for row, (result, parts) in enumerate(found):
        _bar(axis, row, parts, 1.0, 0.5)
        total = sum(parts.values())
        text, style_of = f"{total:.1f} s", {"va": "center", "fontweight": "bold"}
        axis.annotate(text, (total, row), (4, 0), textcoords="offset points", **style_of)
        name = f"{label(result)}, {result.frames_asked} frames".replace("`", "")
        axis.text(0, row - 0.27, name, va="bottom", fontsize=style.FONT - 0.5)
    axis.set_yticks([])
    axis.spines["left"].set_visible(False)
    axis.set_ylim(len(found) - 0.65, -0.75)
    axis.margins(x=0.12)
    axis.set_xlim(left=0)
    axis.set_xlabel("seconds from launch to exit")
    _legend(drawn)
    return drawn


def share_figure(results: list[Result]) -> Figure | None:
    """A bar for each milestone on one system, in percent of its wall time."""
    found = [(r, parts) for r in results if (parts := wall_parts(r))]
    if not found:
        return None
    drawn, axes = style.figure(1.0 + 0.3 * len(found))
    axis = axes[0, 0]
    for row, (_, parts) in enumerate(found):
        total = sum(parts.values())
        _bar(axis, row, parts, 100 / total, 0.7)
        axis.text(101, row, f"{total:.3g} s", va="center", fontsize=style.FONT - 0.5)
    names = [
        r.milestone + ("" if r.frames_asked == 30 else f" ({r.frames_asked})") for r, _ in found
    ]
    axis.set_yticks(range(len(found)), labels=names)
    axis.set_ylim(len(found) - 0.5, -0.5)
    axis.set_xlim(0, 115)
    axis.set_xticks(range(0, 101, 25))
    axis.set_xlabel("per cent of the wall time")
    _legend(drawn)
    return drawn
