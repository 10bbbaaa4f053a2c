#include "bench/accept/target.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/accept/accept_plan.hpp"
#include "bench/accept/units.hpp"
#include "bench/plan/plan_object.hpp"
#include "bench/plan/read_json.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/result_file.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// DESI takes an exposure of 30 frames every 15 minutes, and must have extracted it by then.
constexpr double desi_exposure_s = 900;
// A machine of the same kind may be slower than its peer by this part: CPUs, driver and file system
// differ.
constexpr double peer_margin = 0.15;

constexpr const char* expected = "a time such as 15min or 900s, or FPNH such as 20000FPNH";

double fpnh_of_exposures(double seconds) {
  return seconds_per_hour * frames_of_exposure / seconds;
}

// The part of an exposure that an entry's run is: 1 also where fewer frames stand for an exposure.
double part_of_exposure(const Entry& entry, const Plan& plan) {
  if (entry.scale_to) return 1;
  const auto cameras = static_cast<int>(plan.cases.at(entry.case_name).cameras.size());
  return entry.frames.value_or(cameras) / static_cast<double>(frames_of_exposure);
}

// Requires a time of exposures, and of long runs the same rate without a margin.
Threshold within(double seconds, const Entry& entry, const Plan& plan) {
  Threshold threshold;
  threshold.margin = 0;
  if (entry.sustain)
    threshold.fpnh_soak = fpnh_of_exposures(seconds);
  else
    threshold.seconds_effective = seconds * part_of_exposure(entry, plan);
  return threshold;
}

Threshold at_least(double fpnh, const Entry& entry) {
  Threshold threshold;
  (entry.sustain ? threshold.fpnh_soak : threshold.fpnh_effective) = fpnh;
  return threshold;
}

// DESI's time of an exposure, for all entries that are no long runs.
void add_desi(const Plan& plan, Thresholds& thresholds) {
  for (const Entry& entry : plan.entries)
    if (!entry.sustain)
      thresholds[entry.id].seconds_effective = desi_exposure_s * part_of_exposure(entry, plan);
}

// The peer's speeds of entries that use as many GPUs as the peer has. A GPU alone must be as fast
// as a peer of one GPU in its long run.
Thresholds of_peer(const Peer& peer, const Plan& plan) {
  Thresholds found;
  for (const Entry& entry : plan.entries) {
    const bool alone = entry.group == alone_group;
    const auto threshold = peer.entries.find(alone ? "sustained" : entry.id);
    if (threshold != peer.entries.end() && entry.gpus == peer.gpus)
      found[entry.id] = threshold->second;
  }
  if (!found.empty()) add_desi(plan, found);
  return found;
}

std::string text_of_peer(const Peer& peer) {
  return fmt::format(
      "as fast as {} ({}), less {:.0f}%, and an exposure of 30 frames within {:g} s, which is how "
      "often DESI takes one",
      peer.name, peer.about, 100 * peer_margin, desi_exposure_s);
}

// The speed of an earlier result as a threshold; nothing if it has none.
std::optional<Threshold> threshold_of_result(const std::string& path) {
  const Record record = read_record(path);
  Threshold threshold;
  if (const auto soak = soak_fpnh_to_judge(record)) {
    threshold.fpnh_soak = soak->median;
    return threshold;
  }
  const std::optional<Figure> effective = derive(record).fom.effective;
  if (!effective || !effective->fpnh) return std::nullopt;
  threshold.fpnh_effective = effective->fpnh->median;
  return threshold;
}

// The results of a folder, by the ids of the plan's entries.
Target target_of_folder(const std::string& folder, const Plan& plan) {
  Thresholds found;
  for (const Entry& entry : plan.entries) {
    const std::string path = fs::path(folder) / (entry.id + ".json");
    if (!fs::exists(path)) continue;
    const auto threshold = threshold_of_result(path);
    if (threshold && entry.sustain.has_value() == threshold->fpnh_soak.has_value())
      found[entry.id] = *threshold;
  }
  if (found.empty())
    throw usage_error("--against", folder + " has no FPNH of an entry of the plan " + plan.name,
                      "results of that plan, ENTRY.json");
  add_desi(plan, found);
  return {fmt::format("as fast as the results in {}, less {:g}%, and an exposure within {:g} s",
                      folder, 100 * Threshold{}.margin, desi_exposure_s),
          found};
}

// One result, for all entries of its kind: long runs, or others.
Target target_of_file(const std::string& path, const Plan& plan) {
  const auto threshold = threshold_of_result(path);
  Thresholds found;
  if (threshold)
    for (const Entry& entry : plan.entries)
      if (entry.sustain.has_value() == threshold->fpnh_soak.has_value())
        found[entry.id] = *threshold;
  if (found.empty())
    throw usage_error("--against", path + " has no FPNH for an entry of the plan " + plan.name,
                      "a result of spex-bench with FPNH");
  return {fmt::format("{:.0f} frames per node-hour as in {}, less {:g}%",
                      threshold->fpnh_soak.value_or(threshold->fpnh_effective.value_or(0)), path,
                      100 * threshold->margin),
          found};
}

Peer read_peer(const std::string& name, const PlanObject& object) {
  Peer peer;
  peer.name = name;
  object.require({"about", "entries"});
  object.get("about", peer.about);
  object.get("gpu", peer.gpu);
  object.get("gpus", peer.gpus, 0);
  object.get("cpu", peer.cpu);
  object.get("cpus", peer.cpus, 0);
  for (const auto& [entry, json] : object.at("entries").json().items())
    (peer.entries[entry] = read_threshold(object.path(), fmt::format("{}, {}", name, entry), json))
        .margin = peer_margin;
  object.no_others();
  return peer;
}

}  // namespace

std::vector<Peer> read_peers(const std::string& path) {
  const Json json = parse_written(read_written(path, "the file of shipped peers"), path);
  if (!json.is_object()) throw usage_error(path, "is not a JSON object", "peers by name");
  std::vector<Peer> peers;
  for (const auto& [name, value] : json.items())
    peers.push_back(read_peer(name, PlanObject(value, path, name)));
  return peers;
}

std::optional<Peer> peer_of(const Machine& machine, const std::vector<Peer>& peers) {
  const auto gpus = static_cast<int>(machine.gpus.size());
  const auto is_alike = [&](const Peer& peer, int peer_gpus) {
    if (gpus == 0)
      return peer.gpu.empty() && peer.cpus == machine.cpus &&
             machine.cpu.find(peer.cpu) != std::string::npos;
    return !peer.gpu.empty() && peer.gpus == peer_gpus &&
           std::ranges::all_of(machine.gpus, [&](const GpuDescription& gpu) {
             return gpu.name.find(peer.gpu) != std::string::npos;
           });
  };
  for (const int wanted : {gpus, 1})
    for (const Peer& peer : peers)
      if (is_alike(peer, wanted)) return peer;
  return std::nullopt;
}

Target target_of_words(const std::string& words, const Plan& plan) {
  const std::map<std::string, double> units{{"s", 1}, {"min", 60}, {"h", seconds_per_hour}};
  double number = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
  std::string unit(end, words.data() + words.size() - end);
  std::erase(unit, ' ');
  const bool is_rate = unit == "FPNH" || unit == "fpnh";
  if (error != std::errc() || !(number > 0) || !(is_rate || units.contains(unit)))
    throw usage_error("--target", words, expected);
  Target target;
  const double seconds = is_rate ? 0 : number * units.at(unit);
  for (const Entry& entry : plan.entries)
    target.thresholds[entry.id] = is_rate ? at_least(number, entry) : within(seconds, entry, plan);
  if (is_rate)
    target.text =
        fmt::format("{:.0f} frames per node-hour, less {:g}%", number, 100 * Threshold{}.margin);
  else
    target.text =
        fmt::format("an exposure of 30 frames within {:g} s, which are {:.0f} FPNH{}", seconds,
                    fpnh_of_exposures(seconds),
                    seconds == desi_exposure_s ? ": DESI takes one every 15 minutes" : "");
  return target;
}

Target target_against(const std::string& against, const std::vector<Peer>& peers,
                      const Plan& plan) {
  for (const Peer& peer : peers) {
    if (peer.name != against) continue;
    const Thresholds found = of_peer(peer, plan);
    if (found.empty())
      throw usage_error("--against",
                        fmt::format("{} has no speed for the plan {}", against, plan.name),
                        "a shipped plan of accept");
    return {text_of_peer(peer), found};
  }
  if (fs::is_directory(against)) return target_of_folder(against, plan);
  if (fs::exists(against)) return target_of_file(against, plan);
  std::vector<std::string> names;
  for (const Peer& peer : peers) names.push_back(peer.name);
  throw usage_error(
      "--against", against,
      fmt::format("a result file, a folder of results, or a peer: {}", fmt::join(names, ", ")));
}

Target default_target(const Machine& machine, const std::vector<Peer>& peers, const Plan& plan) {
  if (const std::optional<Peer> peer = peer_of(machine, peers))
    if (const Thresholds found = of_peer(*peer, plan); !found.empty())
      return {text_of_peer(*peer), found};
  return target_of_words("15min", plan);
}

}  // namespace spex::bench
