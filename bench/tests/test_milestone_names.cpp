// Lists of milestones in other files agree with the table in reference/model/milestones.hpp.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>

#include "bench/plan/plan_words.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::bench {
namespace {

TEST(MilestoneNames, OfTheReports) {
  std::string text = test::read_file(SPEX_SOURCE_DIR "/reports/spexreports/results/published.py");
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  std::string list = "MILESTONES=(";
  for (const std::string& name : milestone_words()) list += "\"" + name + "\",";
  EXPECT_THAT(text, testing::HasSubstr(list + ")"));
}

// The shipped plans are read with that table (Plan.ShippedPlansAreValid).

}  // namespace
}  // namespace spex::bench
