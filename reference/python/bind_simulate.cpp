#include <cstdint>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "reference/core/choose.hpp"
#include "reference/python/bindings.hpp"
#include "reference/sim/simulate.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spex::python {
namespace {

// Camera, preproc, psf and truth file of each camera.
using Files = std::tuple<std::string, std::string, std::string, std::string>;

std::vector<Files> simulate(const std::string& folder, const std::string& cameras,
                            const std::string& size, std::uint64_t seed, int expid, int night,
                            double exptime, bool on_grid, const std::string& ivar,
                            const std::string& compress, const std::optional<std::string>& psf,
                            int threads) {
  SimOptions options;
  options.folder = folder;
  options.cameras = parse_cameras(cameras);
  options.size = choose<SimSize>("size", size, {SimSize::tiny, SimSize::bundle, SimSize::full});
  options.seed = seed;
  options.expid = expid;
  options.night = night;
  options.exptime = exptime;
  options.on_grid = on_grid;
  options.ivar = choose<IvarOf>("ivar", ivar, {IvarOf::expected, IvarOf::observed});
  options.compress =
      choose<Compress>("compress", compress, {Compress::none, Compress::gz, Compress::fz});
  options.psf = psf;
  options.threads = threads;
  options.program = "spexbench";
  check_options(options);
  spex::simulate(options);
  const std::string ending =
      options.compress == Compress::none ? "" : "." + to_string(options.compress);
  std::vector<Files> files;
  for (const Camera& camera : options.cameras)
    files.emplace_back(camera.name(), file_name(options, "preproc", camera) + ending,
                       file_name(options, "psf", camera), file_name(options, "truth", camera));
  return files;
}

}  // namespace

void bind_simulate(nb::module_& module) {
  module.def(
      "simulate", &simulate, nb::call_guard<nb::gil_scoped_release>(), "folder"_a, nb::kw_only(),
      "cameras"_a, "size"_a, "seed"_a, "expid"_a, "night"_a, "exptime"_a, "on_grid"_a, "ivar"_a,
      "compress"_a, "psf"_a.none(), "threads"_a,
      "Writes the files of an exposure: camera, preproc, psf and truth file of each camera.");
}

}  // namespace spex::python
