#include "bench/result/result_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/json_schema.hpp"
#include "bench/plan/read_json.hpp"
#include "bench/result/derive.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// What a result file holds beside `schema`.
struct Result {
  Record record;
  Derived derived;
  SPEX_ROWS((record, "all requests, facts and observations, as plain data"),
            (derived, "all that follows from the record (bench/result/derive.cpp)"))
};

constexpr std::size_t max_differences = 5;

Json schema() {
  return {{"name", "spexbench-result"}, {"major", 2}, {"minor", 0}};
}

// Texts such as paths may not be UTF-8.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string shortened(const Json& json) {
  constexpr std::size_t max_length = 80;
  std::string text = text_of(json, -1);
  if (text.size() > max_length) text = text.substr(0, max_length) + "...";
  return text;
}

// Adds each member of `stated` that differs from `made`: "fom/effective is 3 (expected 2)".
void add_differences(const Json& stated, const Json& made, const std::string& path,
                     std::vector<std::string>& found) {
  if (stated == made || found.size() >= max_differences) return;
  // Optional members that were added after a result was written may be missing.
  const auto is_known = [&](const auto& item) { return made.contains(item.key()); };
  const auto items = stated.items();
  if (stated.is_object() && made.is_object() && std::all_of(items.begin(), items.end(), is_known)) {
    for (const auto& [key, value] : made.items())
      add_differences(stated.contains(key) ? stated.at(key) : Json(), value,
                      path.empty() ? key : fmt::format("{}/{}", path, key), found);
    return;
  }
  found.push_back(fmt::format("{} is {} (expected {}, by the record)", path, shortened(stated),
                              shortened(made)));
}

}  // namespace

Json result_json(const Record& record) {
  return {{"schema", schema()}, {"record", json_of(record)}, {"derived", json_of(derive(record))}};
}

std::string result_schema() {
  return schema_of<Result>("The result of one entry of a spex-bench plan", schema());
}

std::string result_text(const Record& record) {
  return text_of(result_json(record), 1) + "\n";
}

Record record_of(const Json& json, const std::string& where) {
  if (!json.is_object() || !json.contains("schema") || json.at("schema") != schema() ||
      !json.contains("record") || !json.contains("derived"))
    throw data_error(where, "is not a result of schema 2.0", "a result of this spex-bench");
  Record record;
  read_json_of(json.at("record"), record, where);
  return record;
}

Record read_record(const std::string& path) {
  const std::optional<Json> json = read_json_file(path);
  if (!json) throw data_error(path, "is not a result", "JSON of spex-bench");
  Record record = record_of(*json, path);
  if (const std::vector<std::string> wrong = wrongly_derived(*json, record); !wrong.empty())
    throw data_error(path, wrong.front(), "the file as spex-bench wrote it");
  return record;
}

std::vector<std::string> wrongly_derived(const Json& json, const Record& record) {
  std::vector<std::string> found;
  // Converted to text and back, as the file's numbers were.
  const Json made = Json::parse(text_of(json_of(derive(record)), -1));
  add_differences(json.at("derived"), made, "", found);
  return found;
}

}  // namespace spex::bench
