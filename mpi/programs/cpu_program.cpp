#include "mpi/programs/cpu_program.hpp"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "mpi/comm/collective.hpp"
#include "mpi/comm/environment.hpp"
#include "mpi/programs/exposure_cli.hpp"
#include "mpi/programs/extract_cli.hpp"
#include "mpi/programs/report.hpp"
#include "mpi/programs/run_on_ranks.hpp"
#include "mpi/run/affinity.hpp"
#include "reference/cli/program.hpp"
#include "reference/core/version.hpp"

namespace spex {
namespace {

constexpr const char* program = "spex-cpu";

constexpr const char* footer =
    "Examples:\n"
    "  spex-cpu -i preproc-r0-00051060.fits.fz -p psf-r0-00051060.fits -o frame-r0-00051060.fits\n"
    "  mpirun -n 20 spex-cpu -i preproc.fits -p psf.fits -o frame.fits --threads 1\n"
    "  spex-cpu -i preproc.fits -p psf.fits -o part.fits -w 6500,6600,0.8 -s 50 -n 25 -m "
    "model.fits\n"
    "  mpirun -n 20 spex-cpu --exposure night/51060 --outdir out --schedule interleave-io\n"
    "\n"
    "Exit status: 0 success, 1 bad file or failure, 2 bad command line,\n"
    "7 frames without inputs were skipped (--skip-missing).";

// More threads writing one frame would wait for its file.
constexpr int max_write_threads = 4;

int extract(int argc, char** argv, const mpi::Communicator& world, const HookOfRank& hook_of) {
  CLI::App app("Extracts 1D spectra from preprocessed CCD frames by spectroperfectionism.",
               program);
  app.set_version_flag("--version", version_text(program));
  app.footer(footer);
  ExtractArguments arguments;
  add_extract_options(app, arguments);
  ExposureArguments many;
  add_exposure_options(app, arguments, many);
  int status = 0;
  if (!parse_extract_command_line(app, argc, argv, world.is_root(), status)) return status;

  FrameJob job;
  arguments.production.as_desi_proc = many.night.has_value();
  mpi::collective(world, [&] { job = prepare_job(arguments, program); });
  FramesToDo to_do = frames_to_do(world, job, many);
  load_earth_orientation(world, arguments.production, job.settings.barycentric);
  const int threads = arguments.threads.value_or(mpi::share_of_cpus(world.node()));
  if (world.is_root())
    spdlog::info("{}: {} rank(s) of {} thread(s)", many.many() ? "frames" : job.files.input,
                 world.size(), threads);
  job.settings.read_threads = threads;
  job.settings.write_threads = std::min(threads, max_write_threads);
  const int extractors = extractors_of_rank(many);
  const mpi::ExtractorFactory make = [=](int /*slot*/) {
    return cpu_extractor(std::max(1, threads / extractors));
  };
  mpi::PhaseHook hook;
  mpi::collective(world, [&] {
    if (hook_of) hook = hook_of(world.rank());
  });
  return extract_one_or_many(world, job, many, std::move(to_do), make, hook);
}

}  // namespace

int cpu_program(int argc, char** argv, const HookOfRank& hook_of) {
  set_up_program(program);
  return run_on_ranks(program, argc, argv,
                      [&](int count, char** words, const mpi::Communicator& world) {
                        return extract(count, words, world, hook_of);
                      });
}

}  // namespace spex
