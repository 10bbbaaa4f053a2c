// The extension module spexbench._core for the Python package: the bindings of the reference
// (reference/python) and of the GPU.
#include <memory>

#include <nanobind/stl/string.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "gpu/programs/gpu_extractor.hpp"
#include "reference/core/blas.hpp"
#include "reference/core/version.hpp"
#include "reference/python/bindings.hpp"
#include "reference/python/extraction.hpp"
#include "reference/python/without_gil.hpp"

namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

// Binds the GPU extractor and device queries. Builds without CUDA have these functions, too.
void bind_gpu(nb::module_& module) {
  // The first call initializes the driver, which may take seconds.
  const nb::call_guard<spex::python::WithoutGil> without_gil;
  module.def(
      "gpu_extractor",
      [](int device) { return spex::python::Extractor{spex::gpu::gpu_extractor(device)}; },
      without_gil, "device"_a,
      "An extractor on a GPU, counted from 0; not thread-safe. Raises UsageError.");
  module.def("gpu_count", &spex::gpu::gpu_count, without_gil, "GPUs that this process may use.");
  module.def("why_no_gpu", &spex::gpu::why_no_gpu, without_gil,
             "Why no GPU can be used; empty if one can.");
}

}  // namespace

NB_MODULE(_core, module) {
  // As a library, log only warnings and errors to stderr.
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "spexbench", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()));
  spdlog::set_level(spdlog::level::warn);
  // Extraction uses one thread per patch; bit-identical results require single-threaded BLAS calls.
  spex::use_single_threaded_blas();

  module.doc() = "C++ core of spexbench; use the package spexbench instead.";
  module.def("version", &spex::version, "Version of the project.");
  spex::python::bind_errors(module);
  spex::python::bind_stop(module);
  spex::python::bind_inputs(module);
  spex::python::bind_psf(module);
  spex::python::bind_options(module);
  spex::python::bind_extraction(module);
  spex::python::bind_frame(module);
  bind_gpu(module);
  spex::python::bind_compare(module);
  spex::python::bind_simulate(module);
}
