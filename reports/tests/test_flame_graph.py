"""Tests of the flame graph."""

import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from spexreports import flame_graph  # noqa: E402
from spexreports.flame_graph import boxes, owner_of, short_name, stacks, svg, tree  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
# Four samples: three in the extraction, one of them in BLAS, and one in another process.
SAMPLES = """\
spex-cpu\x20
\t    55d0 spex::spot_values(double const*, std::vector<int>&) (/build/bin/spex-cpu)
\t    56d0 spex::extract (/build/bin/spex-cpu)
\t   27249 __libc_start_main@@GLIBC_2.34 (/usr/lib/libc.so.6)

spex-cpu\x20
\t    55d0 spex::spot_values(double const*, std::vector<int>&) (/build/bin/spex-cpu)
\t    56d0 spex::extract (/build/bin/spex-cpu)

spex-cpu\x20
\t   9bb08 dgemm_kernel_HASWELL (/usr/lib/openblas/libopenblasp-r0.3.21.so)
\t   12345 std::_Function_handler<int (), spex::f()::{lambda()#1}>::_M_invoke (/build/bin/spex-cpu)
\t    56d0 spex::extract (/build/bin/spex-cpu)

orted\x20
\tffffffff821e5a67 clear_page_erms ([kernel.kallsyms])
\t     1160 [unknown] (/usr/bin/orted)
"""


def make_tree() -> flame_graph.Node:
    return tree(stacks(SAMPLES.splitlines()))


class TreeTest(unittest.TestCase):
    def test_samples_are_summed_by_caller(self):
        root = make_tree()
        self.assertEqual(root.samples, 4)
        extractor = root.children["spex-cpu", len(flame_graph.OWNERS) - 1]
        self.assertEqual(extractor.samples, 3)
        (extract,) = extractor.children.values()
        self.assertEqual((extract.name, extract.samples), ("spex::extract", 3))
        called = {child.name: child.samples for child in extract.children.values()}
        self.assertEqual(called, {"spex::spot_values": 2, "dgemm_kernel_HASWELL": 1})

    def test_unknown_functions_have_the_name_of_their_file(self):
        other = make_tree().children["orted", len(flame_graph.OWNERS) - 1]
        (unknown,) = other.children.values()
        self.assertEqual(unknown.name, "[orted]")
        (kernel,) = unknown.children.values()
        self.assertEqual(flame_graph.OWNERS[kernel.owner][0], "kernel")

    def test_short_names(self):
        for symbol, name in (
            ("spex::f(int, std::vector<double> const&)", "spex::f"),
            ("spex::(anonymous namespace)::g", "spex::g"),
            ("void h<std::vector<int> >(int)", "h"),
            ("spex::f(int)::{lambda(int, int)#2}::operator()(int) const", None),
            ("spex::operator<(A, B)", "spex::operator"),
            ("dlaed4_", "dlaed4_"),
        ):
            with self.subTest(symbol):
                expected = name or "spex::f::lambda#2::operator()"
                self.assertEqual(short_name(symbol), expected)

    def test_owners(self):
        for library, owner in (
            ("/home/a/build/bin/spex-cpu", "this project"),
            ("/home/spex/lib/libopenblas.so.0", "linear algebra"),
            ("[kernel.kallsyms]", "kernel"),
            ("/usr/lib/libmpi.so.40", "MPI"),
            ("/usr/lib/libm.so.6", "C and C++ libraries, others"),
        ):
            with self.subTest(library):
                self.assertEqual(flame_graph.OWNERS[owner_of(library)][0], owner)

    def test_other_text_is_refused(self):
        for text in ("\tno frame\n", "\t55d0 f (/lib)\n"):
            with self.subTest(text), self.assertRaises(ValueError):
                stacks(text.splitlines())


class PictureTest(unittest.TestCase):
    def test_widths_are_shares(self):
        root = make_tree()
        widths = {node.name: width for _, _, width, node in boxes(root)}
        self.assertAlmostEqual(widths["spex::extract"] / widths["all"], 3 / 4)
        self.assertAlmostEqual(widths["spex::spot_values"] / widths["all"], 2 / 4)

    def test_callees_lie_within_their_callers(self):
        drawn = boxes(make_tree())
        places = {id(node): (left, row, width) for left, row, width, node in drawn}
        for left, row, width, node in drawn:
            at = left
            for child in sorted(node.children.values(), key=lambda c: (c.name, c.owner)):
                child_left, child_row, child_width = places[id(child)]
                self.assertEqual(child_row, row + 1)
                self.assertAlmostEqual(child_left, at)
                at += child_width
            self.assertLessEqual(at, left + width + 1e-9)

    def test_picture_is_xml_and_whole(self):
        picture = ElementTree.fromstring(svg(make_tree(), "A < B & C"))
        height = float(picture.get("height"))
        texts = [text.text for text in picture.iter(f"{SVG}text")]
        self.assertIn("A < B & C", texts)
        self.assertTrue(any(text.startswith("spex::extract 75.0%") for text in texts))
        titles = [title.text for title in picture.iter(f"{SVG}title")]
        self.assertIn("spex::spot_values: 50.0%, 2 samples", titles)
        for box in picture.iter(f"{SVG}rect"):
            top = float(box.get("y", 0))
            self.assertGreaterEqual(top, 0)
            self.assertLessEqual(top + float(box.get("height")), height)

    def test_same_samples_same_bytes(self):
        shuffled = "\n\n".join(reversed(SAMPLES.strip().split("\n\n")))
        again = svg(tree(stacks(shuffled.splitlines())), "t")
        self.assertEqual(svg(make_tree(), "t"), again)


class ProgramTest(unittest.TestCase):
    def run_main(self, text: str) -> tuple[int, str, Path]:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "stacks").write_text(text, encoding="utf-8")
        out = folder / "flame.svg"
        arguments = ["flame_graph", str(folder / "stacks"), "--out", str(out)]
        error = StringIO()
        with (
            mock.patch.object(sys, "argv", arguments),
            redirect_stderr(error),
            redirect_stdout(StringIO()),
        ):
            return flame_graph.main(), error.getvalue(), out

    def test_picture_is_written(self):
        status, error, out = self.run_main(SAMPLES)
        self.assertEqual((status, error), (0, ""))
        self.assertTrue(out.read_text(encoding="utf-8").endswith("</svg>\n"))
        self.assertEqual(len(list(out.parent.iterdir())), 2)

    def test_nothing_to_draw_is_one_line(self):
        for text in ("", "nothing\n", "\tno frame\n"):
            with self.subTest(text):
                status, error, out = self.run_main(text)
                self.assertEqual(status, 1)
                self.assertEqual(error.count("\n"), 1)
                self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
