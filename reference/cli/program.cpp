#include "reference/cli/program.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "reference/cli/abbreviations.hpp"
#include "reference/cli/completion.hpp"
#include "reference/cli/suggestion.hpp"
#include "reference/core/blas.hpp"
#include "reference/core/error.hpp"
#include "reference/core/log_file.hpp"

namespace spex {
namespace {

// Integers are decimal even with leading zeros, as in file names, and an empty word is rejected.
// CLI11 would read 010 as 8 and an empty word as 0.
std::string without_zeros(std::string text) {
  if (text.empty()) throw CLI::ValidationError("is empty (expected a number)");
  const std::size_t digits = text.find_first_not_of("+-");
  if (digits == std::string::npos || text.find_first_not_of("0123456789", digits) != text.npos)
    return text;
  const std::size_t zeros = std::min(text.find_first_not_of('0', digits), text.size() - 1);
  return text.erase(digits, zeros - digits);
}

void read_numbers_in_decimal(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_type_name() == "INT" || option->get_type_name() == "UINT")
      option->transform(without_zeros);
}

// Describes a parse error; an unknown option takes precedence.
std::string words_of_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> extras = app.remaining();
  const auto unknown =
      std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with("--"); });
  if (unknown == extras.end()) return words_of(error);
  const std::string name = unknown->substr(0, unknown->find('='));
  const std::string meant = suggestion(name.substr(2), long_names(app));
  return printable(name + ": unknown option" +
                   (meant.empty() ? "" : fmt::format(", did you mean --{}?", meant)));
}

// Runs `parse` and handles CLI11's exceptions as parse_command_line documents.
bool parse_guarded(CLI::App& app, bool speaks, int& status, const std::function<void()>& parse) {
  const auto wrong = [&](const std::string& what) {
    status = exit_status(ErrorKind::usage);
    if (speaks)
      say_line(fmt::format("{}: {} (see {} --help)", app.get_name(), what, app.get_name()));
  };
  add_completion_option(app);
  read_numbers_in_decimal(app);
  try {
    parse();
    return true;
  } catch (const CLI::Success& success) {  // --help, --version or --completion
    status = speaks ? app.exit(success) : 0;
  } catch (const CLI::ParseError& error) {
    wrong(words_of_parse_error(app, error));
  } catch (const Error& error) {
    wrong(error.what());
  }
  return false;
}

// If stderr is closed, a file opened later would take its descriptor and receive the messages.
// Opens /dev/null read-only there, so that writes still fail.
void fill_closed_streams() {
  int file = 0;
  do file = open("/dev/null", O_RDONLY);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0) close(file);
}

#if defined(__GLIBC__)
void leave(int status, void* /*unused*/) {
  std::fflush(nullptr);
  _exit(status);
}

// Where threads of BLAS may never end, the process ends before the library waits for them: at
// main's return, and where MPI calls exit() for lack of memory.
void leave_without_blas_threads() {
  if (blas_threads_may_never_end()) on_exit(leave, nullptr);
}
#else
void leave_without_blas_threads() {}
#endif

}  // namespace

void set_up_logging(const std::string& program) {
  fill_closed_streams();
  leave_without_blas_threads();
  // Ignore the signal for the file size limit (ulimit -f), so that the write fails and is reported.
  std::signal(SIGXFSZ, SIG_IGN);
  spdlog::set_default_logger(spdlog::stderr_color_mt(program));
  spdlog::set_pattern("%H:%M:%S %^%l%$ %n: %v");
}

void set_up_program(const std::string& program) {
  set_up_logging(program);
  use_single_threaded_blas();
  end_blas_threads();
}

void set_log_level(const std::string& level) {
  static const std::map<std::string, spdlog::level::level_enum> levels{
      {"debug", spdlog::level::debug}, {"info", spdlog::level::info},
      {"warn", spdlog::level::warn},   {"warning", spdlog::level::warn},
      {"error", spdlog::level::err},   {"critical", spdlog::level::critical},
  };
  const auto found = levels.find(level);
  if (found == levels.end())
    throw usage_error("--loglevel", "unknown level '" + level + "'", "debug, info, warn or error");
  spdlog::set_level(found->second);
}

bool parse_command_line(CLI::App& app, int argc, char** argv, bool speaks, int& status) {
  return parse_guarded(app, speaks, status, [&] { app.parse(argc, argv); });
}

bool parse_abbreviated(CLI::App& app, std::span<const std::string_view> first, int argc,
                       char** argv, bool speaks, int& status) {
  return parse_guarded(app, speaks, status, [&] {
    std::vector<std::string> words = write_out_options(app, {argv + 1, argv + argc}, first);
    std::reverse(words.begin(), words.end());  // CLI11 expects reversed order
    app.parse(std::move(words));
  });
}

int run_guarded(const std::string& program, bool speaks, const std::function<int()>& body) {
  const auto say = [&](const std::string& what) {
    if (speaks) say_line(program + ": " + what);
  };
  try {
    return body();
  } catch (const Error& error) {
    say(error.what());
    return exit_status(error.kind());
  } catch (const std::bad_alloc&) {
    say("out of memory");
  } catch (const std::exception& error) {
    say(words_of(error));
  }
  return exit_status(ErrorKind::internal);
}

int run_guarded(const std::string& program, const std::function<int()>& body) {
  return run_guarded(program, true, body);
}

}  // namespace spex
