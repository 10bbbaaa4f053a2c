// spex-gpu: extracts frames on GPUs, alone or under mpirun. Built without CUDA, it says so and
// ends.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "gpu/programs/gpu_extractor.hpp"
#include "mpi/collective.hpp"
#include "mpi/environment.hpp"
#include "mpi/extract_frame.hpp"
#include "reference/core/version.hpp"
#include "reference/programs/extract_cli.hpp"
#include "reference/programs/program.hpp"
#include "reference/programs/report.hpp"
#include "reference/programs/run_on_ranks.hpp"

namespace {

constexpr const char* program = "spex-gpu";

constexpr const char* footer =
    "Examples:\n"
    "  spex-gpu -i preproc-r0-00051060.fits.fz -p psf-r0-00051060.fits -o frame-r0-00051060.fits\n"
    "  mpirun -n 4 spex-gpu -i preproc.fits -p psf.fits -o frame.fits --milestone batch-eigh\n"
    "\n"
    "Exit status: 0 done, 1 a file is wrong or the work failed, 2 the command line is wrong,\n"
    "77 there is no GPU (spex-cpu does the same work on the CPU).";

int extract(int argc, char** argv, const spex::mpi::Communicator& world) {
  CLI::App app("Extracts 1D spectra from preprocessed CCD frames by spectroperfectionism, on GPUs.",
               program);
  app.set_version_flag("--version", spex::version_text(program));
  app.footer(footer);
  spex::ExtractArguments arguments;
  arguments.milestones = {spex::Milestone::direct, spex::Milestone::batch_subbundle,
                          spex::Milestone::batch_eigh, spex::Milestone::multi_gpu};
  spex::add_extract_options(app, arguments);
  std::optional<int> device;
  app.add_option("--device", device,
                 "GPU of every rank; where not given, ranks of a node take them in turn")
      ->group("Running");
  int status = 0;
  if (!spex::parse_command_line(app, argc, argv, world.is_root(), status)) return status;

  spex::mpi::FrameJob job;
  spex::mpi::collective(world, [&] { job = spex::prepare_job(arguments, program); });
  std::string missing = spex::gpu::why_no_gpu();
  if (!missing.empty()) {
    if (world.is_root()) spdlog::error("{} (spex-cpu does the same work on the CPU)", missing);
    return spex::gpu::status_no_gpu;
  }
  spex::mpi::PatchExtractor extractor;
  spex::mpi::collective(world,
                        [&] { extractor = spex::gpu::gpu_extractor(device, world.node().rank()); });
  if (world.is_root()) spdlog::info("{}: {} rank(s)", job.input, world.size());
  const spex::mpi::FrameSummary summary = extract_frame(world, job, extractor);
  if (world.is_root()) spex::report(summary, job);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  spex::set_up_logging(program);
  return spex::run_on_ranks(program, argc, argv, extract);
}
