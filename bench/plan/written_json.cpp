#include "bench/plan/written_json.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "bench/plan/read_json.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {

using Json = nlohmann::ordered_json;

namespace {

// Some ten times what is shipped; nlohmann-json takes time by its square.
constexpr std::uintmax_t most_bytes = 256 << 10;
constexpr const char* too_long = "is longer than 256 kB";

}  // namespace

std::string read_written(const std::string& path, const std::string& expected) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::ifstream in;
  if (fs::is_regular_file(path, error)) in.open(path, std::ios::binary);
  if (!in.is_open()) throw usage_error(path, "cannot be read", expected);
  if (fs::file_size(path, error) > most_bytes) throw usage_error(path, too_long, expected);
  return {std::istreambuf_iterator<char>(in), {}};
}

Json parse_written(const std::string& text, const std::string& path) {
  if (text.size() > most_bytes) throw usage_error(path, too_long, "a file that people write");
  std::vector<std::set<std::string>> members;  // of the objects that are open, outermost first
  std::string twice;
  const auto look = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > most_json_levels)
      throw usage_error(path, "has lists or objects in one another without end",
                        fmt::format("at most {} levels", most_json_levels));
    if (event == Json::parse_event_t::object_start) members.emplace_back();
    if (event == Json::parse_event_t::object_end) members.pop_back();
    if (event == Json::parse_event_t::key &&
        !members.back().insert(parsed.get<std::string>()).second && twice.empty())
      twice = parsed.get<std::string>();
    return true;
  };
  Json json = Json::parse(text, look, true, true);
  if (!twice.empty())
    throw usage_error(path, "'" + twice + "' is there twice", "each member of an object once");
  return json;
}

}  // namespace spex::bench
