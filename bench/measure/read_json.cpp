#include "bench/measure/read_json.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <vector>

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Refused {};

}  // namespace

std::optional<Json> read_json(const std::string& text) {
  std::vector<std::set<std::string>> members;  // of the objects that are open, outermost first
  const auto look = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > most_json_levels) throw Refused();
    if (event == Json::parse_event_t::object_start) members.emplace_back();
    if (event == Json::parse_event_t::object_end) members.pop_back();
    if (event == Json::parse_event_t::key &&
        !members.back().insert(parsed.get<std::string>()).second)
      throw Refused();
    return true;
  };
  try {
    Json json = Json::parse(text, look, false);
    if (json.is_discarded()) return std::nullopt;
    return json;
  } catch (const Refused&) {
    return std::nullopt;
  }
}

std::optional<Json> read_json_file(const std::string& path) {
  // A pipe would be waited for, and a device has no end.
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return read_json({std::istreambuf_iterator<char>(in), {}});
}

}  // namespace spex::bench
