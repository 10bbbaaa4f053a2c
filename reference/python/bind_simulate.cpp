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

// Camera, exposure number, and preproc, psf and truth file of each frame.
using Files = std::tuple<std::string, int, std::string, std::string, std::string>;

std::vector<Files> simulate(const std::string& folder, const std::string& cameras,
                            const std::string& size, std::uint64_t seed, const std::string& flavor,
                            int expid, int exposures, double psf_shift, int night, double exptime,
                            bool on_grid, const std::string& ivar, const std::string& compress,
                            const std::optional<std::string>& psf, int threads) {
  SimOptions options;
  options.folder = folder;
  options.cameras = parse_cameras(cameras);
  options.size = choose<SimSize>("size", size, {SimSize::tiny, SimSize::bundle, SimSize::full});
  options.seed = seed;
  options.flavor =
      choose<Flavor>("flavor", flavor, {Flavor::science, Flavor::flat, Flavor::arc, Flavor::sky});
  options.expid = expid;
  options.exposures = exposures;
  options.psf_shift = psf_shift;
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
  for (int last = expid + exposures; options.expid < last; ++options.expid)
    for (const Camera& camera : options.cameras)
      files.emplace_back(camera.name(), options.expid,
                         file_name(options, "preproc", camera) + ending,
                         file_name(options, "psf", camera), file_name(options, "truth", camera));
  return files;
}

}  // namespace

void bind_simulate(nb::module_& module) {
  module.def("simulate", &simulate, nb::call_guard<nb::gil_scoped_release>(), "folder"_a,
             nb::kw_only(), "cameras"_a, "size"_a, "seed"_a, "flavor"_a, "expid"_a, "exposures"_a,
             "psf_shift"_a, "night"_a, "exptime"_a, "on_grid"_a, "ivar"_a, "compress"_a,
             "psf"_a.none(), "threads"_a,
             "Writes exposures. Returns camera, exposure and the preproc, psf and truth file of "
             "each frame.");
}

}  // namespace spex::python
