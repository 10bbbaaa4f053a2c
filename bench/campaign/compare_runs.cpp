#include "bench/campaign/compare_runs.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bench/check/outputs.hpp"
#include "bench/result/file_hash.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// Drops the stage times if the run log and the frame headers disagree about patches.
void check_counts(const std::optional<PatchFailures>& found, Sample& sample) {
  if (sample.phases.empty() || !found ||
      (found->fell_back == sample.fell_back && found->failed == sample.failed_patches))
    return;
  sample.phases.clear();
  sample.warnings.push_back(
      fmt::format("the run log counts {} patches that fell back and {} that failed, frames {} and "
                  "{}; its stage times are omitted",
                  sample.fell_back, sample.failed_patches, found->fell_back, found->failed));
  sample.fell_back = found->fell_back;
  sample.failed_patches = found->failed;
}

}  // namespace

RunComparer::RunComparer(const CampaignFolders& folders, Exposures& exposures,
                         References references, const Reference* reference)
    : folders_(folders),
      exposures_(exposures),
      references_(std::move(references)),
      reference_(reference) {}

void RunComparer::compare(EntryRun& run) {
  while (!run.pending.empty()) {
    compare(run, run.pending.front());
    run.pending.erase(run.pending.begin());
    write_result(folders_, run);
  }
}

void RunComparer::compare(EntryRun& run, const PendingRun& pending) {
  Sample& sample = run.record.timing.samples.at(pending.sample);
  const std::vector<std::string> paths = pending.paths();
  // A run with the same bytes as an earlier run keeps no files.
  if (!is_repeat(run.record.timing.samples, pending.sample)) {
    if (hash_of_files(paths) != sample.outputs_sha256)
      sample.failure = "a frame was changed after the run";
    else
      for (const ExposureOutputs& outputs : pending.outputs) compare(run, sample, outputs);
  }
  if (!sample.failure) sample.compared = true;
  std::error_code error;
  for (const std::string& path : paths) fs::remove_all(fs::path(path).parent_path(), error);
  if (!run.has_shared_inputs())
    for (const ExposureOutputs& outputs : pending.outputs) exposures_.remove(outputs.exposure);
}

void RunComparer::compare(EntryRun& run, Sample& sample, const ExposureOutputs& outputs) {
  const Exposure& exposure = outputs.exposure;
  const auto frames = static_cast<int>(outputs.frames.size());
  spdlog::info("{}: comparing the frames of run {}, seed {}", run.entry->id, sample.index,
               exposure.seed);
  exposures_.make_truths(exposure);
  std::map<std::string, std::string> references;
  if (reference_ != nullptr)
    references = references_.make(*run.entry, exposure, frames, *reference_, sample.index);
  std::vector<OutputFrame> compared;
  for (int k = 0; k < frames; ++k) {
    const InputFrame& input = exposure.frames[k];
    const std::string method = reference_ ? reference_->method_of(input.camera, sample.index) : "";
    compared.push_back(
        {input.camera, outputs.frames[k], references[input.camera], input.truth, method});
  }
  const std::optional<PatchFailures> patches =
      compare_outputs(sample.index, compared, run.entry->tolerance,
                      {run.entry->program(), to_string(run.entry->milestone), run.entry->method()},
                      run.record.validation);
  if (frames == run.record.work.frames) check_counts(patches, sample);
  Exposures::remove_truths(exposure);
  if (!run.has_shared_inputs() && exposures_.are_drawn()) References::remove(references);
}

void RunComparer::find_pending(EntryRun& run) const {
  auto& samples = run.record.timing.samples;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    if (sample.failure || sample.compared) continue;
    PendingRun pending{i, {}};
    if (is_repeat(samples, i)) {
      run.pending.push_back(std::move(pending));
      continue;
    }
    const auto exposure = exposures_.find(*run.plan_case, sample.seed, sample.inputs_sha256);
    if (exposure && run.record.work.frames <= std::ssize(exposure->frames)) {
      const std::string folder = folders_.outputs_of(run.entry->id, sample.index);
      pending.outputs.push_back({*exposure, {}});
      for (int k = 0; k < run.record.work.frames; ++k)
        pending.outputs.front().frames.push_back(
            fs::path(folder) /
            fmt::format("frame-{}{}", exposure->frames.at(k).camera, run.entry->suffix()));
    }
    if (!pending.outputs.empty() && hash_of_files(pending.paths()) == sample.outputs_sha256) {
      run.pending.push_back(std::move(pending));
      continue;
    }
    for (std::size_t k = i; k < samples.size(); ++k)
      run.record.timing.dropped.push_back({samples[k].index, samples[k].start_utc,
                                           samples[k].effective_s,
                                           "its frames were gone before they were compared"});
    samples.resize(i);
    return;
  }
}

}  // namespace spex::bench
