#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "reference/compare/report.hpp"
#include "reference/python/bindings.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spex::python {
namespace {

std::tuple<bool, std::string, std::string> compare(const std::string& result,
                                                   const std::optional<std::string>& expected,
                                                   const std::optional<std::string>& truth,
                                                   const std::string& tolerance) {
  const Tolerance limits = read_tolerance(tolerance);
  CompareReport report;
  report.result = result;
  report.expected = expected.value_or("");
  const FrameFile frame = read_frame(result);
  if (expected) report.comparison = compare_frames(frame, read_frame(*expected), limits);
  if (truth) report.truth = check_truth(frame, read_truth(*truth));
  return {report.ok(), to_table(report), to_json(report)};
}

}  // namespace

void bind_compare(nb::module_& module) {
  module.def("compare", &compare, nb::call_guard<nb::gil_scoped_release>(), "result"_a,
             "expected"_a.none(), "truth"_a.none(), "tolerance"_a,
             "Whether all checks pass, the table and the JSON of spex-compare.");
}

}  // namespace spex::python
