"""Sphinx settings of the pages that ci/docs builds."""

import re
from pathlib import Path

_citation = (Path(__file__).resolve().parent.parent / "CITATION.cff").read_text(encoding="utf-8")
project = "spexbench"
release = re.search(r"^version: (\S+)$", _citation, re.MULTILINE)[1]

extensions = ["myst_parser"]
exclude_patterns = ["README.md"]  # is index.md
templates_path = ["templates"]
# Headings get the anchors that GitHub gives them.
myst_heading_anchors = 4

smartquotes = False
html_theme = "furo"
html_title = f"spexbench {release}"
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "pages.html",
        "sidebar/scroll-end.html",
    ]
}
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
# Listings are commands, output and pieces of C.
highlight_language = "none"
