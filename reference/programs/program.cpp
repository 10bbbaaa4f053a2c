#include "reference/programs/program.hpp"

#include <algorithm>
#include <csignal>
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

#include "reference/core/error.hpp"
#include "reference/core/log_file.hpp"
#include "reference/programs/abbreviations.hpp"
#include "reference/programs/completion.hpp"
#include "reference/programs/suggestion.hpp"

namespace spex {
namespace {

// A whole number is decimal whatever zeros it begins with, as in file names, and nothing is none:
// CLI11 would take 010 for 8, and an empty word for 0.
std::string without_zeros(std::string text) {
  if (text.empty()) throw CLI::ValidationError("is empty, a number is expected");
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

// What is wrong with a command line: an option that there is not, before all else.
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

// Runs `parse`, which throws what CLI11 throws; says and sets what parse_command_line does.
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
  } catch (const CLI::Success& success) {  // --help, --version and --completion
    status = speaks ? app.exit(success) : 0;
  } catch (const CLI::ParseError& error) {
    wrong(words_of_parse_error(app, error));
  } catch (const Error& error) {
    wrong(error.what());
  }
  return false;
}

// A file that is opened while stderr is closed would get its number, and then what is printed. Read
// only, so that to print still fails, as it does where nothing is open.
void fill_closed_streams() {
  int file = 0;
  do file = open("/dev/null", O_RDONLY);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0) close(file);
}

}  // namespace

void set_up_logging(const std::string& program) {
  fill_closed_streams();
  // A file beyond the limit of the shell (ulimit -f) is a write that fails, and is said as such.
  std::signal(SIGXFSZ, SIG_IGN);
  spdlog::set_default_logger(spdlog::stderr_color_mt(program));
  spdlog::set_pattern("%H:%M:%S %^%l%$ %n: %v");
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
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
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
