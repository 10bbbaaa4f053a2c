#include "reference/core/log_file.hpp"

#include <cstdio>
#include <exception>
#include <memory>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "reference/core/error.hpp"

namespace spex {
namespace {

using FileSink = spdlog::sinks::basic_file_sink_mt;

}  // namespace

void say_line(const std::string& line) noexcept {
  std::fprintf(stderr, "%s\n", line.c_str());  // fmt::print would throw
  try {
    const auto logger = spdlog::default_logger();
    const std::string program = logger->name() + ": ";
    const std::string text = line.starts_with(program) ? line.substr(program.size()) : line;
    for (const spdlog::sink_ptr& sink : logger->sinks()) {
      if (dynamic_cast<FileSink*>(sink.get()) == nullptr) continue;
      sink->log(spdlog::details::log_msg(logger->name(), spdlog::level::err, text));
      sink->flush();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the log file lacks this line: %s\n", error.what());
  }
}

void add_log_file(const std::string& path) {
  try {
    const auto file = std::make_shared<FileSink>(path);
    file->set_pattern("%Y-%m-%d %H:%M:%S %l %n: %v");
    spdlog::default_logger()->sinks().push_back(file);
    spdlog::default_logger()->flush_on(spdlog::level::trace);
  } catch (const spdlog::spdlog_ex& error) {
    throw data_error(path, error.what(), "a file that can be written");
  }
}

}  // namespace spex
