#include "bench/measure/sample.hpp"

#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/measure/optional_json.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

void take_run_log(const RunLog& log, double start_unix, Sample& sample) {
  sample.extraction_s = log.end_s;
  sample.launch_s = log.origin_unix - start_unix;
  sample.phases = log.phases;
  sample.max_rss_bytes = log.max_rss_bytes;
  sample.logged = log.frames;
  for (const RunLog::Frame& frame : log.frames) {
    sample.patches += frame.patches;
    sample.fell_back += frame.fell_back;
    sample.failed_patches += frame.failed;
    if (frame.error && !sample.failure) sample.failure = frame.camera + ": " + *frame.error;
  }
}

}  // namespace

Json Sample::to_json() const {
  Json json;
  json["index"] = index;
  json["warmup"] = warmup;
  json["seed"] = seed;
  json["start_utc"] = start_utc;
  json["exit_status"] = exit_status;
  json["failure"] = value_or_null(failure);
  json["effective_s"] = effective_s;
  json["extraction_s"] = value_or_null(extraction_s);
  json["launch_s"] = value_or_null(launch_s);
  json["observed_s"] = value_or_null(observed_s);
  json["throttled"] = throttled;
  json["phases"] = Json::object();
  for (const auto& [phase, seconds] : phases)
    json["phases"][phase] = {{"min", seconds.min},
                             {"median", seconds.median},
                             {"max", seconds.max},
                             {"sum", seconds.sum}};
  json["joules"] = value_or_null(joules);
  json["gpu_busy"] = value_or_null(gpu_busy);
  json["cpu_s"] = value_or_null(cpu_s);
  json["node_joules"] = value_or_null(node_joules);
  json["max_rss_bytes"] = value_or_null(max_rss_bytes);
  json["device_memory_bytes"] = value_or_null(device_memory_bytes);
  json["patches"] = patches;
  json["fell_back"] = fell_back;
  json["failed_patches"] = failed_patches;
  json["sustained"] = sustained;
  return json;
}

Sample Sample::from_json(const Json& json) {
  Sample sample;
  sample.index = json.at("index");
  sample.warmup = json.at("warmup");
  sample.seed = json.at("seed");
  sample.start_utc = json.at("start_utc");
  sample.exit_status = json.at("exit_status");
  sample.failure = optional_at<std::string>(json, "failure");
  sample.effective_s = json.at("effective_s");
  sample.extraction_s = optional_at<double>(json, "extraction_s");
  sample.launch_s = optional_at<double>(json, "launch_s");
  sample.observed_s = optional_at<double>(json, "observed_s");
  sample.throttled = json.at("throttled");
  for (const auto& [phase, seconds] : json.at("phases").items())
    sample.phases[phase] = {seconds.at("min"), seconds.at("median"), seconds.at("max"),
                            seconds.at("sum")};
  sample.joules = optional_at<std::vector<double>>(json, "joules");
  sample.gpu_busy = optional_at<std::vector<double>>(json, "gpu_busy");
  sample.cpu_s = optional_at<double>(json, "cpu_s");
  sample.node_joules = optional_at<double>(json, "node_joules");
  sample.max_rss_bytes = optional_at<double>(json, "max_rss_bytes");
  sample.device_memory_bytes = optional_at<double>(json, "device_memory_bytes");
  sample.patches = json.at("patches");
  sample.fell_back = json.at("fell_back");
  sample.failed_patches = json.at("failed_patches");
  sample.sustained = json.at("sustained");
  return sample;
}

Sample make_sample(const CommandResult& result, const std::string& run_log,
                   const std::string& program_log,
                   const std::function<std::string(const RunLog&)>& check) {
  Sample sample;
  sample.start_utc = utc_text(result.start_unix);
  sample.exit_status = result.status;
  sample.effective_s = result.seconds;
  if (result.timed_out)
    sample.failure = fmt::format("ended after {:.0f} s, its time limit", result.seconds);
  else if (result.status != 0)
    sample.failure = end_of(result, program_log);
  else if (result.was_stopped)
    sample.failure = "spex-bench was stopped meanwhile, and did not see what was done";
  else if (result.left_behind > 0)
    sample.failure = fmt::format("left {} process(es) behind", result.left_behind);
  try {
    const RunLog log = read_run_log(run_log);
    take_run_log(log, result.start_unix, sample);
    const std::string wrong = check(log);
    // What a run log says may be anything.
    if (!wrong.empty() && !sample.failure) sample.failure = printable(wrong);
  } catch (const Error& error) {
    if (!sample.failure) sample.failure = error.what();
  }
  return sample;
}

std::string utc_text(double unix_seconds) {
  const std::chrono::system_clock::time_point time{
      std::chrono::seconds(static_cast<long long>(unix_seconds))};
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

double unix_of(const std::string& utc) {
  std::tm parts{};
  const char* const end = strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end == nullptr || *end != '\0' ? 0 : static_cast<double>(timegm(&parts));
}

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace spex::bench
