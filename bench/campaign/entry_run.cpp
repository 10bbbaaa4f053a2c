#include "bench/campaign/entry_run.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "bench/plan/members.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/result_file.hpp"
#include "bench/result/utc.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/model/option_table.hpp"

namespace spex::bench {
namespace {

constexpr std::size_t cameras_of_exposure = 30;

// The first member that differs, such as " (name node1, now node2)"; "" if the objects are equal.
std::string difference(const nlohmann::ordered_json& was, const nlohmann::ordered_json& now) {
  constexpr std::size_t max_length = 100;
  const auto text = [](const nlohmann::ordered_json& json) {
    const std::string all = json.is_string() ? json.get<std::string>() : json.dump();
    return printable(all.substr(0, max_length));
  };
  for (const auto& [name, value] : was.items()) {
    const auto found = now.find(name);
    if (found == now.end()) return fmt::format(" ({} {}, now none)", name, text(value));
    if (*found == value) continue;
    if (value.is_object() && found->is_object()) return difference(value, *found);
    return fmt::format(" ({} {}, now {})", name, text(value), text(*found));
  }
  return {};
}

// Whether two records have the same plan, program, launch and so on, with the names of these in
// messages. Only then can a run be resumed.
std::vector<std::pair<std::string, bool>> compared(const Record& was, const Record& now) {
  const auto same = [](const auto& a, const auto& b) { return json_of(a) == json_of(b); };
  // A run may resume in another Slurm job.
  LaunchRecord was_launch = was.launch, now_launch = now.launch;
  was_launch.slurm.clear(), now_launch.slurm.clear();
  was_launch.variables.clear(), now_launch.variables.clear();
  // Warm-ups determine a long run's number of frames, so it is not compared.
  WorkRecord was_work = was.work, now_work = now.work;
  if (was.work.sustain) was_work.frames = now_work.frames = was_work.bundles = now_work.bundles = 0;
  return {
      {"plan", was.plan.sha256 == now.plan.sha256},
      {"entry", was.entry == now.entry && was.milestone == now.milestone},
      {"build" + difference(json_of(was.build), json_of(now.build)), same(was.build, now.build)},
      {"system" + difference(json_of(was.system), json_of(now.system)),
       same(was.system, now.system)},
      {"programs", was.programs == now.programs},
      {"command line or environment", same(was_launch, now_launch)},
      {"number of warm-ups", was.timing.warmups == now.timing.warmups},
      {"inputs (--seeds)", same(was.inputs, now.inputs)},
      {"work or length", same(was_work, now_work)}};
}

}  // namespace

std::vector<std::string> PendingRun::paths() const {
  std::vector<std::string> paths;
  for (const ExposureOutputs& exposure : outputs)
    for (const std::string& path : exposure.frames)
      if (!path.empty()) paths.push_back(path);
  return paths;
}

bool is_repeat(const std::vector<Sample>& samples, std::size_t index) {
  const Sample& sample = samples.at(index);
  const auto end = samples.begin() + static_cast<std::ptrdiff_t>(index);
  return !sample.failure && std::any_of(samples.begin(), end, [&](const Sample& earlier) {
    return !earlier.failure && earlier.inputs_sha256 == sample.inputs_sha256 &&
           earlier.outputs_sha256 == sample.outputs_sha256;
  });
}

void write_result(const CampaignFolders& folders, EntryRun& run) {
  run.record.end_utc = utc_text(unix_now());
  atomic_write(folders.result(run.entry->id), result_text(run.record));
}

Record begin_record(const Entry& entry, const Case& plan_case, const Plan& plan,
                    const Record& shared) {
  Record record = shared;
  record.start_utc = utc_text(unix_now());
  record.case_name = entry.case_name;
  record.milestone = to_string(entry.milestone);
  record.entry = entry.id;
  const int frames = entry.frames.value_or(static_cast<int>(plan_case.cameras.size()));
  record.work = {frames,
                 frames * entry.bundles.value_or(plan_case.bundles()),
                 entry.scale_to,
                 has_fpnh(entry, plan_case),
                 plan_case.cameras.size() == cameras_of_exposure && plan_case.size == "full" &&
                     !entry.bundles && frames % static_cast<int>(cameras_of_exposure) == 0,
                 entry.options_but_method().empty(),
                 entry.tolerance,
                 entry.sustain,
                 entry.compress,
                 std::map<std::string, std::string>()};
  for (const auto& [name, value] : changed_options(*entry.extract))
    record.work.options->emplace(name, value);
  record.timing.warmups = entry.warmups.value_or(plan.warmups);
  record.timing.repeats = entry.repeats.value_or(plan.repeats);
  record.timing.until = entry.until;
  record.timing.quiet = plan.quiet;
  if (entry.scaling)
    record.scaling = {entry.scaling->sweep, entry.scaling->kind, entry.scaling->x,
                      record.work.bundles};
  record.ceilings = plan.gpu_ceilings;
  return record;
}

void resume_record(const std::string& path, Record& now) {
  Record was = read_record(path);
  for (const auto& [what, is_same] : compared(was, now))
    if (!is_same)
      throw data_error(path, fmt::format("was begun with another {}", what),
                       "the same, or another --out");
  const bool was_complete = derive(was).status == "complete";
  TimingRecord& timing = was.timing;
  timing.repeats = now.timing.repeats;
  timing.until = now.timing.until;
  now.timing.dropped = timing.dropped;
  now.timing.extended = timing.extended;
  std::vector<Sample> samples = std::move(timing.samples);
  const auto is_short = [&](const Sample& sample) {
    return !shortfall_of(now.work.sustain, sample).empty();
  };
  // A long run is resumed only as a whole, because its warm-ups set its length.
  const bool all_again =
      now.work.sustain &&
      (!was_complete ||
       static_cast<int>(samples.size()) < now.timing.warmups + now.timing.repeats ||
       std::any_of(samples.begin(), samples.end(), is_short));
  bool again = all_again;
  for (Sample& sample : samples) {
    // Repeats the first failed run and all later ones, and records them as dropped.
    again = again || sample.failure;
    if (!again) {
      now.timing.samples.push_back(std::move(sample));
    } else if (!all_again || sample.failure || is_short(sample)) {
      const std::string why = is_short(sample) ? shortfall_of(now.work.sustain, sample)
                                               : "came after a run that failed";
      now.timing.dropped.push_back(
          {sample.index, sample.start_utc, sample.effective_s, sample.failure.value_or(why)});
    }
  }
  now.golden = was.golden;
  now.costs = was.costs;
  // Repeats the golden cases if one failed.
  const auto missed = [](const GoldenRecord& golden) { return golden.failure.has_value(); };
  if (std::any_of(now.golden.begin(), now.golden.end(), missed)) now.golden.clear();
  if (all_again) return;
  now.start_utc = was.start_utc;
  now.work.frames = was.work.frames;
  now.work.bundles = was.work.bundles;
  now.validation = was.validation;
  now.health = was.health;
  timing.samples.clear();
  now.timing.run_log_sha256 = timing.run_log_sha256;
  now.timing.series_sha256 = timing.series_sha256;
  // Records that runs were added to a complete result: the user may have stopped at a good number.
  now.timing.extended = now.timing.extended || (was_complete && !is_done(now));
}

}  // namespace spex::bench
