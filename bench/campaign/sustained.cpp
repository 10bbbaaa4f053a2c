#include "bench/campaign/sustained.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "bench/measure/optional_json.hpp"
#include "bench/measure/steady_state.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double longer = 1.1;  // than asked for: the rate of the warm-up is not that of the run
constexpr double calibration_s = 20, calibration_part = 0.2;
constexpr double most_gain_of_warmup = 1.25;

int whole_exposures(double frames, int per_exposure) {
  return per_exposure * static_cast<int>(std::ceil(frames / per_exposure));
}

// The frames of an exposure in the order in which --exposure extracts them.
std::vector<int> by_camera(const Dataset& exposure) {
  std::vector<int> order;
  for (int k = 0; k < static_cast<int>(exposure.frames.size()); ++k) order.push_back(k);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return exposure.frames[a].camera < exposure.frames[b].camera; });
  return order;
}

}  // namespace

LongRun make_long_run(const std::vector<const Dataset*>& in_turn, int frames,
                      const std::string& folder) {
  LongRun run;
  for (const Dataset* exposure : in_turn)
    for (const int k : by_camera(*exposure)) run.inputs.push_back({exposure, k});
  const auto distinct = static_cast<int>(run.inputs.size());
  for (int place = 0; place < frames; ++place) {
    const auto& [exposure, k] = run.inputs[place % distinct];
    const std::string path = fs::path(folder) / fmt::format("frame-{:06}.fits", place);
    run.listed.push_back({&exposure->frames[k], path});
    run.awaited.push_back({path, place % distinct});
  }
  return run;
}

int frames_to_last(double seconds, double rate, int per_exposure, int least) {
  const double steady = longer * rate * seconds + 2 * most_of_edge;
  return whole_exposures(std::max(steady, static_cast<double>(least)), per_exposure);
}

int frames_to_calibrate(double seconds, double rate, int per_exposure, int least) {
  const double frames = rate * std::min(calibration_s, calibration_part * seconds);
  return whole_exposures(std::max(frames, static_cast<double>(least)), per_exposure);
}

double rate_to_expect(double steady_rate, double gain) {
  return steady_rate * std::min(1.0, most_gain_of_warmup / gain);
}

Json sustained_json(const LongRun& run, const CollectedFrames& collected, double began, int nodes) {
  const std::optional<SteadyState> steady = steady_state(collected.written);
  if (!steady) return {};
  Json blocks = Json::array();
  for (const FrameBlock& block : steady->blocks)
    blocks.push_back(
        {{"frames", block.frames}, {"begin_s", block.begin_s}, {"seconds", block.seconds}});
  Json pass;
  if (const auto found = first_pass(collected.written, began, static_cast<int>(run.inputs.size())))
    pass = {{"frames", found->first.frames},
            {"seconds", found->first.seconds},
            {"later_frames", found->later.frames},
            {"later_seconds", found->later.seconds},
            {"gain", found->gain()}};
  return {{"frames", run.listed.size()},
          {"inputs", run.inputs.size()},
          {"first", steady->first},
          {"last", steady->last},
          {"seconds", steady->all.seconds},
          {"fpnh", 3600 * steady->all.rate() / nodes},
          {"drift_per_hour", statistic_json(steady->drift_per_hour)},
          {"blocks", blocks},
          {"gain", gain_of_steady_part(*steady, collected.written, began)},
          {"first_pass", pass},
          {"most_waiting", collected.most_waiting}};
}

Json machine_speed_json(const LongRun& run, const CollectedFrames& collected, double began,
                        double offset, const MachineSpeed& machine) {
  std::vector<double> times = collected.written;
  std::sort(times.begin(), times.end());
  for (double& time : times) time -= offset;
  const auto frames = static_cast<int>(times.size());
  const int edge = steady_edge(frames);
  Json speed{{"steady", nullptr}, {"later", nullptr}};
  if (frames < 2 * edge + 2) return speed;
  const double start = began - offset, end = times[frames - edge - 1];
  speed["steady"] = value_or_null(machine.ratio({times[edge - 1], end}, {start, times.back()}));
  const auto distinct = static_cast<int>(run.inputs.size());
  if (distinct < frames - edge)
    speed["later"] =
        value_or_null(machine.ratio({times[distinct - 1], end}, {start, times[distinct - 1]}));
  return speed;
}

std::string why_not_sustained(const Json& sustained) {
  if (sustained.is_null()) return {};
  // A machine that became faster explains as much of the gain. One that became slower hides none.
  const auto most_of = [&](const char* part) {
    const Json none;
    const Json& speed = sustained.contains("machine_speed") ? sustained.at("machine_speed") : none;
    const bool known = speed.is_object() && speed.at(part).is_number();
    return most_gain * (known ? std::max(1.0, speed.at(part).get<double>()) : 1.0);
  };
  if (const double gain = sustained.at("gain"), most = most_of("steady"); gain > most)
    return fmt::format(
        "frames came {:.1f} times as fast in the steady part as in the whole run (at most {:.3g}): "
        "they were held back",
        gain, most);
  if (sustained.at("first_pass").is_null()) return {};
  if (const double gain = sustained.at("first_pass").at("gain"), most = most_of("later");
      gain > most)
    return fmt::format(
        "frames of inputs that were met before came {:.1f} times as fast as the first ones (at "
        "most {:.3g}): answers were kept",
        gain, most);
  return {};
}

Json statistic_json(const std::optional<Statistic>& statistic) {
  if (!statistic) return {};
  return {{"median", statistic->median},
          {"mad", statistic->mad},
          {"low", value_or_null(statistic->low)},
          {"high", value_or_null(statistic->high)},
          {"coverage", value_or_null(statistic->coverage)},
          {"samples", statistic->samples}};
}

}  // namespace spex::bench
