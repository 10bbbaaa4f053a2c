// The command line of many frames in one run, beside that of one (extract_cli.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mpi/programs/extract_cli.hpp"
#include "mpi/run/exposure.hpp"

namespace CLI {
class App;
}

namespace spex {

/// What the options were parsed into, before they are checked.
struct ExposureArguments {
  std::string exposure;
  std::string list;
  std::optional<int> night;  ///< of a production's tree
  std::string expid;         ///< numbers, commas between; empty: all exposures
  std::string specprod;      ///< empty: that of the environment
  std::string preproc_dir;   ///< empty: that of --exposure or of the tree; as the next two
  std::string psf_dir;
  std::string outdir;
  std::string cameras;      ///< empty: all that there are
  std::string frame_names;  ///< empty: plain, and desi-proc in a production's tree
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
  std::string log_file;        ///< empty: stderr alone
  double stall_limit = 600;    ///< s, of one frame too
  std::optional<int> devices;  ///< no option: the program's (ExposureJob)

  /// Whether many frames are asked for, which is the tree of a production, a folder or a list.
  [[nodiscard]] bool many() const {
    return night.has_value() || !exposure.empty() || !preproc_dir.empty() || !list.empty();
  }
};

/// Adds the options of many frames to `app`, after add_extract_options; --input, --psf and --output
/// are then required only where neither --exposure nor --list is given. --schedule is an option of
/// the CPU's programs only: on a GPU the milestone chooses.
void add_exposure_options(CLI::App& app, const ExtractArguments& one, ExposureArguments& many);

/// The schedule of that name. Throws Error(usage).
[[nodiscard]] Schedule parse_schedule(const std::string& text);

/// Extractors that a rank makes: slots of the factory.
[[nodiscard]] int extractors_of_rank(const ExposureArguments& many);

/// The frames that a command line asks for.
struct FramesToDo {
  std::vector<FrameFiles> frames;
  std::vector<mpi::SkippedFrame> skipped;  ///< by --skip-existing and --skip-missing
};

/// Checks what goes together of the options, opens --log-file, and looks for the frames; `one` is
/// the job of prepare_job. The same on every rank. Throws CollectiveError. Collective.
[[nodiscard]] FramesToDo frames_to_do(const mpi::Communicator& world, const FrameJob& one,
                                      const ExposureArguments& many);

/// Does what the command line asks for, one frame or many, and reports it; the program's exit
/// status. `one` is the job of prepare_job, the same on every rank; where the command line asks for
/// many frames, its settings are those of all. `to_do` is of frames_to_do. Throws as
/// mpi::run_one_frame and mpi::run_exposure do. `hook` is that of a run over many frames
/// (ExposureJob). Collective.
[[nodiscard]] int extract_one_or_many(const mpi::Communicator& world, FrameJob one,
                                      const ExposureArguments& many, FramesToDo to_do,
                                      const mpi::ExtractorFactory& make,
                                      const mpi::PhaseHook& hook = {});

}  // namespace spex
