// spex-sim: simulates exposures with their truth.

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <string>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "reference/cli/program.hpp"
#include "reference/core/choose.hpp"
#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/core/version.hpp"
#include "reference/sim/simulate.hpp"

namespace {

constexpr const char* program = "spex-sim";

constexpr const char* footer =
    "Writes psf-CAMERA-EXPID.fits, preproc-CAMERA-EXPID.fits (the image) and\n"
    "truth-CAMERA-EXPID.fits (the spectra that went in) for each camera.\n"
    "Same options and seed, same bytes, whatever the number of threads.\n"
    "\n"
    "Examples:\n"
    "  spex-sim -o night --size bundle\n"
    "  spex-sim -o night --cameras b0,r0,z0 --seed 7 --size bundle --on-grid\n"
    "  spex-sim -o night --cameras all --compress fz --expid 51060\n"
    "  spex-sim -o night --cameras r0 --psf psf-r0-00051060.fits\n"
    "  spex-sim -o night --cameras r0 --spectra spectra.fits\n"
    "  spex-sim -o night --flavor flat && spex-sim -o night --expid 2 --exposures 3   # a night\n"
    "then\n"
    "  spex-cpu -i night/preproc-r0-00000001.fits -p night/psf-r0-00000001.fits -o frame.fits\n"
    "\n"
    "Exit status: 0 success, 1 bad file or failure, 2 bad command line.";

// The command line's arguments.
struct Arguments {
  spex::SimOptions options;
  std::string cameras = "r0";
  std::string seed = "1";
  std::string size = to_string(spex::SimSize::full);
  std::string flavor = to_string(spex::Flavor::science);
  std::string ivar = to_string(spex::IvarOf::expected);
  std::string compress = to_string(spex::Compress::none);
  std::string files = to_string(spex::SimFiles::all);
  std::string loglevel = "info";
};

void add_options(CLI::App& app, Arguments& arguments) {
  spex::SimOptions& o = arguments.options;
  app.option_defaults()->always_capture_default();

  app.add_option("-o,--output", o.folder, "Output folder; created if its parent exists")
      ->required()
      ->group("Files");
  app.add_option("--compress", arguments.compress,
                 "Compression of the preproc files: none, gz, or fz (lossless tile compression)")
      ->type_name("none|gz|fz")
      ->group("Files");
  app.add_option("--compress-level", o.compress_level,
                 "zlib's level of --compress gz, 1 to 9; DESI's pipeline takes 9")
      ->group("Files");
  app.add_option("--files", arguments.files,
                 "all; inputs: PSF and image, without the seed in their headers; truth: only the "
                 "truth")
      ->type_name("all|inputs|truth")
      ->group("Files");
  app.add_flag("--overwrite", o.overwrite, "Replace existing files")->group("Files");
  app.add_option("--psf", o.psf, "Use the PSF of this file; only with one camera")->group("Files");
  app.add_option("--spectra", o.spectra,
                 "Use the spectra of this file, a row a fiber, in the form of a truth; only with "
                 "one camera")
      ->group("Files");

  app.add_option("--cameras", arguments.cameras, "Cameras such as b0,r0,z9, or all (30)")
      ->group("What to simulate");
  app.add_option("--seed", arguments.seed, "Seed of sky, targets and noise")
      ->type_name("INT")
      ->group("What to simulate");
  app.add_option("--size", arguments.size,
                 "tiny: 25 fibers on 300 rows from the start of the grid; bundle: 25 fibers, all "
                 "wavelengths; full: 500 fibers, the whole CCD")
      ->type_name("tiny|bundle|full")
      ->group("What to simulate");
  app.add_flag("--on-grid", o.on_grid,
               "Simulate flux on the extraction's grid, as spex-compare --truth needs; default: "
               "every 0.4 Angstrom")
      ->group("What to simulate");
  app.add_option("--ivar", arguments.ivar,
                 "Variance from the expected electrons of a pixel, or from the observed electrons "
                 "(biases faint spectra)")
      ->type_name("expected|observed")
      ->group("What to simulate");
  app.add_option("--cosmics", o.cosmics.factor,
                 "Cosmic rays, times those of 900 s (a track in 8000 pixels); --exptime does not "
                 "change them")
      ->type_name("FACTOR")
      ->group("What to simulate");
  app.add_option("--unmasked-cosmics", o.cosmics.unmasked,
                 "Fraction of the cosmic rays that MASK misses, as if not found; the truth lists "
                 "their pixels")
      ->type_name("FRACTION")
      ->group("What to simulate");
  app.add_option("--exptime", o.exptime, "Exposure time, s")->group("What to simulate");
  app.add_option("--flavor", arguments.flavor,
                 "science: targets and sky; flat: continuum lamps; arc: line lamps; sky: sky in "
                 "all fibers. A seed has the same throughputs in all flavors")
      ->type_name("science|flat|arc|sky")
      ->group("What to simulate");
  app.add_option("--expid", o.expid, "Exposure number, for file names, header and noise")
      ->group("What to simulate");
  app.add_option("--exposures", o.exposures, "Number of exposures, numbered from --expid")
      ->group("What to simulate");
  app.add_option("--psf-shift", o.psf_shift,
                 "Shift the PSF traces of each exposure by up to this many pixels; 0: one PSF for "
                 "all")
      ->group("What to simulate");
  app.add_option("--night", o.night, "Date in the header, YYYYMMDD")->group("What to simulate");

  app.add_option("--threads", o.threads, "Number of threads")->group("Running");
  app.add_option("--loglevel", arguments.loglevel, "debug, info, warn or error")
      ->type_name("debug|info|warn|error")
      ->group("Running");
}

// CLI11 would read -1 as the largest unsigned number, and saturate numbers that are too large.
std::uint64_t parse_seed(const std::string& text) {
  std::int64_t seed = -1;  // limited by the header's SIMSEED
  const char* const end = text.data() + text.size();
  const auto [after, code] = std::from_chars(text.data(), end, seed);
  if (code != std::errc() || after != end || seed < 0)
    throw spex::usage_error("--seed", "'" + text + "'", "an integer from 0 to 2^63 - 1");
  return static_cast<std::uint64_t>(seed);
}

spex::SimOptions make_options(const Arguments& arguments) {
  using spex::choose;
  using enum spex::SimSize;
  spex::SimOptions options = arguments.options;
  options.cameras = spex::parse_cameras(arguments.cameras);
  options.seed = parse_seed(arguments.seed);
  options.size = choose<spex::SimSize>("--size", arguments.size, {tiny, bundle, full});
  options.flavor = choose<spex::Flavor>(
      "--flavor", arguments.flavor,
      {spex::Flavor::science, spex::Flavor::flat, spex::Flavor::arc, spex::Flavor::sky});
  options.ivar = choose<spex::IvarOf>("--ivar", arguments.ivar,
                                      {spex::IvarOf::expected, spex::IvarOf::observed});
  options.compress =
      choose<spex::Compress>("--compress", arguments.compress,
                             {spex::Compress::none, spex::Compress::gz, spex::Compress::fz});
  options.files =
      choose<spex::SimFiles>("--files", arguments.files,
                             {spex::SimFiles::all, spex::SimFiles::inputs, spex::SimFiles::truth});
  options.program = program;
  spex::check_options(options);
  return options;
}

int run(const Arguments& arguments) {
  spex::set_log_level(arguments.loglevel);
  spex::SimOptions options = make_options(arguments);
  options.show_progress = spdlog::should_log(spdlog::level::info);
  spdlog::info("{} frame(s), {}, size {}, seed {}, {} thread(s)",
               options.cameras.size() * static_cast<std::size_t>(options.exposures),
               to_string(options.flavor), to_string(options.size), options.seed, options.threads);
  spex::simulate(options);
  spdlog::info("wrote the files into {}", options.folder);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  spex::set_up_program(program);
  return spex::run_guarded(program, [&] {
    CLI::App app("Simulates an exposure of DESI's spectrographs, with its truth.", program);
    app.set_version_flag("--version", spex::version_text(program));
    app.footer(footer);
    Arguments arguments;
    arguments.options.threads = spex::default_threads();
    add_options(app, arguments);
    int status = 0;
    if (!spex::parse_command_line(app, argc, argv, true, status)) return status;
    return run(arguments);
  });
}
