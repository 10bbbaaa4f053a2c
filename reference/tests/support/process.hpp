// Runs programs and waits for them.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/tests/support/scratch.hpp"

namespace spex::test {

struct Finished {
  int status = 0;  ///< exit status; 128 + signal number if a signal ended the process
  std::string out;
  std::string err;
};

/// Runs `command` (searched in PATH), waits, and returns its exit status. Redirects stdout and
/// stderr to the files `out` and `err` unless empty.
inline int run(const std::vector<std::string>& command, const std::string& out = {},
               const std::string& err = {}) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto redirect = [&](int descriptor, const std::string& path) {
    if (!path.empty())
      posix_spawn_file_actions_addopen(&actions, descriptor, path.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
  };
  redirect(STDOUT_FILENO, out);
  redirect(STDERR_FILENO, err);
  pid_t pid = 0;
  const int code = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) throw std::system_error(code, std::generic_category(), command.at(0));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The same, returning its output.
inline Finished run_captured(const std::vector<std::string>& command) {
  const ScratchFolder scratch;
  const std::string out = scratch.file("stdout");
  const std::string err = scratch.file("stderr");
  const int status = run(command, out, err);
  return {status, read_file(out), read_file(err)};
}

}  // namespace spex::test
