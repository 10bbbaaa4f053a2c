// Lists of milestones in other files agree with the table in reference/model/milestones.hpp.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reference/model/milestones.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::bench {
namespace {

using namespace nlohmann::literals;

// In order; direct is on both devices.
std::vector<std::string> names_of_the_table() {
  std::vector<std::string> names;
  for (const MilestoneTraits& milestone : milestones)
    if (std::ranges::find(names, milestone.name) == names.end()) names.emplace_back(milestone.name);
  return names;
}

std::string source(const std::string& path) {
  return test::read_file(std::string(SPEX_SOURCE_DIR) + "/" + path);
}

TEST(MilestoneNames, OfTheResultSchema) {
  const auto schema = nlohmann::json::parse(source("bench/result.schema.json"));
  const auto names = schema.at("/properties/record/properties/milestone/enum"_json_pointer);
  EXPECT_EQ(names.get<std::vector<std::string>>(), names_of_the_table());
}

TEST(MilestoneNames, OfTheReports) {
  std::string text = source("reports/spexreports/results/published.py");
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  std::string list = "MILESTONES=(";
  for (const std::string& name : names_of_the_table()) list += "\"" + name + "\",";
  EXPECT_THAT(text, testing::HasSubstr(list + ")"));
}

// The shipped plans are read with that table (Plan.ShippedPlansAreValid).

}  // namespace
}  // namespace spex::bench
