#include "mpi/programs/production_options.hpp"

#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "reference/core/error.hpp"

namespace spex {
namespace {

// The Earth moves at 1e-4 of the speed of light; a larger value is a velocity in km/s, not a
// factor.
constexpr double max_shift = 1e-3;

}  // namespace

void add_production_options(CLI::App& app, ProductionArguments& arguments) {
  const char* const barycentric = "Barycentric correction";
  CLI::Option* const all = app.add_flag("--barycentric-correction", arguments.barycentric,
                                        "Correct wavelengths to the Solar System's barycenter")
                               ->group(barycentric);
  CLI::Option* const by_obstype =
      app.add_flag("--barycentric-by-obstype", arguments.barycentric_by_obstype,
                   "The same, only for frames whose OBSTYPE is SCIENCE or SKY")
          ->excludes(all)
          ->group(barycentric);
  app.add_flag("--no-barycentric-correction", arguments.no_barycentric,
               "Disable the correction that --night implies")
      ->excludes(all)
      ->excludes(by_obstype)
      ->group(barycentric);
  app.add_option(
         "--iers", arguments.iers,
         "finals2000A.all of the IERS (UT1-UTC, polar motion): the factor is then accurate to "
         "1e-12 instead of 1e-10")
      ->group(barycentric);
  app.add_option("--heliocor", arguments.heliocor,
                 "Factor, barycentric / observed wavelength; default: computed from the frame's "
                 "header")
      ->group(barycentric);

  const char* const scripts = "For production's scripts";
  app.add_flag("--psferr-by-arm", arguments.psferr_by_arm,
               "Default of --psferr like desi_proc: 0.04 for b, 0.01 for r and z")
      ->group(scripts);
  app.add_flag("--no-gpu", arguments.no_gpu, "Ignored by spex-cpu, rejected by spex-gpu")
      ->group(scripts);
  app.add_flag("--use-gpu", arguments.use_gpu,
               "gpu_specter's: ignored by spex-gpu, rejected by spex-cpu")
      ->group(scripts);
  app.add_flag("--async-io", arguments.async_io,
               "gpu_specter's: ignored (see --schedule and --milestone)")
      ->group(scripts);
  app.add_flag("-v,--verbose", arguments.verbose, "--loglevel debug")
      ->excludes(app.get_option("--loglevel"))
      ->group(scripts);
  app.add_flag("--use-specter", arguments.use_specter, "Rejected: use desi_extract_spectra")
      ->group(scripts);
  app.add_flag("--decorrelate-fibers", arguments.decorrelate_fibers, "Rejected, as by gpu_specter")
      ->group(scripts);
}

void check_production_options(const ProductionArguments& arguments, Device device) {
  if (arguments.use_specter)
    throw usage_error("--use-specter", "this program is not specter and cannot run it",
                      "desi_extract_spectra");
  if (arguments.decorrelate_fibers)
    throw usage_error("--decorrelate-fibers", "is an option of specter only",
                      "no such option, or --decorrelate noise (extraction.md, section 5)");
  if (arguments.use_gpu && device == Device::cpu)
    throw usage_error("--use-gpu", "this program extracts on CPUs", "spex-gpu, which uses GPUs");
  if (arguments.no_gpu && device == Device::gpu)
    throw usage_error("--no-gpu", "this program extracts on GPUs", "spex-cpu, which uses none");
}

BarycentricSettings barycentric_settings(const ProductionArguments& arguments) {
  BarycentricSettings settings;
  const bool by_obstype =
      arguments.barycentric_by_obstype || (arguments.as_desi_proc && !arguments.no_barycentric);
  settings.frames = arguments.barycentric ? BarycentricFrames::all
                    : by_obstype          ? BarycentricFrames::of_sky
                                          : BarycentricFrames::none;
  settings.heliocor = arguments.heliocor;
  const bool corrects = settings.frames != BarycentricFrames::none;
  constexpr const char* with = "--barycentric-correction or --barycentric-by-obstype";
  if (settings.heliocor && !corrects)
    throw usage_error("--heliocor", "requires a barycentric correction", with);
  if (settings.heliocor && !(std::abs(*settings.heliocor - 1) <= max_shift))
    throw usage_error("--heliocor",
                      fmt::format("{:g} is not a wavelength factor", *settings.heliocor),
                      "barycentric / observed wavelength, such as 1.00006");
  if (!arguments.iers.empty() && !corrects)
    throw usage_error("--iers", "requires a barycentric correction", with);
  if (!arguments.iers.empty() && settings.heliocor)
    throw usage_error("--iers", "cannot be combined with --heliocor, which sets the factor",
                      "one of them");
  return settings;
}

void load_earth_orientation(const mpi::Communicator& world, const ProductionArguments& arguments,
                            BarycentricSettings& settings) {
  if (settings.frames == BarycentricFrames::none || settings.heliocor) return;
  if (arguments.iers.empty()) {
    if (world.is_root())
      spdlog::info(
          "barycentric correction without --iers: UT1 = UTC and no polar motion, accurate to "
          "1e-10");
    return;
  }
  EarthOrientationTable table;
  mpi::on_root(world, [&] { table = read_earth_orientation(arguments.iers); });
  mpi::broadcast(world, table);
  if (world.is_root())
    spdlog::info("barycentric correction with {}: MJD {:.0f} to {:.0f}, accurate to 1e-12",
                 arguments.iers, table.mjd.front(), table.mjd.back());
  settings.earth = std::make_shared<const EarthOrientationTable>(std::move(table));
}

}  // namespace spex
