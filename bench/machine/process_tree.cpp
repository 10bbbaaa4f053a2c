#include "bench/machine/process_tree.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace spex::bench {
namespace {

struct Process {
  pid_t parent = 0;
  double ticks = 0;  // its own, and of its children that were waited for
};

// A line of /proc/PID/stat (proc(5)).
Process read_stat(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string text;
  std::getline(in, text);
  // The second field, in parentheses, may hold anything. The fourth is the parent, and the 14th to
  // the 17th are utime, stime, cutime and cstime.
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string word;
  Process process;
  rest >> word >> process.parent;
  for (int field = 5; field < 14; ++field) rest >> word;
  std::array<double, 4> ticks{};
  for (double& one : ticks) rest >> one;
  for (const double one : ticks) process.ticks += one;
  return process;
}

std::multimap<pid_t, std::pair<pid_t, double>> processes_by_parent() {
  std::multimap<pid_t, std::pair<pid_t, double>> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    const Process process = read_stat(entry.path() / "stat");
    found.emplace(process.parent, std::pair{pid, process.ticks});
  }
  return found;
}

}  // namespace

double seconds_of(const rusage& use) {
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

std::vector<pid_t> children() {
  const auto by_parent = processes_by_parent();
  std::vector<pid_t> found;
  const auto [first, last] = by_parent.equal_range(getpid());
  for (auto child = first; child != last; ++child) found.push_back(child->second.first);
  return found;
}

double cpu_seconds_of_descendants() {
  rusage ended{};
  getrusage(RUSAGE_CHILDREN, &ended);
  const auto by_parent = processes_by_parent();
  double ticks = 0;
  std::vector<pid_t> parents{getpid()};
  while (!parents.empty()) {
    const auto [first, last] = by_parent.equal_range(parents.back());
    parents.pop_back();
    for (auto child = first; child != last; ++child) {
      parents.push_back(child->second.first);
      ticks += child->second.second;
    }
  }
  return seconds_of(ended) + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

NodeCpu node_cpu() {
  // proc(5): user nice system idle iowait irq softirq steal, in the first line.
  std::ifstream in("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  if (!(in >> cpu >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal)) return {};
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const double busy = user + nice + system + irq + soft;
  return {busy * tick, (busy + idle + wait + steal) * tick};
}

}  // namespace spex::bench
