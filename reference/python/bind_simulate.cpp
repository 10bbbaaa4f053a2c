#include <cstdint>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "reference/core/choose.hpp"
#include "reference/python/arrays.hpp"
#include "reference/python/bindings.hpp"
#include "reference/python/without_gil.hpp"
#include "reference/sim/expected_image.hpp"
#include "reference/sim/outputs.hpp"
#include "reference/sim/read_spectra.hpp"
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
                            bool on_grid, const std::string& ivar, double cosmics,
                            double unmasked_cosmics, const std::string& compress,
                            int compress_level, const std::optional<std::string>& psf,
                            const std::optional<std::string>& spectra, bool overwrite,
                            int threads) {
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
  options.cosmics = {cosmics, unmasked_cosmics};
  options.compress_level = compress_level;
  options.psf = psf;
  options.spectra = spectra;
  options.overwrite = overwrite;
  options.threads = threads;
  options.program = "spexbench";
  check_options(options);
  spex::simulate(options);
  std::vector<Files> files;
  for (int last = expid + exposures; options.expid < last; ++options.expid)
    for (const Camera& camera : options.cameras)
      files.emplace_back(camera.name(), options.expid, output_name(options, "preproc", camera),
                         output_name(options, "psf", camera),
                         output_name(options, "truth", camera));
  return files;
}

using Doubles = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The image [ny, nx] of light: wavelengths [1 or nfiber, nwave], electrons [nfiber, nwave].
nb::object project(const Psf& psf, int first, const Doubles& wave, const Doubles& electrons,
                   int threads) {
  Light light;
  light.first = first;
  light.nfiber = static_cast<int>(electrons.shape(0));
  light.nwave = static_cast<int>(electrons.shape(1));
  if (first < 0 || first + light.nfiber > psf.nfiber)
    throw usage_error("specmin",
                      fmt::format("{} and {} spectra exceed the PSF", first, light.nfiber),
                      fmt::format("at most {} fibers", psf.nfiber));
  light.wave.assign(wave.data(), wave.data() + wave.size());
  light.electrons.assign(electrons.data(), electrons.data() + electrons.size());
  std::vector<double> image;
  {
    const WithoutGil released;
    image = spex::project(psf, light, threads);
  }
  return nb::cast(as_array(std::move(image), {static_cast<std::size_t>(psf.npix_y),
                                              static_cast<std::size_t>(psf.npix_x)}));
}

// Wavelengths [1 or nfiber, nwave] and flux [nfiber, nwave] of a file for --spectra.
nb::tuple given_spectra(const std::string& path) {
  GivenSpectra given;
  {
    const WithoutGil released;
    given = spex::read_spectra(path);
  }
  const auto nwave = static_cast<std::size_t>(given.nwave);
  const std::size_t rows = given.wave.size() / nwave;
  return nb::make_tuple(
      as_array(std::move(given.wave), {rows, nwave}),
      as_array(std::move(given.flux), {static_cast<std::size_t>(given.nfiber), nwave}));
}

}  // namespace

void bind_simulate(nb::module_& module) {
  module.def("simulate", &simulate, nb::call_guard<WithoutGil>(), "folder"_a, nb::kw_only(),
             "cameras"_a, "size"_a, "seed"_a, "flavor"_a, "expid"_a, "exposures"_a, "psf_shift"_a,
             "night"_a, "exptime"_a, "on_grid"_a, "ivar"_a, "cosmics"_a, "unmasked_cosmics"_a,
             "compress"_a, "compress_level"_a, "psf"_a.none(), "spectra"_a.none(), "overwrite"_a,
             "threads"_a,
             "Writes exposures. Returns camera, exposure and the preproc, psf and truth file of "
             "each frame.");
  module.def("read_given_spectra", &given_spectra, "path"_a,
             "Wavelengths (Angstrom) [1 or nfiber, nwave] and flux (electron / Angstrom) [nfiber, "
             "nwave] of a truth, or of a table with the columns WAVELENGTH and FLUX. Raises "
             "DataError.");
  module.def("project", &project, "psf"_a, "first"_a, "wave"_a, "electrons"_a, "threads"_a,
             "Expected electrons [ny, nx] of fibers from `first` on: wavelengths [1 or nfiber, "
             "nwave] in Angstrom, electrons of each bin [nfiber, nwave]. Raises UsageError, "
             "DataError.");
}

}  // namespace spex::python
