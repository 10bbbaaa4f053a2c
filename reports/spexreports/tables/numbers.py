"""Formats numbers for readers."""

from spexreports.results.result import Statistic


def number(value: float) -> str:
    """Four significant digits, without an exponent."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def counted(count: int, noun: str, many: str = "") -> str:
    """A number with its noun: 1 frame, 6 frames."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def interval(found: Statistic) -> str:
    """Both ends, 27,002–28,192; empty for a single sample."""
    if found.low is None or found.high is None:
        return ""
    return f"{number(found.low)}–{number(found.high)}"


def speed(found: Statistic) -> str:
    """The median, with its interval in brackets."""
    span = interval(found)
    return f"{number(found.value)} ({span})" if span else number(found.value)


def factor(value: float) -> str:
    """A ratio: three digits below 100."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def gigabytes(value: float | None) -> str | None:
    """Bytes in GB; None if unknown."""
    return value and f"{value / 1e9:.3g}"


def time_text(seconds: float) -> str:
    """Three digits with a suitable unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 0.9995:
            return f"{seconds * scale:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds * 1e9:#.3g}".rstrip(".") + " ns"


def span_text(hours: float) -> str:
    """A duration: "52 s", "14 min", "3.2 h", "12 d"."""
    for unit, length in (("d", 24.0), ("h", 1.0), ("min", 1 / 60)):
        if hours >= (2 if unit == "d" else 1) * length:
            return f"{hours / length:.3g} {unit}"
    return f"{hours * 3600:.3g} s"
