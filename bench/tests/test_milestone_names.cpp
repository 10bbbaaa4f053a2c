// Lists of milestones in other languages, held to the table in reference/model/milestones.hpp.
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference/model/milestones.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::bench {
namespace {

using namespace nlohmann::literals;

std::vector<std::string> names_of_the_table() {
  std::vector<std::string> names;
  for (const MilestoneTraits& rung : milestones) names.emplace_back(rung.name);
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
  const std::string text = source("reports/spexreports/results/published.py");
  std::smatch list;
  ASSERT_TRUE(std::regex_search(text, list, std::regex(R"(MILESTONES = \(([^)]*)\))")));
  const std::string members = list[1];
  std::vector<std::string> names;
  const std::regex quoted("\"([^\"]+)\"");
  for (auto one = std::sregex_iterator(members.begin(), members.end(), quoted);
       one != std::sregex_iterator(); ++one)
    names.push_back((*one)[1]);
  EXPECT_EQ(names, names_of_the_table());
}

// The keys of shipped plans are read by the table itself (Plan.ShippedPlansAreValid).

}  // namespace
}  // namespace spex::bench
