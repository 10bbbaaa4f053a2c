#include "bench/machine/system_facts.hpp"

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/machine/node_meter.hpp"
#include "reference/core/sys_files.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr double khz_per_mhz = 1000;

// Folders PREFIX0, PREFIX1, ... of `folder`.
std::vector<std::string> numbered(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> found;
  const std::regex name(prefix + "[0-9]+");
  for (const std::string& path : entries_of(folder))
    if (std::regex_match(fs::path(path).filename().string(), name)) found.push_back(path);
  return found;
}

// Sockets, cores and threads of all CPUs that are on.
void read_topology(const std::vector<std::string>& cpus, SystemFacts& facts) {
  std::set<double> sockets;
  std::set<std::pair<double, double>> cores;
  int threads = 0;
  for (const std::string& cpu : cpus) {
    const auto socket = number_in(cpu + "/topology/physical_package_id");
    const auto core = number_in(cpu + "/topology/core_id");
    if (!socket || !core) continue;
    sockets.insert(*socket);
    cores.insert({*socket, *core});
    ++threads;
  }
  if (cores.empty()) return;
  facts.sockets = static_cast<int>(sockets.size());
  facts.cores = static_cast<int>(cores.size());
  facts.threads_per_core = threads / *facts.cores;
}

void read_clocks(const std::string& folder, const std::vector<std::string>& cpus,
                 SystemFacts& facts) {
  std::set<std::string> governors;
  for (const std::string& cpu : cpus)
    if (const std::string word = word_in(cpu + "/cpufreq/scaling_governor"); !word.empty())
      governors.insert(word);
  if (!governors.empty()) facts.governor = fmt::format("{}", fmt::join(governors, ","));
  if (!cpus.empty())
    if (const auto khz = number_in(cpus.front() + "/cpufreq/cpuinfo_max_freq"))
      facts.clock_max_mhz = *khz / khz_per_mhz;
  if (const auto on = number_in(folder + "/cpufreq/boost")) facts.boost = *on != 0;
  if (const auto off = number_in(folder + "/intel_pstate/no_turbo")) facts.boost = *off == 0;
}

// The word in brackets: "always [madvise] never".
std::optional<std::string> chosen_in(const std::string& path) {
  const std::optional<std::string> line = value_in(path, "", '\0');
  std::smatch found;
  static const std::regex brackets("\\[([a-z]+)\\]");
  if (line && std::regex_search(*line, found, brackets)) return found[1].str();
  return std::nullopt;
}

std::optional<std::string> container_of(const std::string& root) {
  for (const char* variable : {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"})
    if (!environment(variable).empty()) return "apptainer";
  if (!environment("SHIFTER_RUNTIME").empty()) return "shifter";
  if (fs::exists(root + "/.dockerenv")) return "docker";
  if (fs::exists(root + "/run/.containerenv")) return "podman";
  if (!environment("KUBERNETES_SERVICE_HOST").empty()) return "kubernetes";
  return std::nullopt;
}

std::vector<std::string> loaded_modules() {
  std::vector<std::string> modules;
  std::istringstream list(environment("LOADEDMODULES"));
  for (std::string name; std::getline(list, name, ':');)
    if (!name.empty()) modules.push_back(name);
  return modules;
}

}  // namespace

SystemFacts read_system_facts(const std::string& root) {
  SystemFacts facts;
  const std::string folder = root + "/sys/devices/system/cpu";
  const std::vector<std::string> cpus = numbered(folder, "cpu");
  read_topology(cpus, facts);
  read_clocks(folder, cpus, facts);
  if (const auto nodes = numbered(root + "/sys/devices/system/node", "node"); !nodes.empty())
    facts.numa_nodes = static_cast<int>(nodes.size());
  facts.microcode = value_in(root + "/proc/cpuinfo", "microcode", ':');
  facts.huge_pages = chosen_in(root + "/sys/kernel/mm/transparent_hugepage/enabled");
  facts.container = container_of(root);
  if (const auto flags = value_in(root + "/proc/cpuinfo", "flags", ':'))
    facts.virtual_machine = (*flags + " ").find(" hypervisor ") != std::string::npos;
  facts.modules = loaded_modules();
  const NodeMeter meter(root + "/sys");
  facts.energy = meter.source().empty() ? meter.covers()
                                        : fmt::format("{}: {}", meter.source(), meter.covers());
  return facts;
}

}  // namespace spex::bench
