#include "mpi/run/run_log.hpp"

#include <cstddef>
#include <fstream>
#include <string>
#include <type_traits>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "mpi/comm/check.hpp"
#include "mpi/run/exposure_job.hpp"
#include "reference/core/version.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::mpi {

static_assert(std::is_trivially_copyable_v<RankReport>);

namespace {

using Json = nlohmann::ordered_json;

Json frame_json(const FrameFiles& files, const FrameOutcome& outcome) {
  Json json;
  json["camera"] = files.camera;
  json["input"] = files.input;
  json["psf"] = files.psf;
  json["output"] = files.output;
  json["output_state"] = to_string(outcome.output);
  json["patches"] = outcome.counts.patches;
  json["guarded"] = outcome.counts.guarded;
  json["fell_back"] = outcome.counts.fell_back;
  json["dark_bins"] = outcome.counts.dark;
  json["overflowed_bins"] = outcome.counts.overflowed;
  json["failed"] = outcome.counts.failed;
  json["beyond_bins"] = outcome.counts.beyond;
  json["pulled_bins"] = outcome.counts.pulled;
  json["error"] = outcome.failure ? Json(outcome.failure->text) : Json();
  return json;
}

Json skipped_json(const SkippedFrame& skipped) {
  return {{"camera", skipped.files.camera},
          {"input", skipped.files.input},
          {"psf", skipped.files.psf},
          {"output", skipped.files.output},
          {"because", skipped.missing ? "missing" : "existing"},
          {"path", skipped.path}};
}

Json rank_json(int rank, const RankReport& report) {
  Json json;
  json["rank"] = rank;
  json["host"] = report.host.data();
  json["max_rss_bytes"] = report.max_rss_bytes;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    json["seconds"][to_string(stage)] = report.times.get(stage);
  }
  return json;
}

Json event_json(const Event& event, const ExposureJob& job) {
  const bool of_frame = event.frame >= 0;
  Json json;
  json["rank"] = event.rank;
  json["frame"] = of_frame ? Json(event.frame) : Json();
  json["camera"] = of_frame ? Json(job.files(event.frame).camera) : Json();
  json["bundle"] = event.bundle >= 0 ? Json(event.bundle) : Json();
  json["stage"] = to_string(event.phase);
  json["start"] = event.start;
  json["end"] = event.end;
  return json;
}

// Peak resident memory of this program in bytes; 0 if unknown. getrusage would also count the
// memory that the process had before exec.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kilobytes = 0;
      status >> kilobytes;
      return 1024 * kilobytes;
    }
  return 0;
}

}  // namespace

RankReport describe_rank(const StageTimes& times) {
  RankReport report;
  if (gethostname(report.host.data(), report.host.size() - 1) != 0) report.host = {};
  report.max_rss_bytes = peak_memory();
  report.times = times;
  return report;
}

std::vector<RankReport> gather_reports(const Communicator& world, const RankReport& mine) {
  std::vector<RankReport> all(world.is_root() ? static_cast<std::size_t>(world.size()) : 0);
  SPEX_MPI_CHECK(
      MPI_Gather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, 0, world.get()));
  return all;
}

void write_run_log(const std::string& path, const ExposureJob& job, double origin_unix,
                   const std::vector<FrameOutcome>& outcomes, const std::vector<RankReport>& ranks,
                   const std::vector<Event>& events) {
  Json root;
  root["schema"] = {{"name", "spexbench-run-log"}, {"major", 1}, {"minor", 4}};
  root["program"] = job.settings.program;
  root["version"] = version();
  root["milestone"] = spex::to_string(job.settings.options.milestone);
  root["schedule"] = to_string(job.schedule);
  root["origin_unix"] = origin_unix;
  root["ranks"] = Json::array();
  for (std::size_t r = 0; r < ranks.size(); ++r)
    root["ranks"].push_back(rank_json(static_cast<int>(r), ranks[r]));
  root["frames"] = Json::array();
  for (const FrameOutcome& outcome : outcomes)
    root["frames"].push_back(frame_json(job.files(outcome.frame), outcome));
  root["skipped"] = Json::array();
  for (const SkippedFrame& skipped : job.skipped) root["skipped"].push_back(skipped_json(skipped));
  root["events"] = Json::array();
  for (const Event& event : events) root["events"].push_back(event_json(event, job));
  // JSON is UTF-8, but a path may contain any bytes.
  const std::string text = root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  atomic_write(path, {text.begin(), text.end()});
}

}  // namespace spex::mpi
