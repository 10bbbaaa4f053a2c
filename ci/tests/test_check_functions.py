#!/usr/bin/env python3
"""Tests of ci/check-functions: what counts as a function, as a line and as a parameter."""

import sys
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True
CHECK = Path(__file__).resolve().parents[1] / "check-functions"
KERNEL = "template <int P>\n__global__ void __launch_bounds__(threads<P>, 2)\n    kernel(int n) {"
ODD = """  // }
  char brace = '{'; const char* text = "}\\"{"; /* }
  } */ const int many = 1'000'000; const char* raw = R"(}})";
#define SPEX_OPEN \\
  {
  if (many > 0) {
    const auto one = [](int k) { return k; };
  }
"""


class CheckFunctions(unittest.TestCase):
    """What is found in a file."""

    def setUp(self):
        """The program as a module."""
        loader = SourceFileLoader("check_functions", str(CHECK))
        self.program = module_from_spec(spec_from_loader("check_functions", loader))
        loader.exec_module(self.program)

    def faults_of(self, head, lines, end=""):
        """Faults of a file with a body of this number of lines between its braces."""
        return self.program.faults_of("a.cu", head + "\n" + "  ++n;\n" * lines + "}\n" + end)

    def test_a_long_function(self):
        """80 lines from brace to brace are the most, whatever the head is."""
        for head, line in (
            ("void f(int n) {", 1),
            (KERNEL, 3),
            ("TEST_F(Fixture, Name) {", 1),
            ("namespace {\nint g(const A& a = {}) { return 1; }\nint f() {", 3),
            ("struct S {\n  int k = 0;\n  S() : k{1} {}\n  explicit S(int n) : k(n) {", 4),
        ):
            end = "}\n" if head.count("{") > head.count("}") + 1 else ""
            self.assertEqual(self.faults_of(head, 79, end), [], head)
            self.assertEqual(
                self.faults_of(head, 80, end),
                [f"a.cu:{line}: a function of 81 lines (expected at most 80)"],
            )

    def test_no_function(self):
        """Types, namespaces and tables may be longer."""
        for head in (
            "namespace spex::gpu {",
            "struct alignas(16) S {",
            "template <class T, std::size_t n = size(1)>\nclass S {",
            "enum class E {",
            "constexpr int primes[] = {",
        ):
            self.assertEqual(self.faults_of(head, 100), [], head)

    def test_braces_that_are_no_code(self):
        """Comments, strings, characters and directives do not count; lambdas do not end one."""
        self.assertEqual(self.faults_of("int f() {\n" + ODD, 70), [])
        self.assertEqual(len(self.faults_of("int f() {\n" + ODD, 71)), 1)

    def test_many_parameters(self):
        """6 parameters are the most, in declarations and definitions, of whatever kind."""
        for head in (
            "void f({});",
            "[[nodiscard]] std::map<int, int> f({}) noexcept;",
            "namespace a {{\nstruct S {{\n  S({}) : k(1), l(2) {{}}\n  int k, l;\n}};\n}}",
            "struct S {{\n  void (*f)({});\n}};",
            "template <class T, int n = most(1, 2)>\n__global__ void __launch_bounds__(9, 2)\n"
            "    kernel({}) {{\n}}",
            "SPEX_ROWS(A, b, c, d, e, f, g, h)\nS& S::operator=({}) {{\n}}",
        ):
            six = head.format("A<int, 2> a, int b = g(1, 2), C c = {1, 2}, int (&d)[2], E e, F f")
            self.assertEqual(self.program.faults_of("a.cu", six), [], head)
            seven = head.format("A<int, 2> a, int b = 1, C c = {1, 2}, int (&d)[2], E e, F f, G g")
            found = self.program.faults_of("a.cu", seven)
            self.assertEqual(len(found), 1, head)
            self.assertIn("a function of 7 parameters (expected at most 6; put", found[0])

    def test_no_parameters(self):
        """Calls, values and macros may have more; so may functions that Python calls."""
        for text in (
            "const S s = make(1, 2, 3, 4, 5, 6, 7);",
            "SPEX_ROWS(S, a, b, c, d, e, f);",
            "TEST(A, B) {\n  f(1, 2, 3, 4, 5, 6, 7);\n  for (int i = 0; i < 1; ++i) g();\n}",
            "using F = std::function<void(int, int, int, int, int, int, int)>;",
            "static_assert(max(1, 2, 3, 4, 5, 6, 7) > 1);",
        ):
            self.assertEqual(self.program.faults_of("a.cu", text), [], text)
        text = "int f(int a, int b, int c, int d, int e, int f, int g);"
        self.assertEqual(len(self.program.faults_of("reference/a.cpp", text)), 1)
        self.assertEqual(self.program.faults_of("reference/python/bind_a.cpp", text), [])

    def test_braces_that_do_not_match(self):
        """A file that cannot be read is a fault, and not a file without long functions."""
        for text in ("int f() {\n", "int f() {}\n}\n"):
            found = self.program.faults_of("a.cu", text)
            self.assertEqual(found, ["a.cu: braces do not match"])


if __name__ == "__main__":
    unittest.main()
