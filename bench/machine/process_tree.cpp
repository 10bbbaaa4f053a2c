#include "bench/machine/process_tree.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <system_error>

#include <sched.h>
#include <unistd.h>

#include "bench/machine/cgroups.hpp"
#include "reference/core/sys_files.hpp"

namespace spex::bench {
namespace {

// The parent of a process, the fourth field of /proc/PID/stat (proc(5)); 0 if there is no such
// process. The second field, in parentheses, may contain any characters.
pid_t parent_of(const std::filesystem::path& process) {
  std::ifstream in(process / "stat");
  std::string text;
  std::getline(in, text);
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string state;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

// The part of a control group's path up to the Slurm job: "/system.slice/.../job_42"; "" if there
// is no job in it.
std::string group_of_job(const std::string& path) {
  static const std::regex job("^(.*/job_[0-9]+)(/.*)?$");
  std::smatch found;
  return std::regex_match(path, found, job) ? found[1].str() : "";
}

// CPU seconds of this process since it began.
double cpu_s_of_this_process() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return seconds_of(use);
}

}  // namespace

CpuUseSince::CpuUseSince() : busy_s_(cpu_use().busy_s), own_s_(cpu_s_of_this_process()) {}

double CpuUseSince::own_s() const {
  return cpu_s_of_this_process() - own_s_;
}

double CpuUseSince::others_s() const {
  const double busy_s = cpu_use().busy_s - busy_s_;
  return std::max(0.0, busy_s - own_s());
}

std::optional<double> job_cpu_s(const std::string& root) {
  for (const Cgroup& own : own_cgroups(root)) {
    const std::string job = group_of_job(own.path);
    if (job.empty()) continue;
    if (own.controllers.empty()) {
      const auto text = value_in(own.top + job + "/cpu.stat", "usage_usec", ' ');
      if (text) return 1e-6 * std::strtod(text->c_str(), nullptr);
    } else if (own.controllers.find("cpuacct") != std::string::npos) {
      if (const auto used = number_in(own.top + job + "/cpuacct.usage")) return 1e-9 * *used;
    }
  }
  return std::nullopt;
}

double seconds_of(const rusage& use) {
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    if (parent_of(entry.path()) == getpid()) found.push_back(pid);
  }
  return found;
}

CpuUse cpu_use(const std::string& root) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return {};
  // Lines of /proc/stat (proc(5)): cpuN user nice system idle iowait irq softirq steal.
  std::ifstream in(root + "/proc/stat");
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  CpuUse use;
  for (std::string line; std::getline(in, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    unsigned cpu = 0;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
    // The first line, of all CPUs, has no number.
    if (line.starts_with("cpu ") || !(words >> cpu) || cpu >= CPU_SETSIZE ||
        !CPU_ISSET(cpu, &allowed))
      continue;
    words >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal;
    const double busy = user + nice + system + irq + soft;
    use.busy_s += busy * tick;
    use.total_s += (busy + idle + wait + steal) * tick;
  }
  return use;
}

}  // namespace spex::bench
