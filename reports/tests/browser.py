"""A page in a real browser: Chromium without a window, at a width, with a script that measures."""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--log-level=3"]
# Measures the page after it was laid out, and writes what it found into the document.
MEASURE = """
<script>addEventListener("load", async () => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const height = innerHeight, width = innerWidth;
  const seen = (e) => { const b = e.getBoundingClientRect();
    return b.width > 0 && b.height > 0 && b.top < height && b.bottom > 0 && b.left < width; };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let first = "";
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (!node.parentElement.closest("script, style") && seen(node.parentElement))
      first += node.textContent + " ";
  }
  const closed = all("details").map((d) => d.open);
  dispatchEvent(new Event("beforeprint"));
  const printed = all("details").map((d) => [d.id, d.open]);
  all("details").forEach((d) => d.open = true);
  await Promise.all(all("img").map((i) => i.decode().catch(() => {})));
  const tables = all("table").map((t) => {
    const box = t.closest(".wide"), cut = [];
    const end = box.getBoundingClientRect().right + 1;
    t.querySelectorAll("th, td").forEach((c) => {
      if (c.getBoundingClientRect().right > end || c.scrollWidth > c.clientWidth + 1)
        cut.push(c.textContent); });
    return {name: box.previousElementSibling ? box.previousElementSibling.id : "", cut};
  });
  const found = {width, first, closed, printed, tables,
    overflow: document.documentElement.scrollWidth - width,
    images: all("img").map((i) => [i.alt, i.naturalWidth, i.getBoundingClientRect().width])};
  const place = document.createElement("pre");
  place.id = "measured";
  place.textContent = encodeURIComponent(JSON.stringify(found));
  document.body.append(place);
});</script>
"""


def browser() -> str | None:
    """The path of a browser; None without one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def measured(page: Path, width: int, height: int) -> dict:
    """What a browser shows of a page in a window of this size."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "page.html"
        copy.write_text(page.read_text().replace("</body>", MEASURE + "</body>"))
        size = f"--window-size={width},{height}"
        command = [browser(), *OPTIONS, size, f"--user-data-dir={folder}/profile"]
        command += ["--virtual-time-budget=20000", "--dump-dom", f"file://{copy}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)
    text = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.DOTALL)
    if not text:
        raise AssertionError(f"the browser measured nothing: {done.stderr[-500:]}")
    from urllib.parse import unquote

    return json.loads(unquote(text[1]))


def pdf(page: Path) -> bytes:
    """The page as it is printed."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "page.pdf"
        command = [browser(), *OPTIONS, f"--user-data-dir={folder}/profile"]
        command += ["--no-pdf-header-footer", f"--print-to-pdf={out}", f"file://{page}"]
        subprocess.run(command, capture_output=True, timeout=180, check=True)
        return out.read_bytes()
