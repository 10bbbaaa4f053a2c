#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/campaign/campaign.hpp"
#include "bench/check/golden_gate.hpp"
#include "bench/machine/machine.hpp"
#include "bench/plan/shipped_files.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/result_file.hpp"
#include "golden/golden_cases.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/model/milestones.hpp"
#include "spex_build_info.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// Prints a line for each test as soon as it is done.
void print_line(const char* verdict, const std::string& what) {
  fmt::print("{}  {}\n", verdict, what);
  std::fflush(stdout);
}

// A private temporary folder, removed at the end; or the caller's folder, which is kept.
class ResultFolder {
 public:
  explicit ResultFolder(const std::string& kept) : path_(kept), removed_(kept.empty()) {
    if (!removed_) {
      fs::create_directories(path_);
      return;
    }
    path_ = fs::temp_directory_path() / "spex-self-test-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)
      throw data_error(path_, std::strerror(errno), "a folder that can be made");
  }
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  ~ResultFolder() {
    std::error_code error;
    if (removed_) fs::remove_all(path_, error);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool removed_;
};

// A program with its options.
struct Extractor {
  Milestone milestone;
  std::vector<std::string> argv;

  [[nodiscard]] std::string name() const {
    const std::string program = fs::path(argv.front()).filename();
    return fmt::format("{} {}", program, fmt::join(argv.begin() + 1, argv.end(), " "));
  }
  // The paper's GPU milestones do not support --flux frame.
  [[nodiscard]] bool computes(const golden::GoldenCase& golden_case) const {
    const auto flux = std::find(golden_case.options.begin(), golden_case.options.end(), "--flux");
    return flux == golden_case.options.end() || traits(milestone).solves_frame;
  }
};

// CPU milestones are tested with both methods, if they support them.
std::vector<Extractor> extractors(const std::string& program, Device device) {
  std::vector<Extractor> all;
  for (const Milestone milestone : milestones_of(device)) {
    const std::vector<std::string> argv{program, "--milestone", to_string(milestone)};
    if (device == Device::gpu) all.push_back({milestone, argv});
    for (const Method method : {Method::eigh, Method::cholesky})
      if (device == Device::cpu && supports(milestone, method)) {
        all.push_back({milestone, argv});
        all.back().argv.insert(all.back().argv.end(), {"--method", to_string(method)});
      }
  }
  return all;
}

// Why spex-gpu cannot run here; empty if it can.
std::string no_gpu_because() {
  if (std::string_view(SPEX_BUILD_CUDA).empty()) return "it was built without CUDA";
  const Nvml nvml;
  return describe_machine(nvml, "").gpus.empty() ? "there is no GPU" : "";
}

// Runs the golden cases with one extractor; returns an exit status.
int run_goldens(const Extractor& extractor, const std::string& folder, Signals& signals) {
  int status = status::done;
  const std::string cases = shipped_golden_cases();
  for (const std::string& name : golden::golden_case_names(cases)) {
    if (Signals::interrupted()) return status::failed;
    if (!extractor.computes(golden::read_golden_case(cases, name))) continue;
    const GoldenRecord result = run_golden(cases, name, extractor.argv, folder, signals);
    const std::string what = fmt::format("golden {}: {}", name, extractor.name());
    if (!result.failure) {
      print_line("pass", what);
    } else {
      print_line("FAIL", fmt::format("{}: {}", what, *result.failure));
      status = status::incorrect;
    }
  }
  return status;
}

// Runs the plan ci, and prints the verdict of each entry; returns an exit status.
int run_plan(const CampaignSettings& settings, const std::string& folder, Signals& signals) {
  const Plan plan = read_plan(plan_file("ci"));
  CampaignSettings campaign;
  campaign.out = fs::path(folder) / plan.name;
  fill_folders(campaign);
  campaign.launch = settings.launch;
  const int status = run_campaign(plan, campaign, signals);
  for (const Entry& entry : plan.entries) {
    const Record record = read_record(fs::path(campaign.out) / (entry.id + ".json"));
    const Verdict verdict = derive(record).verdict;
    std::string what = fmt::format("plan {}: {}", plan.name, entry.id);
    if (!verdict.reasons.empty()) what += fmt::format(": {}", fmt::join(verdict.reasons, "; "));
    print_line(verdict.exit_status == 0 ? "pass" : "FAIL", what);
  }
  return status;
}

}  // namespace

int run_self_test(const CampaignSettings& settings, Signals& signals) {
  const Programs programs = Programs::in_own_folder();
  programs.require_for({});
  const ResultFolder folder(settings.out);
  std::vector<int> statuses;
  for (const Extractor& extractor : extractors(programs.spex_cpu, Device::cpu))
    statuses.push_back(run_goldens(extractor, folder.path(), signals));
  if (const std::string reason = no_gpu_because(); reason.empty()) {
    for (const Extractor& extractor : extractors(programs.spex_gpu, Device::gpu))
      statuses.push_back(run_goldens(extractor, folder.path(), signals));
  } else {
    print_line(settings.require_gpu ? "FAIL" : "skip", "goldens by spex-gpu: " + reason);
    if (settings.require_gpu) statuses.push_back(status::failed);
  }
  statuses.push_back(run_plan(settings, folder.path(), signals));
  const int status = combined_status(statuses);
  print_line(status == status::done ? "pass" : "FAIL", "self-test of " + shipped_folder());
  return status;
}

}  // namespace spex::bench
