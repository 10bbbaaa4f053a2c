#include "bench/campaign/publication.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "bench/campaign/figures.hpp"
#include "bench/correctness/seeds.hpp"
#include "bench/measure/statistics.hpp"

namespace spex::bench {
namespace {

constexpr int exposure_frames = 30, least_warmups = 1, least_timed = 5;
constexpr double least_night_s = 1800;
constexpr double most_of_median = 3;

// Answers that another entry has found may have been kept.
std::string why_shared(const EntryRun& run) {
  const auto& inputs = run.inputs;
  if (!inputs.contains("shared_with") || inputs.at("shared_with").empty()) return {};
  return fmt::format("{} extracted some of its inputs before it",
                     inputs.at("shared_with").front().get<std::string>());
}

// The extractor's options are those it has by itself, but for the method.
bool has_own_options_only(const Entry& entry) {
  return reference_options(entry).empty();
}

bool all_inputs_differ(const EntryRun& run) {
  std::set<std::int64_t> seeds;
  return std::all_of(run.samples.begin(), run.samples.end(),
                     [&](const Sample& sample) { return seeds.insert(sample.seed).second; });
}

// Whether every run that counts is long enough to show that no answers were kept.
bool shows_first_pass(const EntryRun& run) {
  const std::vector<const Sample*> samples = run.timed();
  return !samples.empty() && std::all_of(samples.begin(), samples.end(), [](const Sample* sample) {
    return !sample->sustained.is_null() && !sample->sustained.at("first_pass").is_null();
  });
}

// A run that is far longer than the others was disturbed, or did something else besides.
std::string why_too_long(const EntryRun& run) {
  std::vector<double> seconds;
  for (const Sample* sample : run.timed()) seconds.push_back(sample->effective_s);
  if (seconds.empty()) return {};
  const double most = most_of_median * median_of(seconds);
  for (const Sample& sample : run.samples)
    if (!sample.failure && !sample.throttled && sample.effective_s > most)
      return fmt::format("run {} took {:.2f} s, more than {:g} times the median", sample.index,
                         sample.effective_s, most_of_median);
  return {};
}

// A run that is left out may have been left out for what it showed.
std::string why_chosen(const DroppedRun& dropped, const std::vector<const Sample*>& timed) {
  if (!dropped.seconds)
    return fmt::format("run {} was begun, and its end is not known", dropped.index);
  if (dropped.reason != interrupted_run)
    return fmt::format("run {} was made again: {}", dropped.index, dropped.reason);
  for (const Sample* sample : timed)
    if (*dropped.seconds >= sample->effective_s)
      return fmt::format("run {} was interrupted after {:.2f} s, in which another was done",
                         dropped.index, *dropped.seconds);
  return {};
}

// Variables by which libraries are loaded into spex-bench or the programs that it starts.
constexpr std::array names_of_code{
    "LD_PRELOAD",      "LD_AUDIT",   "OPENSSL_CONF",          "OPENSSL_MODULES",
    "OPENSSL_ENGINES", "GCONV_PATH", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};

// What Open MPI's settings begin with that say how ranks are placed and talk to each other; no
// others may be in a speed that is published: there are many that start, load or read something.
constexpr std::array tuning_of_open_mpi{"btl",
                                        "pml",
                                        "mtl",
                                        "coll",
                                        "osc",
                                        "rmaps_base_over",
                                        "hwloc_base_bind",
                                        "hwloc_base_mem",
                                        "mpi_",
                                        "opal_warn",
                                        "opal_cuda",
                                        "smsc",
                                        "shmem_",
                                        "pmix_base_async",
                                        "rmaps_default",
                                        "orte_base_help"};
// But for those among them that name a file, a program, a variable or a host.
constexpr std::array words_of_code{"path",   "file", "agent", "env",   "exec",
                                   "prefix", "load", "host",  "param", "library"};

bool is_tuning(const std::string& setting) {
  const auto begins = [&](const char* one) { return setting.starts_with(one); };
  const auto names = [&](const char* one) { return setting.find(one) != std::string::npos; };
  return std::any_of(tuning_of_open_mpi.begin(), tuning_of_open_mpi.end(), begins) &&
         std::none_of(words_of_code.begin(), words_of_code.end(), names);
}

// Variables of MPICH that start other programs, or ranks elsewhere.
constexpr std::array variables_of_hydra{"HYDRA_LAUNCHER_EXEC", "HYDRA_BOOTSTRAP_EXEC",
                                        "HYDRA_HOST_FILE", "HYDRA_CONFIG_FILE", "HYDRA_ENV"};

// Whether a variable brings code to the ranks, or may start them elsewhere: by its name, or by one
// that its value hands on.
bool may_bring_code(const std::string& name, const std::string& value) {
  const auto is_code = [&](const char* one) {
    return name == one || value.find(one) != std::string::npos;
  };
  for (const char* prefix : {"OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_"})
    if (name.starts_with(prefix) && !is_tuning(name.substr(std::strlen(prefix)))) return true;
  return std::any_of(names_of_code.begin(), names_of_code.end(), is_code) ||
         std::find(variables_of_hydra.begin(), variables_of_hydra.end(), name) !=
             variables_of_hydra.end();
}

// A word among the launcher's options that may be a program, which is then started in the place of
// the one that is hashed, or bring it a library. Options that begin with '-' and have their value
// behind '=' cannot.
std::string word_that_may_start(const std::vector<std::string>& options) {
  for (const std::string& word : options) {
    const bool is_option = word.starts_with("-");
    const bool names_code =
        std::any_of(names_of_code.begin(), names_of_code.end(),
                    [&](const char* name) { return word.find(name) != std::string::npos; });
    if (!is_option || names_code || word.find("prolog") != std::string::npos) return word;
  }
  return {};
}

bool golden_cases_pass(const EntryRun& run) {
  return !run.golden.empty() &&
         std::all_of(run.golden.begin(), run.golden.end(),
                     [](const auto& one) { return one.at("pass").template get<bool>(); });
}

bool all_held_to_reference(const EntryRun& run) {
  const auto& frames = run.validation.frames();
  return !frames.empty() && std::all_of(frames.begin(), frames.end(), [](const auto& frame) {
    return frame.expected_from.has_value();
  });
}

}  // namespace

std::vector<std::string> not_published_because(const EntryRun& run, const RunFacts& facts) {
  const Case& one = facts.plan->cases.at(run.entry.case_name);
  const nlohmann::ordered_json& build = facts.build;
  const auto timed = static_cast<int>(run.timed().size());
  const auto warmups = std::count_if(run.samples.begin(), run.samples.end(),
                                     [](const Sample& s) { return s.warmup && !s.failure; });
  const auto seen = [](const Sample* sample) { return sample->observed_s.has_value(); };
  const std::vector<const Sample*> samples = run.timed();
  std::vector<std::string> reasons;
  const auto need = [&](bool holds, const std::string& otherwise) {
    if (!holds) reasons.push_back(otherwise);
  };
  need(figure_of(run, ClockKind::effective).has_value(), "not all of it is right and timed");
  const bool night = run.entry.sustain.has_value();
  const auto exposure = night ? static_cast<int>(one.camera_list().size()) : run.frames;
  need(night || facts.plan->tier == "acceptance", "the tier is " + facts.plan->tier);
  need(exposure == exposure_frames && one.size == "full",
       fmt::format("{} frame(s) of size {}, not the 30 of an exposure", exposure, one.size));
  need(!run.entry.scale_to && !run.entry.bundles, "it is scaled, or some bundles of each frame");
  need(has_own_options_only(run.entry), "options change what is computed");
  need(run.entry.tolerance == "production" || run.entry.tolerance == "masked",
       "the tolerance is " + run.entry.tolerance);
  need(facts.goldens_are_ours, other_goldens);
  need(golden_cases_pass(run), "no golden cases, or one is missed");
  need(all_held_to_reference(run), "not every frame is held to the CPU extractor's");
  need(warmups >= least_warmups, "no warm-up");
  if (night) {
    need(sustained_s(run) >= least_night_s,
         fmt::format("it lasted {:.0f} s, not {:.0f}", sustained_s(run), least_night_s));
    need(shows_first_pass(run), "too few frames to tell kept answers");
  } else {
    need(timed >= least_timed, fmt::format("{} timed run(s) that count, not five", timed));
    need(all_inputs_differ(run), "two runs had the same inputs");
    if (const std::string reason = why_too_long(run); !reason.empty()) reasons.push_back(reason);
  }
  need(run.inputs.value("seeds", "") == to_string(SeedSource::drawn),
       "its seeds are the plan's, by which answers can be made ahead");
  if (const std::string reason = why_shared(run); !reason.empty()) reasons.push_back(reason);
  need(!night || samples.size() <= 1, "its long runs had the same inputs");
  need(run.dropped.size() <= static_cast<std::size_t>(run.repeats),
       fmt::format("{} runs were begun and are no samples", run.dropped.size()));
  need(run.launch.nodes > 1 || std::all_of(samples.begin(), samples.end(), seen),
       "spex-bench did not see the inputs opened");
  for (const auto& [name, value] : facts.environment)
    need(!may_bring_code(name, value), name + " is set");
  if (const std::string word = word_that_may_start(run.launch.launcher_options); !word.empty())
    reasons.push_back(fmt::format("the launcher was told '{}', which may start something", word));
  for (const DroppedRun& dropped : run.dropped)
    if (const std::string reason = why_chosen(dropped, samples); !reason.empty())
      reasons.push_back(reason);
  if (run.settings_changed) reasons.push_back("a GPU was set otherwise: " + *run.settings_changed);
  need(!run.extended, "runs were added to a result that was complete");
  need(build.at("commit").is_string() && build.at("dirty") == false,
       "it is not built from a clean commit");
  return reasons;
}

}  // namespace spex::bench
