"""A page: its template, tables and figures become OUT/index.html, and each figure OUT/NAME.svg."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from spexreports.errors import UsageError
from spexreports.figures import style

TEMPLATES = Path(__file__).with_name("templates")
MADE_BY = '<meta name="generator" content="spexreports">'  # marks our pages
CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Picture:
    """A figure of the page, written as SVG."""

    name: str
    title: str
    caption: str
    svg: bytes

    @property
    def source(self) -> str:
        """The figure as a data URL, so that the page needs no other file."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode()


def picture(name: str, title: str, caption: str, drawn: Figure | None, out: Path) -> Picture | None:
    """Writes OUT/NAME.svg; None without a figure."""
    if drawn is None:
        return None
    path = style.save(drawn, out / f"{name}.svg")
    return Picture(name, title, caption, path.read_bytes())


def code(text: object) -> Markup:
    """Text as HTML, with words in backquotes as code."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


def write_page(
    out: Path,
    template: str,
    fill: Callable[[Path], dict[str, Any]],
    beside: dict[str, str] | None = None,
) -> list[Path]:
    """Fills a template and writes OUT/index.html by rename, after `fill` wrote the figures.

    `beside` are more templates and the files that they become. Throws UsageError if OUT has a page
    of another program.
    """
    page = out / "index.html"
    if page.exists() and MADE_BY.encode() not in page.read_bytes()[:2000]:
        raise UsageError("--out", f"{page} is not spexreports'", "a folder of its own")
    out.mkdir(parents=True, exist_ok=True)
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.filters["code"] = code
    members = fill(out)
    written = [out / f"{p.name}.svg" for p in members["pictures"].values() if p]
    for name, file in {**(beside or {}), template: page.name}.items():
        text = environment.get_template(name).render(made_by=Markup(MADE_BY), **members)
        partial = out / f".{file}.partial"
        partial.write_text(text, encoding="utf-8")
        written.append(partial.rename(out / file))
    return written
