#include "mpi/programs/exposure_cli.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/programs/exposure_checks.hpp"
#include "mpi/programs/report.hpp"
#include "mpi/run/exposure_folders.hpp"
#include "mpi/run/exposure_job.hpp"
#include "mpi/run/pipeline_threads.hpp"
#include "reference/core/choose.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/core/log_file.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/frame/production_paths.hpp"
#include "reference/model/camera.hpp"
#include "reference/model/milestones.hpp"

namespace spex {
namespace {

constexpr const char* files_of_one[] = {"--input", "--psf", "--output"};

mpi::FrameNames parse_frame_names(const std::string& text) {
  return choose<mpi::FrameNames>("--frame-names", text,
                                 {mpi::FrameNames::plain, mpi::FrameNames::desi_proc});
}

std::vector<int> parse_expids(const std::string& text) {
  std::vector<int> expids;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    int expid = -1;
    const char* const end = word.data() + word.size();
    const auto [after, code] = std::from_chars(word.data(), end, expid);
    if (code != std::errc() || after != end || expid < 0)
      throw usage_error("--expid", "'" + word + "' is not an exposure number",
                        "numbers from 0 on, commas between");
    if (std::ranges::find(expids, expid) != expids.end())
      throw usage_error("--expid", fmt::format("{} is named twice", expid), "each exposure once");
    expids.push_back(expid);
  }
  return expids;
}

// Input and output folders of each exposure, with the command line's overrides.
std::vector<mpi::ExposureFolders> folders_of(const ExposureArguments& many) {
  const std::vector<int> expids = parse_expids(many.expid);
  std::vector<mpi::ExposureFolders> all;
  if (many.night) {
    const std::string root = specprod_root(many.specprod);
    if (root.empty())
      throw usage_error("--night", "the production is not known",
                        "--specprod, or SPECPROD and DESI_SPECTRO_REDUX in the environment");
    for (const int expid : expids.empty() ? mpi::exposures_of_night(root, *many.night) : expids)
      all.push_back(mpi::production_folders(root, *many.night, expid));
  } else {
    mpi::ExposureFolders folders;
    folders.preproc = folders.psf = folders.output = many.exposure;
    all.assign(std::max<std::size_t>(expids.size(), 1), folders);
    for (std::size_t i = 0; i < expids.size(); ++i) all[i].expid = expids[i];
  }
  for (mpi::ExposureFolders& folders : all) {
    if (!many.preproc_dir.empty()) folders.preproc = many.preproc_dir;
    if (!many.psf_dir.empty()) folders.psf = many.psf_dir;
    if (!many.outdir.empty()) folders.output = many.outdir;
    if (!many.frame_names.empty()) folders.names = parse_frame_names(many.frame_names);
    if (many.cameras.empty()) continue;
    for (const Camera& camera : parse_cameras(many.cameras))
      folders.cameras.push_back(camera.name());
  }
  return all;
}

std::vector<FrameFiles> frames_of(const ExposureArguments& many) {
  if (!many.list.empty()) return mpi::frames_of_list(many.list);
  if (!many.outdir.empty() && !std::filesystem::is_directory(many.outdir))
    throw data_error(many.outdir, "is not a folder that exists", "one for the frames");
  return mpi::frames_of_exposures(folders_of(many));
}

mpi::ExposureJob make_exposure_job(const mpi::Communicator& world, const FrameSettings& settings,
                                   const ExposureArguments& many, const FramesToDo& to_do) {
  mpi::ExposureJob job;
  job.frames = to_do.frames;
  job.skipped = to_do.skipped;
  mpi::collective(world, [&] {
    job.settings = settings;
    job.schedule = many.schedule.empty() ? traits(settings.options.milestone).schedule
                                         : parse_schedule(many.schedule);
    const char* const option = pipeline_option(many);
    if (option != nullptr && job.schedule != Schedule::pipeline)
      throw usage_error(option, "requires the schedule pipeline, not " + to_string(job.schedule),
                        "no such option, or that schedule");
    job.groups = many.groups;
    job.readers = many.readers.value_or(job.readers);
    job.extractors = extractors_of_rank(many);
    job.writers = many.writers.value_or(job.writers);
    job.frames_in_flight = many.frames_in_flight;
    job.events = many.events;
    job.find_devices = many.find_devices;
  });
  return job;
}

// Takes the frames whose files are to be found. Rank 0 alone looks for them, so that all ranks see
// the same.
void take_frames(const mpi::Communicator& world, const FrameFiles& one,
                 const ExposureArguments& many, FramesToDo& to_do) {
  std::vector<FrameFiles> frames;
  std::optional<mpi::Failure> failure;
  if (many.from_pipe()) {
    if (world.is_root()) failure = mpi::attempt([&] { frames = to_do.pipe->next(); });
    wait_idly(world);
  }
  mpi::on_root(world, [&] {
    if (failure) throw Error(failure->kind, "", failure->text);
    if (!many.many())
      frames = {one};
    else if (!many.from_pipe())
      frames = frames_of(many);
    mpi::find_inputs(frames);
    if (many.from_pipe())
      to_do.pipe->note_clashes(frames);
    else if (many.many())
      mpi::note_clashes(frames, {many.list, many.events.value_or("")});
    to_do.skipped.clear();
    if (many.many())
      to_do.skipped = mpi::skip_frames(frames, {many.skip_existing, many.skip_missing});
    to_do.frames = std::move(frames);
  });
  broadcast(world, to_do.frames);
  broadcast(world, to_do.skipped);
}

int extract_one(const mpi::Communicator& world, const FrameJob& job,
                const mpi::ExtractorFactory& make, const mpi::PhaseHook& hook,
                const std::optional<std::string>& events) {
  const mpi::ExposureSummary summary = run_one_frame(world, job, make, hook, events);
  if (world.is_root()) report(summary, job);
  return status::done;
}

constexpr const char* many_frames = "Many frames";  // a group of --help

// Which frames to extract.
void add_frames_options(CLI::App& app, ExposureArguments& many) {
  app.add_option(
         "--exposure", many.exposure,
         "Folder of the exposure: extract every preproc-CAMERA-EXPID.fits[.gz|.fz] with its "
         "psf-CAMERA-EXPID.fits[.gz|.fz] to frame-CAMERA-EXPID.fits")
      ->group(many_frames);
  app.add_option("--night", many.night,
                 "YYYYMMDD: extract the exposures of this night in a production's tree, with "
                 "desi_proc's settings and names (docs/desi-proc.md)")
      ->group(many_frames);
  app.add_option("--expid", many.expid,
                 "Exposure numbers of the night or folder, comma-separated; default: all")
      ->group(many_frames);
  app.add_option("--specprod", many.specprod,
                 "Production, by name or path; default: $DESI_SPECTRO_REDUX/$SPECPROD")
      ->group(many_frames);
  app.add_option(
         "--list", many.list,
         "File with one frame per line: CAMERA IMAGE PSF OUTPUT, separated by blanks; # starts "
         "a comment; -: standard input, frames are extracted as their lines come")
      ->group(many_frames);
  app.add_option("--preproc-dir", many.preproc_dir, "Folder of the images; default: --exposure")
      ->group(many_frames);
  app.add_option("--psf-dir", many.psf_dir, "Folder of the PSFs; default: --exposure")
      ->group(many_frames);
  app.add_option("--outdir", many.outdir, "Folder for the frames; default: --exposure")
      ->group(many_frames);
  app.add_option("--cameras", many.cameras,
                 "Cameras to extract, such as b0,r0,z0 or a0 or b01z2; default: all")
      ->group(many_frames);
  app.add_option("--frame-names", many.frame_names,
                 "plain: frame-CAMERA-EXPID.fits; desi-proc: "
                 "frame-CAMERA-EXPID-no-badcolumn-mask.fits.gz")
      ->group(many_frames);
  app.add_flag("--skip-existing", many.skip_existing,
               "Skip frames whose output, or what desi_proc makes of the output, exists")
      ->group(many_frames);
  app.add_flag("--skip-missing", many.skip_missing,
               "Skip frames whose image or PSF is missing; the exit status is then 7")
      ->group(many_frames);
}

// How ranks and threads share the frames. spex-gpu computes its defaults.
void add_schedule_options(CLI::App& app, Device device, ExposureArguments& many) {
  if (device == Device::cpu)
    app.add_option(
           "--schedule", many.schedule,
           "sequential: one frame after another; interleave-io: one rank of each group reads, "
           "one writes; pipeline: each rank extracts its own frames, with threads that read and "
           "write. Default: sequential")
        ->group(many_frames);
  app.add_option("--groups", many.groups,
                 "Groups of ranks that take frames in turn; default: one per node")
      ->group(many_frames);
  app.add_option(
         "--ranks-per-bundle", many.ranks_per_bundle,
         "Ranks that share the subbundles of a bundle; default: 1, or more if there are more "
         "ranks than bundles")
      ->group(many_frames);
  const bool gpu = device == Device::gpu;
  using namespace mpi::pipeline_bounds;
  app.add_option("--readers", many.readers,
                 std::string("pipeline: reading threads of a rank; default: ") +
                     (gpu ? fmt::format("one for two CPUs, at most {} per GPU,\n{} if it inflates "
                                        "images; one per CPU where CPUs unpack .gz or .fz",
                                        max_plain_readers, max_readers_of_inflater)
                          : "2"))
      ->group(many_frames);
  app.add_option("--extractors", many.extractors,
                 std::string("pipeline: extracting threads of a rank, one frame each; default: ") +
                     (gpu ? fmt::format("{} per GPU,\nfewer for few frames or little memory",
                                        max_extractors_of_device)
                          : "1"))
      ->group(many_frames);
  app.add_option(
         "--writers", many.writers,
         std::string("pipeline: writing threads of a rank; default: ") +
             (gpu ? fmt::format("one for two CPUs, at most {} per GPU", max_plain_writers) : "2"))
      ->group(many_frames);
  app.add_option("--frames-in-flight", many.frames_in_flight,
                 "pipeline: maximal number of frames in a rank's memory; default: one per thread")
      ->group(many_frames);
}

}  // namespace

Schedule parse_schedule(const std::string& text) {
  return choose<Schedule>("--schedule", text,
                          {Schedule::sequential, Schedule::interleave_io, Schedule::pipeline});
}

void add_exposure_options(CLI::App& app, const ExtractArguments& one, ExposureArguments& many) {
  add_frames_options(app, many);
  add_schedule_options(app, one.device, many);
  app.add_option("--events", many.events,
                 "Write the run log (what each rank did when) to this JSON file")
      ->group("Running");
  app.add_option("--log-file", many.log_file, "Also append the log to this file, with timestamps")
      ->group("Running");
  app.add_option("--stall-limit", many.stall_limit,
                 "End the run with an error if a rank makes no progress for this many seconds; 0: "
                 "never")
      ->group("Running");

  for (const char* name : files_of_one) app.get_option(name)->required(false);
  app.parse_complete_callback([&app, &many] {
    for (const char* name : files_of_one)
      if (!many.many() && app.get_option(name)->count() == 0) throw CLI::RequiredError(name);
  });
}

int extractors_of_rank(const ExposureArguments& many) {
  return many.extractors.value_or(1);
}

FramesToDo frames_to_do(const mpi::Communicator& world, const FrameJob& one,
                        const ExposureArguments& many) {
  mpi::collective(world, [&] {
    check_exposure_options(one.files, many);
    if (many.log_file.empty()) return;
    check_writable(many.log_file);
    add_log_file(many.log_file);
  });
  FramesToDo to_do;
  if (many.from_pipe() && world.is_root())
    to_do.pipe = std::make_shared<mpi::FramePipe>(STDIN_FILENO, "standard input");
  take_frames(world, one.files, many, to_do);
  return to_do;
}

int extract_one_or_many(const mpi::Communicator& world, FrameJob one, const ExposureArguments& many,
                        FramesToDo to_do, const mpi::ExtractorFactory& make,
                        const mpi::PhaseHook& hook) {
  one.settings.ranks_per_bundle = many.ranks_per_bundle;
  one.settings.stall_limit = many.stall_limit;
  if (!many.many()) {
    one.files = to_do.frames.front();
    return extract_one(world, one, make, hook, many.events);
  }
  bool failed = false, missing = false;
  do {
    mpi::ExposureJob job = make_exposure_job(world, one.settings, many, to_do);
    job.hook = hook;
    const mpi::ExposureSummary summary = run_exposure(world, job, make);
    if (world.is_root()) report(summary, job);
    failed = failed || summary.failed > 0;
    missing = missing || std::ranges::any_of(job.skipped, &mpi::SkippedFrame::missing);
    if (!many.from_pipe()) break;
    take_frames(world, one.files, many, to_do);
  } while (!to_do.frames.empty() || !to_do.skipped.empty());
  if (failed) return status::failed;
  return missing ? status::incomplete : status::done;
}

}  // namespace spex
