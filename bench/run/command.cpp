#include "bench/run/command.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/machine/process_tree.hpp"
#include "bench/result/utc.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

// Seconds of CLOCK_MONOTONIC_RAW. Other clocks can be adjusted while a run is timed, by up to 10%.
double raw_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Interval at which a running command's time limit and interrupts are checked.
constexpr std::chrono::milliseconds poll_interval{100};
// The same for the processes that a command left behind.
constexpr std::chrono::milliseconds leftover_interval{20};
// Seconds between SIGTERM and SIGKILL.
constexpr double kill_after_s = 10;
constexpr int status_not_started = 127;
// Seconds after which an unkillable process (stuck in I/O) is abandoned.
constexpr double unkillable_s = 30;

struct Descriptor {
  int value = -1;
  Descriptor(const std::string& path, int flags) : value(open(path.c_str(), flags, 0644)) {
    if (value < 0) throw data_error(path, std::strerror(errno), "a file that can be written");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(value); }
};

// `texts` as exec takes them: pointers, with a null pointer at the end.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// This process's variables with those of the command, as "NAME=value".
std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('='));
    if (!command.environment.contains(name)) all.push_back(text);
  }
  for (const auto& [name, value] : command.environment)
    all.push_back(fmt::format("{}={}", name, value));
  return all;
}

// The child between vfork and exec, where only system calls are allowed. It gets its own process
// group and log, and SIGTERM if its parent dies, so that it does not disturb the next run. Returns
// errno if a step fails, and does not return otherwise.
int exec_command(int log, const Signals& signals, pid_t parent, char** argv, char** variables) {
  if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0 || getppid() != parent ||
      dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0 ||
      pthread_sigmask(SIG_SETMASK, &signals.mask_before(), nullptr) != 0)
    return errno;
  if (log > STDERR_FILENO) close(log);
  execvpe(argv[0], argv, variables);
  return errno;
}

pid_t start(const Command& command, const Signals& signals) {
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> variables = environment_of(command);
  std::vector<char*> argv = pointers(arguments), environment = pointers(variables);
  // O_NOFOLLOW: a symbolic link could truncate any other file.
  const Descriptor log(command.log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  const pid_t parent = getpid();
  volatile int error = 0;
  // posix_spawn has no PR_SET_PDEATHSIG. The time of fork grows with this process's memory, and
  // counts as effective time.
  const pid_t child = vfork();  // NOLINT(bugprone-unsafe-functions)
  if (child == 0) {
    error = exec_command(log.value, signals, parent, argv.data(), environment.data());
    _exit(status_not_started);
  }
  if (child < 0) error = errno;
  if (error == 0) return child;
  if (child > 0) waitpid(child, nullptr, 0);
  throw Error(ErrorKind::internal, arguments[0],
              std::string("cannot be started: ") + std::strerror(error));
}

// Whether a process runs one of the programs `helpers`.
bool is_helper(pid_t pid, const std::vector<std::string>& helpers) {
  std::error_code error;
  const std::string program = std::filesystem::read_symlink(
      std::filesystem::path("/proc") / std::to_string(pid) / "exe", error);
  return std::find(helpers.begin(), helpers.end(), program) != helpers.end();
}

// Waits for the processes that a command left behind, and kills them after its grace period. As
// orphans they are children of this process. The command counts as running until all of them except
// helpers have ended, because they may still do its work.
void end_leftovers(const Command& command, const Signals& signals, double begin,
                   CommandResult& result) {
  const double start = raw_seconds();
  std::set<pid_t> killed;
  for (bool is_running = true;;) {
    rusage use{};
    while (wait4(-1, nullptr, WNOHANG, &use) > 0) {
      result.cpu_s += seconds_of(use);
      if (is_running) result.seconds = raw_seconds() - begin;
    }
    const std::vector<pid_t> left = children();
    is_running = is_running && std::any_of(left.begin(), left.end(), [&](pid_t pid) {
                   return !is_helper(pid, command.helpers);
                 });
    const double waited = raw_seconds() - start;
    if (left.empty() || waited > unkillable_s) break;
    if (waited > command.grace_s)
      for (const pid_t pid : left) {
        kill(pid, SIGKILL);
        killed.insert(pid);
      }
    signals.wait(leftover_interval);
  }
  result.left_behind = static_cast<int>(killed.size());
}

}  // namespace

CommandResult run_command(const Command& command, Signals& signals) {
  CommandResult result;
  const int continued = Signals::times_continued();
  result.start_unix = unix_now();
  const double begin = raw_seconds();
  // Become the subreaper: orphans of the command become children of this process.
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
    throw Error(ErrorKind::internal, "prctl", std::strerror(errno));
  const pid_t child = start(command, signals);
  double terminated_s = -1;  // when the group got SIGTERM
  bool killed = false;
  for (int status = 0;;) {
    pid_t found = 0;
    do {
      rusage use{};
      found = wait4(-1, &status, WNOHANG, &use);
      if (found > 0) result.cpu_s += seconds_of(use);
    } while (found > 0 && found != child);
    result.seconds = raw_seconds() - begin;
    if (found == child) {
      result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      break;
    }
    if (found < 0 && errno != EINTR)
      throw Error(ErrorKind::internal, command.argv[0], "cannot be waited for");
    const bool interrupted = Signals::interrupted();
    const bool over = result.seconds > command.time_limit_s;
    if (terminated_s < 0 && (interrupted || over)) {
      result.interrupted = interrupted;
      result.timed_out = !interrupted;
      kill(-child, SIGTERM);
      terminated_s = result.seconds;
    } else if (terminated_s >= 0 && !killed && result.seconds > terminated_s + kill_after_s) {
      kill(-child, SIGKILL);
      killed = true;
    }
    if (command.meanwhile) command.meanwhile();
    signals.wait(poll_interval);
  }
  end_leftovers(command, signals, begin, result);
  result.clock_step_s = unix_now() - result.start_unix - (raw_seconds() - begin);
  result.was_stopped = Signals::times_continued() != continued;
  return result;
}

void must_run(const Command& command, const std::string& where, const std::string& expected,
              Signals& signals) {
  const CommandResult result = run_command(command, signals);
  if (result.interrupted) throw Interrupted{};
  if (result.status == 0) return;
  const std::string program = std::filesystem::path(command.argv[0]).filename();
  throw data_error(where, fmt::format("{} failed, {}", program, end_of(result, command.log)),
                   expected);
}

std::string end_of(const CommandResult& result, const std::string& log) {
  // Exit status 128 + signal, which shells and launchers also report for their children.
  constexpr int signaled = 128;
  const int signal = result.status - signaled;
  const char* const name = signal > 0 && signal < NSIG ? strsignal(signal) : nullptr;
  const std::string how = name == nullptr ? fmt::format("exit status {}", result.status)
                                          : fmt::format("exit status {} ({})", result.status, name);
  const std::string message = last_message(log);
  return message.empty() ? how : how + ": " + message;
}

std::string last_message(const std::string& log) {
  constexpr std::streamoff tail = 1 << 20;
  constexpr std::size_t max_length = 1000;
  std::ifstream in(log, std::ios::binary | std::ios::ate);
  in.seekg(std::max<std::streamoff>(0, in.tellg() - tail));
  std::string last;
  std::string error;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" -\t\r") == std::string::npos) continue;
    line.resize(std::min(line.size(), max_length));
    // A program may print any bytes, but a result file is text.
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    last = line;
    // The error of one of our programs, which launchers follow with lines of their own.
    if (line.starts_with("spex-")) error = line;
  }
  return error.empty() ? last : error;
}

}  // namespace spex::bench
