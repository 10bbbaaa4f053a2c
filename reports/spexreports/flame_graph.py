"""A flame graph of a CPU profile: `python3 -m spexreports.flame_graph STACKS --out FILE.svg`.

STACKS is what `perf script -F comm,ip,sym,dso` prints. Widths are shares of the samples, callers
are below what they call. Python's own library is enough, so that it runs where the profile was
taken, without .venv.
"""

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

# Whose code a frame is: its label, its colour (Okabe and Ito's palette, lightened for black text),
# and what the path of its library contains. The first that fits counts.
OWNERS = [
    ("this project", "#F5B78A", ("spex", "bench_")),
    ("linear algebra", "#8CC4E6", ("openblas", "lapack", "libblas", "mkl")),
    ("kernel", "#C9C9C9", ("[kernel", "[k]", "vmlinux")),
    ("MPI", "#E3B3CE", ("libmpi", "libopen-", "libpmix", "libucp", "libucs")),
    ("C and C++ libraries, others", "#A6DBC8", ("",)),
]
# What only passes a call on is left out: it would hide who calls whom.
GLUE = re.compile(
    r"std::(_Function_handler|__invoke|thread::_|function<)|start_thread|(__)?clone3?$|_start$|__libc_start"
)
FRAME = re.compile(r"\s+[0-9a-f]+ (?P<symbol>.*) \((?P<library>[^()]*(?:\([^()]*\))?)\)$")

WIDTH, MARGIN, ROW, TOP, LETTER = 1200, 10, 18, 62, 6.6
NARROWEST = 0.4  # pixels; what is narrower is not drawn


@dataclass
class Node:
    """A function as called from one stack, with the samples in it and in what it calls."""

    name: str
    owner: int = 0
    samples: int = 0
    children: dict[tuple[str, int], "Node"] = field(default_factory=dict)

    def child(self, name: str, owner: int) -> "Node":
        """The node of a function that this one calls."""
        return self.children.setdefault((name, owner), Node(name, owner))


def short_name(symbol: str) -> str:
    """A C++ function without the types of its arguments and templates.

    >>> short_name("spex::f(std::vector<int> const&)::{lambda(int)#1}::operator()(int) const")
    'spex::f::lambda#1::operator()'
    """
    text = symbol.replace("(anonymous namespace)::", "").replace("operator()", "operator\0")
    text = re.sub(r"operator(<=>|<<|>>|<=|>=|->|<|>)", "operator", text)
    kept, nested = [], 0
    for letter in text:
        if letter in "<(":
            nested += 1
        elif letter in ">)":
            nested = max(0, nested - 1)
        elif nested == 0 and letter not in "{}":
            kept.append(letter)
    name = "".join(kept).replace("operator\0", "operator()")
    return re.sub(r"( const)(?=::|$)|@@?GLIBC.*$|^void ", "", name).strip() or symbol


def owner_of(library: str) -> int:
    """Number in OWNERS."""
    file = library if library.startswith("[") else library.rsplit("/", 1)[-1]
    return next(i for i, (_, _, parts) in enumerate(OWNERS) if any(part in file for part in parts))


@dataclass
class Stack:
    """A sample: the process, and (symbol, library) from the innermost function outwards."""

    process: str
    frames: list[tuple[str, str]] = field(default_factory=list)


def stacks(lines: Iterable[str]) -> list[Stack]:
    """The samples that perf script printed."""
    found: list[Stack] = []
    for line in lines:
        if not line.strip():
            continue
        if not line[0].isspace():
            found.append(Stack(line.strip()))
        elif match := FRAME.match(line.rstrip()):
            if not found:
                raise ValueError("a frame before the first process (expected perf script's output)")
            found[-1].frames.append((match["symbol"], match["library"]))
        else:
            raise ValueError(f"not a frame: {line.strip()!r} (expected perf script -F ip,sym,dso)")
    return [stack for stack in found if stack.frames]


def tree(samples: Iterable[Stack]) -> Node:
    """The samples by their callers."""
    root = Node("all")
    for stack in samples:
        root.samples += 1
        node = root.child(stack.process, len(OWNERS) - 1)
        node.samples += 1
        for symbol, library in reversed(stack.frames):
            if GLUE.match(symbol):
                continue
            name = short_name(symbol)
            if symbol == "[unknown]":
                name = f"[{library.rsplit('/', 1)[-1].strip('[]')}]"
            node = node.child(name, owner_of(library))
            node.samples += 1
    return root


def boxes(root: Node) -> list[tuple[float, int, float, Node]]:
    """(left, row, width, node) in pixels; row 0 is the root, callees are sorted by name."""
    scale = (WIDTH - 2 * MARGIN) / root.samples
    drawn = []
    to_do = [(float(MARGIN), 0, root)]
    while to_do:
        left, row, node = to_do.pop()
        width = node.samples * scale
        if width < NARROWEST:
            continue
        drawn.append((left, row, width, node))
        for key in sorted(node.children):
            to_do.append((left, row + 1, node.children[key]))
            left += node.children[key].samples * scale
    return drawn


def svg(root: Node, title: str) -> str:
    """The picture. Pointing at a box shows its whole name and its share."""
    if root.samples == 0:
        raise ValueError("no samples (expected the stacks of a profile)")
    drawn = boxes(root)
    height = TOP + (1 + max(row for _, row, _, _ in drawn)) * ROW + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="DejaVu Sans Mono, monospace" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{MARGIN}" y="22" font-size="15">{escape(title)}</text>',
    ]
    left = float(MARGIN)
    for label, colour, _ in OWNERS:
        lines.append(f'<rect x="{left:.0f}" y="34" width="12" height="12" fill="{colour}"/>')
        lines.append(f'<text x="{left + 17:.0f}" y="44">{label}</text>')
        left += 17 + LETTER * len(label) + 24
    lines.append(
        f'<text x="{WIDTH - MARGIN}" y="44" text-anchor="end">{root.samples} samples; '
        "width: share of them</text>"
    )
    for left, row, width, node in drawn:
        y = height - MARGIN - (row + 1) * ROW
        share = f"{100 * node.samples / root.samples:.1f}%"
        colour = OWNERS[node.owner][1] if row else "#EEEEEE"
        lines.append(
            f"<g><title>{escape(node.name)}: {share}, {node.samples} samples</title>"
            f'<rect x="{left:.2f}" y="{y}" width="{width:.2f}" height="{ROW - 1}" fill="{colour}" '
            'stroke="white" stroke-width="0.5"/>'
        )
        room = int((width - 6) / LETTER)
        if room >= 4:
            label = f"{node.name} {share}" if len(node.name) + 6 < room else node.name
            if len(label) > room:
                label = label[: room - 1] + "…"
            lines.append(f'<text x="{left + 3:.2f}" y="{y + 13}">{escape(label)}</text>')
        lines.append("</g>")
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Draws the graph and says where it is."""
    parser = argparse.ArgumentParser(prog="flame_graph", description=__doc__)
    parser.add_argument("stacks", type=Path, metavar="STACKS")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.svg")
    parser.add_argument("--title", default="Where the time of the CPU goes")
    arguments = parser.parse_args()
    try:
        with arguments.stacks.open(encoding="utf-8", errors="replace") as lines:
            picture = svg(tree(stacks(lines)), arguments.title)
        part = arguments.out.with_name(arguments.out.name + ".part")
        part.write_text(picture, encoding="utf-8")
        part.replace(arguments.out)
    except (OSError, ValueError) as error:
        print(f"flame_graph: {arguments.stacks}: {error}", file=sys.stderr)
        return 1
    print(f"wrote {arguments.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
