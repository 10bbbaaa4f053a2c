#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bench/campaign/campaign.hpp"
#include "bench/plan/plan.hpp"
#include "bench/result/check_archive.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/result_file.hpp"
#include "bench/run/command.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/core/parallel.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr double build_limit_s = 7200, campaign_limit_s = 1e6;

// A command whose output goes to `log`.
Command step(const std::vector<std::string>& argv, const std::string& log, double limit_s) {
  spdlog::info("{}", fmt::join(argv, " "));
  Command command;
  command.argv = argv;
  command.log = log;
  command.time_limit_s = limit_s;
  return command;
}

// Builds the archive's commit; returns the folder of its programs.
std::string build(const Record& record, const RerunSettings& settings, Signals& signals) {
  const std::optional<std::string>& commit = record.build.commit;
  if (!commit)
    throw data_error(settings.archive, "names no commit", "results of a build from a clone");
  const std::string source = fs::absolute(fs::path(settings.out) / "source");
  const std::string folder = fs::absolute(fs::path(settings.out) / "build");
  const std::string log = fs::path(settings.out) / "build.log";
  const auto must = [&](const std::vector<std::string>& argv) {
    must_run(step(argv, log, build_limit_s), log, "the archive's commit, built", signals);
  };
  must({"git", "clone", "--shared", "--no-checkout", settings.source, source});
  must({"git", "-C", source, "checkout", "--detach", *commit});
  const bool gpu = record.launch.gpus_per_node > 0 || !record.system.gpus.empty();
  std::vector<std::string> configure{"cmake", "--preset", gpu ? "gpu" : "cpu", "-S", source,
                                     "-B",    folder,     "-DSPEX_TESTS=OFF"};
  if (gpu) configure.emplace_back("-DCMAKE_CUDA_ARCHITECTURES=native");
  must(configure);
  must({"cmake", "--build", folder, "--parallel", std::to_string(default_threads()), "--target",
        "spex-bench", "spex-cpu", "spex-gpu", "spex-sim"});
  return fs::path(folder) / "bin";
}

struct Compared {
  std::string text;
  int status = status::done;
};

// Width of an interval, relative to the median, above which it contradicts nothing.
constexpr double max_width = 0.1;

// A figure of the archive and of the rerun. They agree if the intervals of their medians overlap
// and both are narrow.
Compared compare(const std::optional<Statistic>& was, const std::optional<Statistic>& now,
                 bool more_is_faster) {
  if (!was || !now) return {"-", was || now ? status::inconclusive : status::done};
  if (!was->low || !now->low) return {"too few runs for an interval", status::inconclusive};
  std::string text =
      fmt::format("{:.4g} ({:.4g} to {:.4g}), rerun {:.4g} ({:.4g} to {:.4g})", was->median,
                  *was->low, *was->high, now->median, *now->low, *now->high);
  if (*was->high >= *now->low && *was->low <= *now->high) {
    if (!is_too_wide(*was, max_width) && !is_too_wide(*now, max_width))
      return {text + ": agrees", status::done};
    return {
        fmt::format("{}: too scattered to say (intervals of {:.0f}% and {:.0f}%, at most {:g}%)",
                    text, 100 * width_of(*was), 100 * width_of(*now), 100 * max_width),
        status::inconclusive};
  }
  const bool faster = (was->median > now->median) == more_is_faster;
  return {text + (faster ? ": the archive claims MORE" : ": the archive claims less"),
          faster ? status::slow : status::inconclusive};
}

int compare_entry(const Record& was, const Record& now) {
  const Derived before = derive(was), after = derive(now);
  std::vector<int> statuses{after.verdict.exit_status};
  const auto line = [&](const char* what, const std::optional<Statistic>& a,
                        const std::optional<Statistic>& b, bool more_is_faster) {
    if (!a && !b) return;
    const Compared compared = compare(a, b, more_is_faster);
    fmt::print("{:<28} {:<20} {}\n", was.entry, what, compared.text);
    statuses.push_back(compared.status);
  };
  const auto seconds = [](const std::optional<Figure>& figure) {
    return figure ? std::optional(figure->seconds) : std::nullopt;
  };
  if (was.work.sustain) {
    line("sustained FPNH", sustained_fpnh_to_judge(was), sustained_fpnh_to_judge(now), true);
  } else {
    line("effective s", seconds(before.fom.effective), seconds(after.fom.effective), false);
    line("extraction s", seconds(before.fom.extraction), seconds(after.fom.extraction), false);
  }
  for (const std::string& reason : after.verdict.reasons)
    fmt::print("{:<28} rerun: {}\n", was.entry, printable(reason));
  return combined_status(statuses);
}

}  // namespace

int rerun_archive(const RerunSettings& settings, Signals& signals) {
  const Files files = read_archive(settings.archive);
  const ArchiveCheck found = check_archive(files);
  if (!found.inconsistent.empty() || found.records.empty())
    throw data_error(settings.archive, "is inconsistent, or holds no results",
                     "an archive that spex-bench check accepts");
  fs::create_directories(settings.out);
  const std::string programs = settings.programs.empty()
                                   ? build(found.records.front(), settings, signals)
                                   : settings.programs;
  const std::string plan = fs::path(settings.out) / "plan.json";
  const std::string results = fs::path(settings.out) / "results";
  atomic_write(plan, files.at("plan.json"));
  std::vector<std::string> argv{
      fs::path(programs) / "spex-bench", plan, "--out", results, "--seeds", "drawn"};
  std::string entries;
  for (const Record& record : found.records)
    if (!record.skipped) entries += (entries.empty() ? "" : ",") + record.entry;
  if (entries.empty()) throw data_error(settings.archive, "all of it was skipped", "a result");
  argv.insert(argv.end(), {"--only", entries});
  argv.insert(argv.end(), settings.bench_options.begin(), settings.bench_options.end());
  const std::string log = fs::path(settings.out) / "campaign.log";
  spdlog::info("its output goes to {}", log);
  if (run_command(step(argv, log, campaign_limit_s), signals).interrupted) throw Interrupted{};
  std::vector<int> statuses;
  for (const Record& was : found.records) {
    if (was.skipped) continue;
    const std::string path = fs::path(results) / (was.entry + ".json");
    if (!fs::exists(path))
      throw data_error(log, last_message(log), "a campaign that writes its results");
    const Record now = read_record(path);
    if (now.build.commit != was.build.commit)
      throw data_error(programs,
                       fmt::format("is of commit {}", now.build.commit.value_or("unknown")),
                       fmt::format("{}, the archive's", was.build.commit.value_or("unknown")));
    statuses.push_back(compare_entry(was, now));
  }
  return combined_status(statuses);
}

}  // namespace spex::bench
