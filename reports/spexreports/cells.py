"""Cells of tables that several sections share."""

from spexreports.numbers import interval, interval_kind, number
from spexreports.order_statistics import Estimate
from spexreports.page import Footnotes, Html, join, small


def speed_cell(estimate: Estimate, notes: Footnotes, of: str = "run") -> Html:
    """The median, below it its interval, with a note where that covers less than 95%."""
    weak = [] if estimate.confident else [interval_kind(estimate, of)]
    span = interval(estimate)
    below = small(join([span, notes.mark(*weak)])) if span else notes.mark(*weak)
    return join([number(estimate.value), below])
