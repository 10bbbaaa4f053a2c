#include "bench/campaign/inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <spdlog/spdlog.h>

#include "bench/correctness/golden_gate.hpp"
#include "bench/correctness/owned_folder.hpp"
#include "bench/roofline/frame_costs.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

}  // namespace

CampaignInputs::CampaignInputs(const Plan& plan, const CampaignSettings& settings,
                               const Programs& programs, const std::string& spex_cpu_sha256,
                               std::string data, Signals& signals)
    : plan_(plan),
      settings_(settings),
      programs_(programs),
      data_(std::move(data)),
      signals_(signals),
      seeds_(settings.seeds),
      references_(OwnedFolder("--references", settings.references), spex_cpu_sha256,
                  settings.seeds) {
  const fs::path inputs = fs::path(data_) / "inputs";
  if (fs::is_symlink(inputs) && settings.seeds == SeedSource::drawn)
    throw usage_error("--data", inputs.string() + " is a link", "a folder of spex-bench's own");
  // Those of an earlier campaign, which no later one has a use for.
  if (settings.seeds == SeedSource::drawn)
    fs::remove_all(folder_of_inputs(data_, SeedSource::drawn));
  look_at_files();
}

const Dataset& CampaignInputs::exposure(const std::string& case_name, int planned) {
  const std::pair key{case_name, planned};
  const auto found = exposures_.find(key);
  if (found != exposures_.end()) return found->second;
  Dataset made =
      prepare_dataset(plan_.cases.at(case_name), planned, seeds_, data_, programs_, signals_);
  look_at_files();
  return exposures_.emplace(key, std::move(made)).first->second;
}

std::vector<const Dataset*> CampaignInputs::exposures_of(const EntryRun& run, int first, int end) {
  const Case& one = plan_.cases.at(run.entry.case_name);
  std::vector<const Dataset*> all;
  if (run.entry.sustain) {
    for (int k = 0; k < one.exposures_in_turn() + 1; ++k)
      all.push_back(&exposure(run.entry.case_name, one.seed + k));
    return all;
  }
  for (int index = first; index < end; ++index)
    for (const int seed : run.seeds_of_run(one, index)) {
      const Dataset& data = exposure(run.entry.case_name, seed);
      if (std::find(all.begin(), all.end(), &data) == all.end()) all.push_back(&data);
    }
  return all;
}

nlohmann::ordered_json CampaignInputs::json(const EntryRun& run) const {
  nlohmann::ordered_json json =
      inputs_json(plan_.cases.at(run.entry.case_name), seeds_.source(), data_);
  json["shared_with"] = nlohmann::ordered_json::array();
  return json;
}

void CampaignInputs::use(EntryRun& run, const std::vector<const Dataset*>& exposures) {
  add(run, exposures);
  nlohmann::ordered_json& names = run.inputs.at("shared_with");
  const std::vector<std::string> options = reference_options(run.entry);
  for (const Dataset* exposure : exposures) {
    // What another has found of it by the same options is an answer of this one's.
    std::map<std::string, std::vector<std::string>>& users = users_[exposure];
    for (const auto& [name, its_options] : users)
      if (name != run.entry.id && its_options == options &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    users[run.entry.id] = options;
  }
}

void CampaignInputs::add(EntryRun& run, const std::vector<const Dataset*>& exposures) {
  for (const Dataset* exposure : exposures)
    add_inputs(*exposure, std::min(run.frames, static_cast<int>(exposure->frames.size())),
               run.inputs);
}

void CampaignInputs::check_resumed(const EntryRun& run, const std::string& result) {
  if (seeds_.source() == SeedSource::drawn) return;
  EntryRun now = run;
  now.inputs = json(run);
  int end = std::max(run.warmups + run.repeats, run.next_index());
  for (const DroppedRun& dropped : run.dropped) end = std::max(end, dropped.index + 1);
  add(now, exposures_of(run, 0, end));
  for (const auto& file : run.inputs.at("frames"))
    if (const auto& files = now.inputs.at("frames");
        std::find(files.begin(), files.end(), file) == files.end())
      throw data_error(result, "had another " + file.at("file").get<std::string>(),
                       "the same inputs, or another --out");
}

void CampaignInputs::make_references(const EntryRun& run, const Dataset& exposure) {
  if (!plan_.reference) return;
  references_.prepare(run.entry, exposure, run.frames, *plan_.reference, programs_, signals_);
  look_at_files();
}

void CampaignInputs::prepare_further(const EntryRun& run, int index) {
  const int seed = run.seeds_of_run(plan_.cases.at(run.entry.case_name), index).back();
  if (exposures_.contains({run.entry.case_name, seed})) return;
  make_references(run, exposure(run.entry.case_name, seed));
}

OutputFrame CampaignInputs::output_of(const Entry& entry, const InputFrame& input,
                                      const std::string& path) const {
  const std::string reference =
      plan_.reference ? references_.path_of(entry, input, *plan_.reference) : "";
  return {input.camera,
          path,
          reference,
          input.truth,
          references_.sha256_of(reference),
          input.truth_sha256,
          {input.preproc, entry.program(), to_string(entry.milestone), entry.method()}};
}

ClosedFiles CampaignInputs::not_for(const std::set<const Dataset*>& its_own) const {
  std::set<std::string> own;
  for (const Dataset* exposure : its_own)
    for (const InputFrame& frame : exposure->frames) own.insert({frame.preproc, frame.psf});
  ClosedFiles closed{files_.paths(), &files_};
  std::erase_if(closed.paths, [&](const std::string& file) { return own.contains(file); });
  return closed;
}

// Of this and of earlier campaigns: inputs, truths and reference frames, of whatever options. Once
// something was made there, while no program that is measured runs.
void CampaignInputs::look_at_files() {
  files_.look({fs::path(data_) / "inputs", settings_.references});
}

long CampaignInputs::patches_of(const Entry& entry, const InputFrame& frame) {
  const auto [found, is_new] = patches_.try_emplace({entry.id, frame.camera});
  if (is_new) found->second = patch_count(entry, frame);
  return found->second;
}

nlohmann::ordered_json CampaignInputs::golden_gate(const Entry& entry) {
  const auto found = golden_.find(entry.milestone);
  if (found != golden_.end()) return found->second;
  auto results = nlohmann::ordered_json::array();
  for (const std::string& name : plan_.goldens) {
    spdlog::info("{}: golden case {}", to_string(entry.milestone), name);
    results.push_back(run_golden(settings_.golden_cases, name, golden_extractor(entry, programs_),
                                 data_, signals_, not_for({})));
  }
  return golden_.emplace(entry.milestone, results).first->second;
}

void CampaignInputs::fail_changed(std::vector<EntryRun>& runs) const {
  std::map<const Dataset*, std::string> changed;
  for (const auto& [key, data] : exposures_) changed[&data] = changed_file(data);
  for (EntryRun& run : runs)
    for (Sample& sample : run.samples) {
      if (sample.failure) continue;
      for (const auto& [key, data] : exposures_) {
        // A long run takes all seeds in turn.
        const bool used = key.first == run.entry.case_name &&
                          (run.entry.sustain.has_value() || data.seed == sample.seed);
        if (used && !changed[&data].empty())
          sample.failure = changed[&data] + " was changed since it was made";
      }
    }
}

}  // namespace spex::bench
