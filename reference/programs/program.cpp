#include "reference/programs/program.hpp"

#include <cstdio>
#include <exception>
#include <map>
#include <new>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "reference/core/error.hpp"

namespace spex {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

void say_line(const std::string& line) noexcept {
  std::fputs(line.c_str(), stderr);
  std::fputc('\n', stderr);
}

void set_up_logging(const std::string& program) {
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
    throw usage_error("--loglevel", "unknown level '" + level + "'",
                      "debug, info, warn, error or critical");
  spdlog::set_level(found->second);
}

bool parse_command_line(CLI::App& app, int argc, char** argv, bool speaks, int& status) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success& success) {  // --help and --version
    status = speaks ? app.exit(success) : 0;
  } catch (const CLI::ParseError& error) {
    status = exit_status(ErrorKind::usage);
    if (speaks)
      say_line(fmt::format("{}: {} (see {} --help)", app.get_name(), first_line(error.what()),
                           app.get_name()));
  }
  return false;
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
    say(first_line(error.what()));
  }
  return exit_status(ErrorKind::internal);
}

int run_guarded(const std::string& program, const std::function<int()>& body) {
  return run_guarded(program, true, body);
}

}  // namespace spex
