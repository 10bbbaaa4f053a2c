#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "reference/core/error.hpp"
#include "reference/model/option_table.hpp"
#include "reference/python/bindings.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spex::python {
namespace {

FrameOptions make_options(const std::map<std::string, std::string>& given, bool model, bool write_f,
                          bool gpu) {
  const Device device = gpu ? Device::gpu : Device::cpu;
  OptionRequest request;
  for (const auto& [name, text] : given) {
    const ExtractOption* const option = find_option(name);
    if (option == nullptr) throw usage_error(name, "unknown option", "an option of extract()");
    set_option(request, *option, text, device);
  }
  request.options.write_f = write_f;
  FrameOptions options = resolve(request, device);
  options.model = model;
  return options;
}

// The type of a value in Python; "wavelength" is that of the package, "xyrange" four
// integers.
template <class T>
std::string type_of(const T* /*place*/) {
  if constexpr (std::is_same_v<T, int>)
    return "int";
  else if constexpr (std::is_same_v<T, double>)
    return "float";
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return "bits";
  else if constexpr (std::is_same_v<T, std::optional<int>>)
    return "int | None";
  else if constexpr (std::is_same_v<T, std::optional<double>>)
    return "float | None";
  else if constexpr (std::is_same_v<T, std::optional<WaveRange>>)
    return "wavelength";
  else if constexpr (std::is_same_v<T, std::optional<XyRange>>)
    return "xyrange";
  else
    return std::is_enum_v<T> ? "str" : "str | None";
}

// Name, type, default as text, help and choices of each option. An option without a default has "".
std::vector<nb::tuple> describe_options() {
  const FrameOptions defaults = resolve({}, Device::cpu);
  std::vector<nb::tuple> all;
  for (const ExtractOption& option : extract_options()) {
    OptionRequest request;
    const std::string type =
        std::visit([](const auto* place) { return type_of(place); }, option.value(request));
    all.push_back(nb::make_tuple(std::string(option.name), type, text_of(option, defaults),
                                 std::string(option.help), choices_of(option, Device::cpu)));
  }
  return all;
}

}  // namespace

void bind_options(nb::module_& module) {
  nb::class_<FrameOptions>(module, "Options", "Extraction options.")
      .def_prop_ro(
          "method", [](const FrameOptions& o) { return to_string(o.method); }, "eigh or cholesky")
      .def_prop_ro(
          "milestone", [](const FrameOptions& o) { return to_string(o.milestone); },
          "the milestone")
      .def_prop_ro(
          "flux", [](const FrameOptions& o) { return to_string(o.flux); }, "patch or frame")
      .def_ro("nwavestep", &FrameOptions::nwavestep, "core bins of a patch")
      .def_ro("specmin", &FrameOptions::specmin, "first fiber");
  module.def(
      "make_options", &make_options, "given"_a, "model"_a, "write_f"_a, "gpu"_a,
      "Options from texts by their names, as on the command line (docs/command-line.md); others "
      "have "
      "their defaults. Raises UsageError for values that are impossible or do not fit together.");
  module.def("describe_options", &describe_options,
             "(name, type, default, help, choices) of each option; the default as text, \"\" "
             "without one.");
}

}  // namespace spex::python
