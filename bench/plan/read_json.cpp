#include "bench/plan/read_json.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Throws Error(usage), which names `path`.
Json parse(const std::string& text, const std::string& path, bool comments) {
  std::vector<std::set<std::string>> members;  // of the open objects, outermost first
  const auto inspect = [&](int depth, Json::parse_event_t event, const Json& value) {
    using Event = Json::parse_event_t;
    if (depth >= max_json_levels && (event == Event::object_start || event == Event::array_start))
      throw usage_error(path, "is nested too deeply",
                        fmt::format("at most {} levels", max_json_levels));
    if (event == Event::object_start) members.emplace_back();
    if (event == Event::object_end) members.pop_back();
    if (event == Event::key && !members.back().insert(value.get<std::string>()).second)
      throw usage_error(path, fmt::format("'{}' is there twice", value.get<std::string>()),
                        "each member of an object once");
    return true;
  };
  try {
    return Json::parse(text, inspect, true, comments);
  } catch (const nlohmann::json::exception& error) {
    // Without the library's error number.
    const std::string what = error.what();
    const std::size_t number = what.find("] ");
    throw usage_error(path, number == std::string::npos ? what : what.substr(number + 2), "JSON");
  }
}

// The text of a regular file; nothing for a pipe, which could block, or a device, which may be
// endless.
std::optional<std::string> text_of(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::optional<Json> read_json(const std::string& text) {
  try {
    return parse(text, "", false);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Json> read_json_file(const std::string& path) {
  const std::optional<std::string> text = text_of(path);
  return text ? read_json(*text) : std::nullopt;
}

std::string read_written(const std::string& path, const std::string& expected) {
  const std::optional<std::string> text = text_of(path);
  if (!text) throw usage_error(path, "cannot be read", expected);
  return *text;
}

Json parse_written(const std::string& text, const std::string& path) {
  return parse(text, path, true);
}

}  // namespace spex::bench
