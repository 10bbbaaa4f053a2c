// The command line for many frames in one run, in addition to extract_cli.hpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/programs/extract_cli.hpp"
#include "mpi/run/exposure.hpp"
#include "mpi/run/exposure_folders.hpp"
#include "mpi/run/frame_list.hpp"
#include "mpi/run/pipeline_threads.hpp"

namespace CLI {
class App;
}

namespace spex {

/// The parsed options, before checks.
struct ExposureArguments {
  std::string exposure;
  std::string list;
  std::optional<int> night;  ///< night of a production's tree
  std::string expid;         ///< comma-separated numbers; empty: all exposures
  std::string specprod;      ///< empty: from the environment
  std::string preproc_dir;   ///< empty: from --exposure or the tree; also the next two
  std::string psf_dir;
  std::string outdir;
  std::string cameras;      ///< empty: all cameras
  std::string frame_names;  ///< empty: plain, or desi-proc in a production's tree
  bool skip_existing = false;
  bool skip_missing = false;
  std::string schedule;
  std::optional<int> groups;
  std::optional<int> ranks_per_bundle;
  std::optional<int> readers;
  std::optional<int> extractors;
  std::optional<int> writers;
  std::optional<int> frames_in_flight;
  std::optional<std::string> events;
  std::string log_file;                                ///< empty: only stderr
  double stall_limit = 600;                            ///< s; also for a single frame
  std::function<mpi::PipelineThreads()> find_devices;  ///< not an option (ExposureJob)

  /// Whether many frames are requested: by a night, a folder or a list.
  [[nodiscard]] bool many() const {
    return night.has_value() || !exposure.empty() || !preproc_dir.empty() || !list.empty();
  }
  /// Whether the lines of a list come through a pipe while frames are extracted.
  [[nodiscard]] bool from_pipe() const { return list == "-"; }
};

/// Adds the options for many frames to `app`, after add_extract_options. --input, --psf and
/// --output are then required only without --exposure, --night and --list. --schedule exists only
/// for CPU programs; on a GPU the milestone selects the schedule.
void add_exposure_options(CLI::App& app, const ExtractArguments& one, ExposureArguments& many);

/// Parses a schedule. Throws Error(usage).
[[nodiscard]] Schedule parse_schedule(const std::string& text);

/// Number of extractors per rank: slots of the factory.
[[nodiscard]] int extractors_of_rank(const ExposureArguments& many);

/// The frames that a command line requests.
struct FramesToDo {
  std::vector<FrameFiles> frames;
  std::vector<mpi::SkippedFrame> skipped;  ///< skipped by --skip-existing or --skip-missing
  /// --list -: where more frames come from, on rank 0. The first frames are those of the first
  /// lines.
  std::shared_ptr<mpi::FramePipe> pipe = {};
};

/// Checks combinations of options, opens --log-file, and finds the frames and their inputs, which
/// may exist in another form only; `one` is the job from prepare_job. The result is the same on
/// every rank. Throws CollectiveError. Collective.
[[nodiscard]] FramesToDo frames_to_do(const mpi::Communicator& world, const FrameJob& one,
                                      const ExposureArguments& many);

/// Extracts one frame or many frames as requested, reports the result and returns the exit status.
/// With --list - it then extracts the frames that have come meanwhile, until the pipe is closed;
/// `make` is called for the same slots again.
/// `one` is the job from prepare_job, the same on every rank; for many frames its settings apply to
/// all. `to_do` comes from frames_to_do. Throws as mpi::run_one_frame and mpi::run_exposure do.
/// `hook` is the phase hook of a run over many frames (ExposureJob). Collective.
[[nodiscard]] int extract_one_or_many(const mpi::Communicator& world, FrameJob one,
                                      const ExposureArguments& many, FramesToDo to_do,
                                      const mpi::ExtractorFactory& make,
                                      const mpi::PhaseHook& hook = {});

}  // namespace spex
