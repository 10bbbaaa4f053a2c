// spex-cpu: extracts one frame with the CPU reference, alone or under mpirun.

#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "mpi/environment.hpp"
#include "mpi/extract_frame.hpp"
#include "reference/core/parallel.hpp"
#include "reference/core/version.hpp"
#include "reference/linalg/symmetric.hpp"
#include "reference/programs/extract_cli.hpp"
#include "reference/programs/program.hpp"

namespace {

constexpr const char* program = "spex-cpu";

constexpr const char* footer =
    "Examples:\n"
    "  spex-cpu -i preproc-r0-00051060.fits.fz -p psf-r0-00051060.fits -o frame-r0-00051060.fits\n"
    "  mpirun -n 20 spex-cpu -i preproc.fits -p psf.fits -o frame.fits --threads 1\n"
    "  spex-cpu -i preproc.fits -p psf.fits -o part.fits -w 6500,6600,0.8 -s 50 -n 25 -m "
    "model.fits\n"
    "\n"
    "Exit status: 0 done, 1 a file is wrong or the work failed, 2 the command line is wrong.";

// The rank's share of its node's CPUs, and no more than it may run on.
int share_of_threads(const spex::mpi::Communicator& world) {
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  const int share = std::max(1, static_cast<int>(cpus / world.node().size()));
  return std::min(spex::default_threads(), share);
}

void report(const spex::mpi::FrameSummary& summary, const spex::mpi::FrameJob& job) {
  std::string profile;
  for (std::size_t i = 0; i < spex::stage_count; ++i) {
    const auto stage = static_cast<spex::Stage>(i);
    profile += fmt::format("{}{} {:.2f}", i == 0 ? "" : ", ", spex::to_string(stage),
                           summary.times.get(stage));
  }
  spdlog::info("seconds of all threads: {}", profile);
  const spex::PatchCounts& counts = summary.counts;
  if (counts.fell_back > 0)
    spdlog::warn("{} of {} patches fell back to eigh", counts.fell_back, counts.patches);
  if (counts.failed > 0)
    spdlog::warn("{} of {} patches could not be solved and are flagged NODATA", counts.failed,
                 counts.patches);
  spdlog::info("wrote {}: {} patches by {}", job.output, counts.patches,
               to_string(job.options.method));
}

int extract(const spex::ExtractArguments& arguments, const spex::mpi::Communicator& world) {
  spex::set_log_level(arguments.loglevel);
  spex::mpi::FrameJob job = spex::make_job(arguments);
  job.program = program;
  job.threads = arguments.threads.value_or(share_of_threads(world));
  job.show_progress = spdlog::should_log(spdlog::level::info);
  if (world.is_root())
    spdlog::info("{}: {} rank(s) of {} thread(s)", job.input, world.size(), job.threads);
  const spex::mpi::FrameSummary summary = extract_frame(world, job);
  if (world.is_root()) report(summary, job);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  spex::set_up_logging(program);
  spex::use_single_threaded_blas();
  bool speaks = true;
  return spex::run_guarded(program, speaks, [&] {
    const spex::mpi::Environment environment(argc, argv);
    const spex::mpi::Communicator world = spex::mpi::Communicator::world();
    speaks = world.is_root();

    CLI::App app("Extracts 1D spectra from a preprocessed CCD frame by spectroperfectionism.",
                 program);
    app.set_version_flag("--version", spex::version_text(program));
    app.footer(footer);
    spex::ExtractArguments arguments;
    spex::add_extract_options(app, arguments);
    int status = 0;
    if (!spex::parse_command_line(app, argc, argv, speaks, status)) return status;
    return extract(arguments, world);
  });
}
