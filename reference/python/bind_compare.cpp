#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "reference/compare/report.hpp"
#include "reference/python/arrays.hpp"
#include "reference/python/bindings.hpp"
#include "reference/python/without_gil.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spex::python {
namespace {

// A frame to compare: a file with all HDUs, or arrays in memory.
struct ComparedFrame {
  FrameFile file;
  bool in_memory = false;
};

ComparedFrame frame_in_memory(const std::string& name, int specmin, const std::string& flux,
                              int nwavestep) {
  ComparedFrame frame;
  frame.in_memory = true;
  frame.file.path = name;
  frame.file.specmin = specmin;
  frame.file.flux_solver = flux;
  frame.file.nwavestep = nwavestep;
  return frame;
}

void add_image(ComparedFrame& frame, const std::string& hdu, const AnyArray& array) {
  FrameImage image;
  image.name = hdu;
  for (std::size_t d = 0; d < array.ndim(); ++d)
    image.shape.push_back(static_cast<long long>(array.shape(d)));
  image.float32 = array.dtype() == nb::dtype<float>();
  if (image.float32) {
    const std::vector<float> narrow = values_of<float>(array, hdu);
    image.value.assign(narrow.begin(), narrow.end());
  } else {
    image.value = values_of<double>(array, hdu);
  }
  frame.file.images.push_back(std::move(image));
}

// Removes the tables of both frames if one of the frames is in memory.
std::tuple<bool, std::string, std::string> compare(ComparedFrame& result, ComparedFrame* expected,
                                                   const std::optional<std::string>& truth,
                                                   const std::string& tolerance) {
  const Tolerance limits = read_tolerance(tolerance);
  CompareReport report;
  report.result = result.file.path;
  if (expected != nullptr) {
    report.expected = expected->file.path;
    if (result.in_memory || expected->in_memory) {
      result.file.tables.clear();
      expected->file.tables.clear();
    }
    report.comparison = compare_frames(result.file, expected->file, limits);
  }
  if (truth) report.truth = check_truth(result.file, read_truth(*truth));
  return {report.ok(), to_table(report), to_json(report)};
}

nb::tuple truth_of(const std::string& path, bool checksums) {
  TruthFile truth;
  {
    const WithoutGil released;
    truth = read_truth(path, checksums);
  }
  const auto nfiber = static_cast<std::size_t>(truth.nfiber);
  const auto nwave = static_cast<std::size_t>(truth.nwave);
  return nb::make_tuple(as_array(std::move(truth.wave), {nwave}),
                        as_array(std::move(truth.flux), {nfiber, nwave}));
}

}  // namespace

void bind_compare(nb::module_& module) {
  nb::class_<ComparedFrame>(module, "FrameFile", "A frame to compare: its HDUs.")
      .def(
          "__init__",
          [](ComparedFrame* self, const std::string& name, int specmin, const std::string& flux,
             int nwavestep) {
            new (self) ComparedFrame(frame_in_memory(name, specmin, flux, nwavestep));
          },
          "name"_a, "specmin"_a, "flux"_a, "nwavestep"_a, "An empty frame in memory.")
      .def("add", &add_image, "hdu"_a, "array"_a, "Adds a copy of an HDU of float32 or float64.");
  module.def(
      "read_frame",
      [](const std::string& path) {
        return ComparedFrame{read_frame(path), false};
      },
      nb::call_guard<WithoutGil>(), "path"_a, "All HDUs of a file. Raises DataError.");
  module.def("read_truth", &truth_of, "path"_a, "checksums"_a,
             "Wavelengths [nwave] and fluxes [nfiber, nwave] of a truth on the extraction's grid. "
             "Raises DataError.");
  module.def(
      "compare", &compare, nb::call_guard<WithoutGil>(), "result"_a, "expected"_a.none(),
      "truth"_a.none(), "tolerance"_a,
      "Returns whether all checks pass, and spex-compare's table and JSON. Tables (FIBERMAP, "
      "SCORES) are compared where both frames are of files.");
}

}  // namespace spex::python
