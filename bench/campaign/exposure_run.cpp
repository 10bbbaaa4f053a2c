#include "bench/campaign/exposure_run.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "bench/measure/run_observer.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// Writes the list of a run.
std::vector<OutputFrame> expected_outputs(const EntryRun& run, const Dataset& data,
                                          const CampaignFolders& folders,
                                          const CampaignInputs& inputs) {
  folders.remove_outputs();
  const std::string folder = folders.new_output_folder("run");
  std::vector<ListedFrame> listed;
  std::vector<OutputFrame> frames;
  for (int k = 0; k < run.frames; ++k) {
    const InputFrame& input = data.frames.at(k);
    const std::string path = fs::path(folder) / fmt::format("frame-{}.fits", input.camera);
    listed.push_back({&input, path});
    frames.push_back(inputs.output_of(run.entry, input, path));
  }
  sort_by_camera(listed);
  write_frame_list(listed, folders.list());
  return frames;
}

}  // namespace

std::optional<Sample> measure_exposure(EntryRun& run, const Plan& plan,
                                       const CampaignFolders& folders, CampaignInputs& inputs,
                                       RunWatcher& watcher) {
  const int index = run.next_index();
  const Dataset& data = inputs.exposure(
      run.entry.case_name, run.seeds_of_run(plan.cases.at(run.entry.case_name), index).back());
  inputs.use(run, {&data});
  const std::vector<OutputFrame> frames = expected_outputs(run, data, folders, inputs);
  std::vector<std::string> read, paths, cameras;
  long patches = 0;
  for (int k = 0; k < run.frames; ++k) {
    read.push_back(data.frames.at(k).preproc);
    read.push_back(data.frames.at(k).psf);
    patches += inputs.patches_of(run.entry, data.frames.at(k));
  }
  for (const OutputFrame& frame : frames) {
    paths.push_back(frame.path);
    // Of a frame alone the command line does not say it, and so the run log does not.
    cameras.push_back(run.entry.alone ? "" : frame.camera);
  }
  std::vector<std::string> alone;
  if (run.entry.alone) alone = {"-i", read.at(0), "-p", read.at(1), "-o", paths.at(0)};
  const double clock = file_clock_offset(folders.outputs());
  const WatchedRun watched = watcher.run(run, alone, read, inputs.not_for({&data}),
                                         fs::path(paths.front()).parent_path(), plan.time_limit_s);
  if (watched.result.interrupted) return std::nullopt;

  std::optional<double> last_write = last_change(paths);
  if (last_write) *last_write -= clock;
  Sample sample = watcher.sample_of(run, watched, last_write, cameras, patches);
  sample.seed = data.seed;
  const std::vector<RunLog::Frame> logged = std::exchange(sample.logged, {});
  if (!sample.failure)
    run.validation.look(index, data.seed, frames, folders.window_of(watched.result, clock),
                        run.entry.tolerance, logged);
  return sample;
}

}  // namespace spex::bench
