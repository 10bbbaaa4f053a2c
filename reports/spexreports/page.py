"""One HTML page that needs no other file: tables as HTML, pictures as data URIs."""

import base64
import html
import io
from collections.abc import Iterable
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from spexreports.section import Missing, Picture

CSS = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 70em; margin: 2em auto;
  padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.25em; margin-top: 2em; } h3 { font-size: 1.05em; }
table { border-collapse: collapse; font-size: 0.85em; margin: 1em 0; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25em 0.6em; text-align: left;
  vertical-align: top; overflow-wrap: anywhere; }
th { border-bottom: 2px solid #222; }
tr.paper { color: #666; } tr.failed { background: #f8e3d6; } tr.ours { background: #e2eff7; }
figure { margin: 1em 0; } img { width: 85mm; min-width: 30em; max-width: 100%; }
figcaption, .note { font-size: 0.9em; color: #444; max-width: 50em; }
.missing { color: #8a4b00; }
.wide { overflow-x: auto; }
"""


def escape(text: object) -> str:
    """Text as HTML."""
    return html.escape(str(text))


def table(
    head: Iterable[str], rows: Iterable[Iterable[object]], classes: Iterable[str] | None = None
) -> str:
    """A table; `classes` are those of the rows."""
    rows = list(rows)
    classes = list(classes) if classes else [""] * len(rows)
    lines = ['<div class="wide"><table>']
    lines.append("<tr>" + "".join(f"<th>{escape(c)}</th>" for c in head) + "</tr>")
    for kind, row in zip(classes, rows, strict=True):
        cells = "".join(f"<td>{escape(c)}</td>" for c in row)
        lines.append(f'<tr class="{kind}">{cells}</tr>' if kind else f"<tr>{cells}</tr>")
    lines.append("</table></div>")
    return "\n".join(lines)


def note(text: str) -> str:
    """A paragraph of small print."""
    return f'<p class="note">{escape(text)}</p>'


def _png(figure: Figure) -> bytes:
    out = io.BytesIO()
    # Without the date and version, which would change the bytes.
    figure.savefig(out, format="png", metadata={"Software": None})
    plt.close(figure)
    return out.getvalue()


class Page:
    """Sections in turn; `write` makes the page and its pictures as files."""

    def __init__(self, title: str, opening: str):
        """The title is text, the opening HTML."""
        self._title, self._opening = title, opening
        self._sections: list[tuple[str, str]] = []
        self._missing: list[tuple[str, str]] = []
        self._images: dict[str, bytes] = {}

    def add_html(self, title: str, body: str) -> None:
        """A section of HTML."""
        self._sections.append((title, body))

    def add(self, title: str, found: list[Picture] | Missing) -> None:
        """A section of pictures; where they are missing, a line at the page's end says why."""
        if isinstance(found, Missing):
            self._missing.append((title, found.what))
            return
        body = []
        for picture in found:
            image = self._images[f"{picture.name}.png"] = _png(picture.figure)
            data = base64.b64encode(image).decode()
            body.append(
                f'<figure><img alt="{escape(title)}" src="data:image/png;base64,{data}">'
                f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
            )
        self._sections.append((title, "\n".join(body)))

    def html(self) -> str:
        """The page."""
        parts = [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(self._title)}</title><style>{CSS}</style></head><body>",
            f"<h1>{escape(self._title)}</h1>",
            self._opening,
        ]
        for title, body in self._sections:
            parts += [f"<section><h2>{escape(title)}</h2>", body, "</section>"]
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
        written = []
        for name, data in [*self._images.items(), ("index.html", self.html().encode())]:
            partial = out / f".{name}.partial"
            partial.write_bytes(data)
            written.append(partial.rename(out / name))
        return written
