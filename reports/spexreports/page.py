"""One HTML page that needs no other file: tables as HTML, pictures as data URIs."""

import base64
import html
import io
import os
from collections.abc import Iterable
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from spexreports import style
from spexreports.errors import UsageError
from spexreports.section import Missing, Picture

CSS = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 72em; margin: 2em auto;
  padding: 0 1.2em; }
h1 { font-size: 1.7em; line-height: 1.2; margin-bottom: 0.3em; }
h2 { font-size: 1.3em; margin: 2.2em 0 0.6em; border-top: 1px solid #ccc; padding-top: 0.6em; }
h3 { font-size: 1.05em; margin: 1.6em 0 0.4em; }
p, ul, ol { max-width: 52em; }
a { color: #00588a; }
nav { font-size: 0.9em; } nav a { margin-right: 1em; white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85em; line-height: 1.35; margin: 0.8em 0; }
th, td { border-bottom: 1px solid #ddd; padding: 0.3em 0.6em; text-align: left;
  vertical-align: top; }
thead th { border-bottom: 2px solid #222; vertical-align: bottom; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th.n { white-space: normal; }
table.cards thead th { font-weight: normal; border-bottom-width: 1px; vertical-align: top; }
tbody td:first-child { min-width: 11em; }
.n small { display: block; }
small { color: #555; font-size: 0.9em; }
tr.group th { border-bottom: 1px solid #888; padding-top: 0.8em; }
tr.paper { color: #666; } tr.failed { background: #f8e3d6; } tr.ours { background: #eef5fa; }
table.cards { table-layout: fixed; width: 100%; font-size: 0.93em; }
table.cards th:first-child { width: 7.5em; }
table.cards td { overflow-wrap: break-word; }
table.cards small { white-space: nowrap; }
.big { font-size: 1.5em; font-weight: 600; line-height: 1.2; white-space: nowrap; }
.good { color: #00694c; font-weight: 600; } .bad { color: #a63c00; font-weight: 600; }
code { font-size: 0.92em; overflow-wrap: anywhere; }
.figures { display: flex; flex-wrap: wrap; gap: 1em 2.5em; align-items: flex-start; }
div.column { display: inline-block; vertical-align: top; width: 32em; max-width: 100%;
  margin-right: 2.5em; }
figure { margin: 0.8em 0; } img { width: 100%; display: block; }
figure.column { width: 32em; max-width: 100%; } figure.page { width: 60em; max-width: 100%; }
figcaption, .note, ol.notes { font-size: 0.87em; color: #444; max-width: 60em; }
ol.notes { padding-left: 1.6em; margin-top: 0.3em; list-style: lower-alpha; }
sup { line-height: 0; }
.missing { color: #8a4b00; }
@media print {
  @page { size: A4; margin: 14mm; }
  body { font-size: 9.5pt; max-width: none; margin: 0; padding: 0; }
  a { color: inherit; text-decoration: none; }
  nav { display: none; }
  h2, h3 { break-after: avoid; }
  tr, figure.column, img, div.column { break-inside: avoid; }
  figcaption { break-before: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; }
  table { font-size: 7.2pt; } th, td { padding: 0.2em 0.35em; }
  table.cards { font-size: 8.5pt; }
  .big { font-size: 1.3em; }
  .figures { display: block; }
  figure.column { display: inline-block; vertical-align: top; }
  figure.column, div.column { width: 84mm; margin-right: 4mm; } div.column figure { margin: 0; }
  figure.page { width: 100%; }
  figure.page img { width: auto; max-width: 100%; max-height: 225mm; }
  tr.ours, tr.failed { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


# What a page begins with, and is known by.
HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">"""


class Html(str):
    """Text that is HTML already."""


def escape(text: object) -> Html:
    """Text as HTML."""
    return text if isinstance(text, Html) else Html(html.escape(str(text)))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Text and HTML in a row."""
    return Html(between.join(escape(part) for part in parts))


def small(text: object) -> Html:
    """In smaller type, on a line of its own where it stands in a column of numbers."""
    return Html(f"<small>{escape(text)}</small>")


class Footnotes:
    """Notes below a table; the same text is one note."""

    def __init__(self):
        """None yet."""
        self._texts: list[str] = []

    def mark(self, *texts: str) -> Html:
        """The letters of these notes, raised; nothing for none."""
        places = []
        for text in texts:
            if text not in self._texts:
                self._texts.append(text)
            places.append(self._texts.index(text))
        return Html(f"<sup>{' '.join(map(_letter, places))}</sup>" if places else "")

    def html(self) -> Html:
        """The list of them."""
        if not self._texts:
            return Html("")
        return Html(
            f'<ol class="notes">{"".join(f"<li>{escape(t)}</li>" for t in self._texts)}</ol>'
        )


def _letter(place: int) -> str:
    """As the list counts: a ... z, aa ..."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return (letters[place // 26 - 1] if place >= 26 else "") + letters[place % 26]


def table(
    head: Iterable[object],
    rows: Iterable[Iterable[object]],
    classes: Iterable[str] | None = None,
    numbers: Iterable[int] = (),
    kind: str = "",
) -> Html:
    """A table; `classes` are those of the rows, `numbers` the columns that stand at the right.

    A row of a single cell is a heading over all columns; any other has a cell for each. Throws
    ValueError where one has not.
    """
    head, rows, numbers = list(head), [list(row) for row in rows], set(numbers)
    classes = list(classes) if classes else [""] * len(rows)

    def cell(tag: str, place: int, text: object) -> str:
        extra = ' class="n"' if place in numbers else ""
        return f"<{tag}{extra}>{escape(text)}</{tag}>"

    name = f' class="{kind}"' if kind else ""
    lines = [f'<div class="wide"><table{name}>']
    titles = "".join(cell("th", i, c) for i, c in enumerate(head))
    lines.append(f"<thead><tr>{titles}</tr></thead><tbody>")
    for row_class, row in zip(classes, rows, strict=True):
        attribute = f' class="{row_class}"' if row_class else ""
        if len(row) == 1:
            lines.append(f'<tr class="group"><th colspan="{len(head)}">{escape(row[0])}</th></tr>')
            continue
        if len(row) != len(head):
            raise ValueError(f"a row of {len(row)} cells below {len(head)} titles")
        tags = ["th" if kind == "cards" and i == 0 else "td" for i in range(len(row))]
        cells = "".join(cell(tag, i, c) for i, (tag, c) in enumerate(zip(tags, row, strict=True)))
        lines.append(f"<tr{attribute}>{cells}</tr>")
    lines.append("</tbody></table></div>")
    return Html("\n".join(lines))


def note(text: object) -> Html:
    """A paragraph of small print."""
    return Html(f'<p class="note">{escape(text)}</p>')


def paragraph(text: object) -> Html:
    """A paragraph."""
    return Html(f"<p>{escape(text)}</p>")


def heading(text: object) -> Html:
    """A heading within a section."""
    return Html(f"<h3>{escape(text)}</h3>")


def link(text: object, file: Path, folder: Path) -> Html:
    """To a file, from a page that lies in the folder."""
    target = Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
    return Html(f'<a href="{html.escape(target)}">{escape(text)}</a>')


def _png(figure: Figure) -> bytes:
    out = io.BytesIO()
    # Without the date and version, which would change the bytes.
    figure.savefig(out, format="png", metadata={"Software": None})
    plt.close(figure)
    return out.getvalue()


class Page:
    """Sections in turn; `write` makes the page and its pictures as files."""

    def __init__(self, title: str, opening: Html):
        """The title is text, the opening HTML."""
        self._title, self._opening = title, opening
        self._sections: list[tuple[str, list[Html]]] = []
        self._missing: list[tuple[str, str]] = []
        self._images: dict[str, bytes] = {}

    def section(self, title: str) -> None:
        """Begins a section, into which what is added goes; one without content is left out."""
        self._sections.append((title, []))

    def add_html(self, body: Html | None) -> None:
        """Adds HTML, where there is any."""
        if body:
            self._sections[-1][1].append(body)

    def add(self, title: str, found: list[Picture] | Missing) -> None:
        """Adds pictures; where they are missing, a line at the page's end says why."""
        if isinstance(found, Missing):
            self._missing.append((title, found.what))
            return
        widths = [picture.figure.get_figwidth() for picture in found]
        narrow = len(found) == 1 and widths[0] < style.COLUMN_WIDTH * 1.01
        block = f'<div class="pictures{" column" if narrow else ""}">'
        body = [block, f"<h3>{escape(title)}</h3>", '<div class="figures">']
        for picture, width in zip(found, widths, strict=True):
            wide = width > style.COLUMN_WIDTH * 1.01
            image = self._images[f"{picture.name}.png"] = _png(picture.figure)
            data = base64.b64encode(image).decode()
            body.append(
                f'<figure class="{"page" if wide else "column"}">'
                f'<img alt="{escape(title)}" src="data:image/png;base64,{data}">'
                f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
            )
        self.add_html(Html("\n".join([*body, "</div></div>"])))

    def html(self) -> str:
        """The page."""
        shown = [(title, body) for title, body in self._sections if body]
        names = [f"section-{i + 1}" for i in range(len(shown))]
        links = [
            f'<a href="#{name}">{escape(title)}</a>'
            for name, (title, _) in zip(names, shown, strict=True)
        ]
        parts = [
            HEAD,
            f"<title>{escape(self._title)}</title><style>{CSS}</style></head><body>",
            f"<h1>{escape(self._title)}</h1>",
            self._opening,
            f"<nav>{''.join(links)}</nav>",
        ]
        for name, (title, body) in zip(names, shown, strict=True):
            parts += [f'<section id="{name}"><h2>{escape(title)}</h2>', *body, "</section>"]
        if self._missing:
            parts.append("<section><h2>Left out</h2><ul>")
            parts += [
                f'<li class="missing">{escape(title)}: {escape(what)}</li>'
                for title, what in self._missing
            ]
            parts.append("</ul></section>")
        return "\n".join([*parts, "</body></html>", ""])

    def write(self, out: Path) -> list[Path]:
        """Writes OUT/index.html and OUT/*.png; the page last, by rename."""
        out.mkdir(parents=True, exist_ok=True)
        page = out / "index.html"
        if page.exists() and not page.read_bytes().startswith(HEAD.encode()):
            raise UsageError("--out", f"{page} is not spexreports'", "a folder of its own")
        written = []
        for name, data in [*self._images.items(), ("index.html", self.html().encode())]:
            partial = out / f".{name}.partial"
            partial.write_bytes(data)
            written.append(partial.rename(out / name))
        return written
