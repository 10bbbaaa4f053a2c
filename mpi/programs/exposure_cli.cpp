#include "mpi/programs/exposure_cli.hpp"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/programs/report.hpp"
#include "mpi/run/frame_list.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"

namespace spex {
namespace {

constexpr const char* files_of_one[] = {"--input", "--psf", "--output"};

Schedule parse_schedule(const std::string& text) {
  for (const Schedule one : {Schedule::sequential, Schedule::interleave_io, Schedule::pipeline})
    if (to_string(one) == text) return one;
  throw usage_error("--schedule", "unknown '" + text + "'",
                    "sequential or interleave-io or pipeline");
}

// An option that only the schedule pipeline has.
const char* pipeline_option(const ExposureArguments& many) {
  if (many.readers) return "--readers";
  if (many.extractors) return "--extractors";
  if (many.writers) return "--writers";
  if (many.frames_in_flight) return "--frames-in-flight";
  return nullptr;
}

// An option that only many frames have, given for one.
const char* stray_option(const ExposureArguments& many) {
  if (!many.outdir.empty()) return "--outdir";
  if (!many.schedule.empty()) return "--schedule";
  if (many.groups) return "--groups";
  if (const char* option = pipeline_option(many)) return option;
  if (many.events) return "--events";
  return nullptr;
}

std::vector<FrameFiles> frames_of(const ExposureArguments& many) {
  if (!many.exposure.empty())
    return mpi::frames_of_folder(many.exposure, many.outdir.empty() ? many.exposure : many.outdir);
  return mpi::frames_of_list(many.list);
}

mpi::ExposureJob make_exposure_job(const mpi::Communicator& world, const FrameSettings& settings,
                                   const ExposureArguments& many) {
  mpi::ExposureJob job;
  // One rank looks, so that all see the same files.
  mpi::on_root(world, [&] {
    job.frames = frames_of(many);
    mpi::check_outputs(job.frames);
  });
  broadcast(world, job.frames);
  mpi::collective(world, [&] {
    job.settings = settings;
    job.schedule = many.schedule.empty() ? traits(settings.options.milestone).schedule
                                         : parse_schedule(many.schedule);
    const char* const option = pipeline_option(many);
    if (option != nullptr && job.schedule != Schedule::pipeline)
      throw usage_error(option, "is for the schedule pipeline, not " + to_string(job.schedule),
                        "no such option, or that schedule");
    job.groups = many.groups;
    job.readers = many.readers.value_or(job.readers);
    job.extractors = extractors_of_rank(many);
    job.writers = many.writers.value_or(job.writers);
    job.devices = many.devices;
    job.frames_in_flight = many.frames_in_flight;
    job.events = many.events;
  });
  return job;
}

int extract_one(const mpi::Communicator& world, const FrameJob& job,
                const mpi::ExtractorFactory& make) {
  const mpi::ExposureSummary summary = run_one_frame(world, job, make);
  if (world.is_root()) report(summary, job);
  return status::done;
}

}  // namespace

void add_exposure_options(CLI::App& app, const ExtractArguments& one, ExposureArguments& many) {
  const char* const files = "Many frames";
  app.add_option("--exposure", many.exposure,
                 "Folder: extract every preproc-CAMERA-EXPID.fits[.gz|.fz] with the "
                 "psf-CAMERA-EXPID.fits beside it, into frame-CAMERA-EXPID.fits")
      ->group(files);
  app.add_option("--list", many.list,
                 "File with a frame a line: CAMERA IMAGE PSF OUTPUT, blanks between; # comments")
      ->group(files);
  app.add_option("--outdir", many.outdir,
                 "Folder for the frames of --exposure; that folder itself where not given")
      ->group(files);
  if (one.device == Device::cpu)
    app.add_option(
           "--schedule", many.schedule,
           "sequential: a frame after the other; interleave-io: a rank of each group reads, "
           "one writes; pipeline: a rank a frame, with threads that read and write. "
           "sequential where not given")
        ->group(files);
  app.add_option("--groups", many.groups,
                 "Groups of ranks that frames are dealt to; one a node where not given")
      ->group(files);
  app.add_option("--ranks-per-bundle", many.ranks_per_bundle,
                 "Ranks that share a bundle, by its subbundles; where not given, one, and more "
                 "where there are more ranks than bundles")
      ->group(files);
  app.add_option("--readers", many.readers, "pipeline: reading threads of a rank; 2 if not given")
      ->group(files);
  app.add_option("--extractors", many.extractors,
                 "pipeline: extracting threads of a rank, a frame each; 1 if not given")
      ->group(files);
  app.add_option("--writers", many.writers, "pipeline: writing threads of a rank; 2 if not given")
      ->group(files);
  app.add_option("--frames-in-flight", many.frames_in_flight,
                 "pipeline: frames of a rank in memory; one for each of its threads if not given")
      ->group(files);
  app.add_option("--events", many.events,
                 "Write a log of when which rank did what, as JSON, to this file")
      ->group(files);

  for (const char* name : files_of_one) app.get_option(name)->required(false);
  app.parse_complete_callback([&app, &many] {
    for (const char* name : files_of_one)
      if (!many.many() && app.get_option(name)->count() == 0) throw CLI::RequiredError(name);
  });
}

int extractors_of_rank(const ExposureArguments& many) {
  return many.extractors.value_or(1);
}

int extract_one_or_many(const mpi::Communicator& world, FrameJob one, const ExposureArguments& many,
                        const mpi::ExtractorFactory& make, const mpi::PhaseHook& hook) {
  mpi::collective(world, [&] {
    one.settings.ranks_per_bundle = many.ranks_per_bundle;
    if (!many.many()) {
      if (const char* stray = stray_option(many))
        throw usage_error(stray, "is for many frames", "--exposure or --list with it");
      return;
    }
    const char* const other = many.list.empty() ? "--exposure" : "--list";
    if (!many.exposure.empty() && !many.list.empty())
      throw usage_error("--list", "goes without --exposure", "one of them");
    if (!one.files.input.empty() || !one.files.psf.empty() || !one.files.output.empty())
      throw usage_error(other, "goes without --input, --psf and --output", "one frame or many");
    if (one.files.model || one.files.fibermap)
      throw usage_error(other, "goes without --model and --fibermap", "one frame for those");
    if (!many.list.empty() && !many.outdir.empty())
      throw usage_error("--outdir", "goes with --exposure; a list names its outputs",
                        "no --outdir");
    if (extractors_of_rank(many) < 1)
      throw usage_error("--extractors", std::to_string(*many.extractors), "1 or more");
  });
  if (!many.many()) return extract_one(world, one, make);
  mpi::ExposureJob job = make_exposure_job(world, one.settings, many);
  job.hook = hook;
  const mpi::ExposureSummary summary = run_exposure(world, job, make);
  if (world.is_root()) report(summary, job);
  return summary.failed == 0 ? status::done : status::failed;
}

}  // namespace spex
