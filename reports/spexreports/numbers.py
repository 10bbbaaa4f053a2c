"""Numbers as people read them."""

from spexreports.order_statistics import Estimate


def number(value: float) -> str:
    """Four significant digits, without an exponent."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 frame, 6 frames."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def interval(estimate: Estimate) -> str:
    """Both ends, 27,002–28,192; empty for a single sample."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{number(estimate.low)}–{number(estimate.high)}"


def interval_kind(estimate: Estimate, of: str) -> str:
    """What the interval is, in words; `of` is what there is one or more of."""
    if estimate.low is None:
        return f"a single {of}: no interval"
    kind = "" if estimate.confident else f"the range of {counted(estimate.count, of)}, "
    return f"{kind}a {100 * estimate.coverage:.0f}% interval"


def time_text(seconds: float) -> str:
    """Three digits with the unit that suits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 0.9995:
            return f"{seconds * factor:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds * 1e9:#.3g}".rstrip(".") + " ns"


def span_text(hours: float) -> str:
    """A stretch of time: "52 s", "14 min", "3.2 h", "12 d"."""
    for unit, length in (("d", 24.0), ("h", 1.0), ("min", 1 / 60)):
        if hours >= (2 if unit == "d" else 1) * length:
            return f"{hours / length:.3g} {unit}"
    return f"{hours * 3600:.3g} s"
