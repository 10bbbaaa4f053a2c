// The extension module spexbench._core, on which the Python sources of the package are written: the
// bindings of the reference (reference/python), and those of the GPU.
#include <memory>

#include <nanobind/stl/string.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "gpu/programs/gpu_extractor.hpp"
#include "reference/core/blas.hpp"
#include "reference/core/version.hpp"
#include "reference/python/bindings.hpp"
#include "reference/python/extraction.hpp"

namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

// An Extractor on a GPU, and whether there is one. A build without CUDA has these functions too.
void bind_gpu(nb::module_& module) {
  // The first call that asks the driver takes a good part of a second, or several.
  const nb::call_guard<nb::gil_scoped_release> without_gil;
  module.def(
      "gpu_extractor",
      [](int device) { return spex::python::Extractor{spex::gpu::gpu_extractor(device)}; },
      without_gil, "device"_a,
      "A GPU, counted from 0; not for two threads at once. Raises UsageError.");
  module.def("gpu_count", &spex::gpu::gpu_count, without_gil, "GPUs that this process may use.");
  module.def("why_no_gpu", &spex::gpu::why_no_gpu, without_gil,
             "Why there is none; empty where there is.");
}

}  // namespace

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
  spex::python::bind_frame(module);
  bind_gpu(module);
  spex::python::bind_compare(module);
  spex::python::bind_simulate(module);
}
