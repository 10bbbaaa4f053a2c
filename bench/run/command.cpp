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

// Time that nobody can slow down: other clocks are adjusted, by a tenth where somebody asks for it.
double raw_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr std::chrono::milliseconds look_every{100};
constexpr double grace_s = 10;
constexpr int status_of_no_program = 127;
// After which one that cannot be killed, as it waits for a file system that is gone, is left.
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

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string text = *one;
    const std::string name = text.substr(0, text.find('='));
    if (!command.environment.contains(name)) all.push_back(text);
  }
  for (const auto& [name, value] : command.environment)
    all.push_back(fmt::format("{}={}", name, value));
  return all;
}

// What a child does before it is the program: it has a process group and a log of its own, and is
// told to end where this process ends first, killed, so that it does not go on beside the next run.
// Returns errno where that fails, and else not at all. Between vfork and exec a child may only make
// system calls.
int become(int log, const Signals& signals, pid_t parent, char** words, char** variables) {
  if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0 || getppid() != parent ||
      dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0 ||
      pthread_sigmask(SIG_SETMASK, &signals.before(), nullptr) != 0)
    return errno;
  if (log > STDERR_FILENO) close(log);
  execvpe(words[0], words, variables);
  return errno;
}

pid_t start(const Command& command, const Signals& signals) {
  std::vector<std::string> words = command.argv;
  std::vector<std::string> variables = environment_of(command);
  std::vector<char*> argv = pointers(words), environment = pointers(variables);
  // A link in its place would empty another file.
  const Descriptor log(command.log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  const pid_t parent = getpid();
  volatile int error = 0;
  // posix_spawn cannot ask for a signal at this process's end, and fork takes the longer the more
  // memory there is, within the effective clock.
  const pid_t child = vfork();  // NOLINT(bugprone-unsafe-functions)
  if (child == 0) {
    error = become(log.value, signals, parent, argv.data(), environment.data());
    _exit(status_of_no_program);
  }
  if (child < 0) error = errno;
  if (error == 0) return child;
  if (child > 0) waitpid(child, nullptr, 0);
  throw Error(ErrorKind::internal, words[0],
              std::string("cannot be started: ") + std::strerror(error));
}

// Whether a process is one of the helpers that may be there when its command has ended.
bool is_one_of(pid_t pid, const std::vector<std::string>& helpers) {
  std::error_code error;
  const std::string program = std::filesystem::read_symlink(
      std::filesystem::path("/proc") / std::to_string(pid) / "exe", error);
  return std::find(helpers.begin(), helpers.end(), program) != helpers.end();
}

// Waits for what a command left behind, and kills it after its patience. Orphans have become this
// process's children, and those of one that is killed do so then. Until the last has ended but for
// helpers, the command has not: it may be at work.
void end_stragglers(const Command& command, const Signals& signals, double begin,
                    CommandResult& result) {
  const double start = raw_seconds();
  std::set<pid_t> killed;
  for (bool at_work = true;;) {
    rusage use{};
    while (wait4(-1, nullptr, WNOHANG, &use) > 0) {
      result.cpu_s += seconds_of(use);
      if (at_work) result.seconds = raw_seconds() - begin;
    }
    const std::vector<pid_t> left = children();
    at_work = at_work && std::any_of(left.begin(), left.end(),
                                     [&](pid_t pid) { return !is_one_of(pid, command.helpers); });
    const double waited = raw_seconds() - start;
    if (left.empty() || waited > unkillable_s) break;
    if (waited > command.straggling_s)
      for (const pid_t pid : left) {
        kill(pid, SIGKILL);
        killed.insert(pid);
      }
    signals.wait_for_child(std::chrono::milliseconds(20));
  }
  result.left_behind = static_cast<int>(killed.size());
}

}  // namespace

CommandResult run_command(const Command& command, Signals& signals) {
  CommandResult result;
  const int continued = Signals::times_continued();
  result.start_unix = unix_now();
  const double begin = raw_seconds();
  // Orphans are this process's, so that none is lost sight of.
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
    throw Error(ErrorKind::internal, "prctl", std::strerror(errno));
  const pid_t child = start(command, signals);
  double told = -1;  // when the group was told to end
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
    if (told < 0 && (interrupted || over)) {
      result.interrupted = interrupted;
      result.timed_out = !interrupted;
      kill(-child, SIGTERM);
      told = result.seconds;
    } else if (told >= 0 && !killed && result.seconds > told + grace_s) {
      kill(-child, SIGKILL);
      killed = true;
    }
    if (command.meanwhile) command.meanwhile();
    signals.wait_for_child(look_every);
  }
  end_stragglers(command, signals, begin, result);
  result.clock_was_set_s = unix_now() - result.start_unix - (raw_seconds() - begin);
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
  // As a shell says it, of programs that it or a launcher started too.
  constexpr int signaled = 128;
  const int signal = result.status - signaled;
  const char* const name = signal > 0 && signal < NSIG ? strsignal(signal) : nullptr;
  const std::string how = name == nullptr ? fmt::format("exit status {}", result.status)
                                          : fmt::format("exit status {} ({})", result.status, name);
  const std::string words = last_words(log);
  return words.empty() ? how : how + ": " + words;
}

std::string last_words(const std::string& log) {
  constexpr std::streamoff tail = 1 << 20;
  constexpr std::size_t longest = 1000;
  std::ifstream in(log, std::ios::binary | std::ios::ate);
  in.seekg(std::max<std::streamoff>(0, in.tellg() - tail));
  std::string last;
  std::string error;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" -\t\r") == std::string::npos) continue;
    line.resize(std::min(line.size(), longest));
    // What a program prints may be anything; a result file holds text.
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    last = line;
    // The programs' own errors are `program: ...`; launchers say more after them.
    if (line.starts_with("spex-")) error = line;
  }
  return error.empty() ? last : error;
}

}  // namespace spex::bench
