// The extension module spexbench._core: what the Python sources of the package are written on.
#include <memory>

#include <nanobind/stl/string.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "reference/core/blas.hpp"
#include "reference/core/version.hpp"
#include "reference/python/bindings.hpp"

NB_MODULE(_core, module) {
  // A library speaks on stderr, and only of what is wrong.
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "spexbench", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()));
  spdlog::set_level(spdlog::level::warn);
  // The threads of an extraction are over patches; equal bytes need one thread in each call.
  spex::use_single_threaded_blas();

  module.doc() = "spexbench in C++; the package spexbench is made for use.";
  module.def("version", &spex::version, "Version of the project.");
  spex::python::bind_errors(module);
  spex::python::bind_inputs(module);
  spex::python::bind_options(module);
  spex::python::bind_extraction(module);
  spex::python::bind_compare(module);
  spex::python::bind_simulate(module);
}
