#include "bench/campaign/written_json.hpp"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "bench/measure/read_json.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {

using Json = nlohmann::ordered_json;

Json parse_written(const std::string& text, const std::string& path) {
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
