#include "mpi/run/affinity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <sched.h>

#include "mpi/comm/check.hpp"

namespace spex::mpi {
namespace {

// Capacity of cpu_set_t.
constexpr int max_cpus = CPU_SETSIZE;

// Parses a word as a CPU number; -1 if it is not a number.
int cpu_of(const std::string& word) {
  int cpu = -1;
  const char* const end = word.data() + word.size();
  const auto [last, error] = std::from_chars(word.data(), end, cpu);
  return error == std::errc() && last == end && cpu < max_cpus ? cpu : -1;
}

Cpus common(const Cpus& a, const Cpus& b) {
  Cpus both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// The fraction of a device's local CPUs that a rank may use.
double shared_part(const Cpus& rank, const Cpus& device) {
  if (device.empty()) return 0;
  return static_cast<double>(common(rank, device).size()) / static_cast<double>(device.size());
}

}  // namespace

Cpus parse_cpus(const std::string& text) {
  Cpus cpus;
  std::istringstream ranges(text.substr(0, text.find_last_not_of(" \n") + 1));
  for (std::string range; std::getline(ranges, range, ',');) {
    const std::size_t dash = range.find('-');
    const int first = cpu_of(range.substr(0, dash));
    const int last = dash == std::string::npos ? first : cpu_of(range.substr(dash + 1));
    if (first < 0 || last < first) return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string to_text(const Cpus& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += text.empty() ? "" : ",";
    text +=
        last == first ? std::to_string(cpus[first]) : fmt::format("{}-{}", cpus[first], cpus[last]);
    first = last + 1;
  }
  return text;
}

Cpus allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  Cpus cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < max_cpus; ++cpu)
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

int share_of_cpus(const std::vector<Cpus>& ranks, std::size_t rank) {
  std::map<int, int> ranks_of_cpu;
  for (const Cpus& cpus : ranks)
    for (const int cpu : cpus) ++ranks_of_cpu[cpu];
  double share = 0;
  for (const int cpu : ranks.at(rank)) share += 1.0 / ranks_of_cpu[cpu];
  constexpr double rounding = 1e-6;  // thirds do not add up exactly
  return std::max(1, static_cast<int>(share + rounding));
}

int share_of_cpus(const Communicator& node) {
  return share_of_cpus(gather_allowed_cpus(node), static_cast<std::size_t>(node.rank()));
}

bool bind_to(const Cpus& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

Cpus cpus_beside(const std::string& bus_id, const std::string& sysfs) {
  std::string name = bus_id;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::ifstream in(sysfs + "/bus/pci/devices/" + name + "/local_cpulist");
  std::string line;
  std::getline(in, line);
  return parse_cpus(line);
}

Cpus nearest_cpus(const Cpus& allowed, const std::vector<Cpus>& beside) {
  Cpus near;
  for (const Cpus& cpus : beside) {
    if (cpus.empty()) return allowed;
    near.insert(near.end(), cpus.begin(), cpus.end());
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  Cpus both = common(allowed, near);
  return both.empty() ? allowed : both;
}

std::vector<std::vector<int>> deal_devices(const std::vector<Cpus>& ranks,
                                           const std::vector<Cpus>& devices) {
  std::vector<std::vector<int>> dealt(ranks.size());
  std::vector<int> takers(devices.size(), 0);
  const auto untaken = [&] { return std::count(takers.begin(), takers.end(), 0); };
  bool first_round = true;
  while (!ranks.empty() && !devices.empty() && (first_round || untaken() > 0)) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (!first_round && untaken() == 0) break;
      const int fewest = *std::min_element(takers.begin(), takers.end());
      std::size_t best = devices.size();
      double max_shared = 0;
      for (std::size_t device = 0; device < devices.size(); ++device) {
        if (takers[device] != fewest) continue;
        const double shared = shared_part(ranks[rank], devices[device]);
        if (best < devices.size() && shared <= max_shared) continue;
        best = device;
        max_shared = shared;
      }
      dealt[rank].push_back(static_cast<int>(best));
      ++takers[best];
    }
    first_round = false;
  }
  return dealt;
}

std::vector<Cpus> gather_allowed_cpus(const Communicator& node) {
  std::array<unsigned char, max_cpus> mine{};
  for (const int cpu : allowed_cpus()) mine[static_cast<std::size_t>(cpu)] = 1;
  std::vector<unsigned char> all(mine.size() * static_cast<std::size_t>(node.size()));
  SPEX_MPI_CHECK(MPI_Allgather(mine.data(), max_cpus, MPI_UNSIGNED_CHAR, all.data(), max_cpus,
                               MPI_UNSIGNED_CHAR, node.get()));
  std::vector<Cpus> cpus(static_cast<std::size_t>(node.size()));
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k] != 0) cpus[k / mine.size()].push_back(static_cast<int>(k % mine.size()));
  return cpus;
}

}  // namespace spex::mpi
