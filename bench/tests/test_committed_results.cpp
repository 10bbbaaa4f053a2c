// Every committed result is read as spex-bench wrote it.

#include <filesystem>

#include <gtest/gtest.h>

#include "bench/accept/target.hpp"
#include "bench/plan/read_json.hpp"
#include "bench/result/result_file.hpp"
#include "bench/tests/refusal_of.hpp"
#include "spex_test_paths.hpp"

namespace spex::bench {
namespace {

TEST(CommittedResults, AreReadAndTheirNumbersFollow) {
  const Plan plan = read_plan(SPEX_SOURCE_DIR "/bench/plans/accept-gpu.json");
  int results = 0, targets = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(SPEX_SOURCE_DIR "/reports/results")) {
    const std::string path = file.path();
    if (!path.ends_with(".json")) continue;
    const auto json = read_json_file(path);
    if (!json || !json->is_object() || !json->contains("record")) continue;
    ++results;
    EXPECT_NO_THROW(static_cast<void>(read_record(path))) << path;
    // As a target of an acceptance, each that has FPNH.
    const std::string refusal =
        refusal_of([&] { static_cast<void>(target_against(path, {}, plan)); });
    EXPECT_TRUE(refusal.empty() || refusal.find("has no FPNH for an entry") != std::string::npos)
        << refusal;
    targets += refusal.empty() ? 1 : 0;
  }
  EXPECT_GE(targets, 30);
  EXPECT_GE(results, 100);
}

}  // namespace
}  // namespace spex::bench
