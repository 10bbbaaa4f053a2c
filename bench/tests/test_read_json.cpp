#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "bench/plan/read_json.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

TEST(ReadJson, ReadsJson) {
  const auto json = read_json(R"({"a": [1, {"a": 2}], "b": null})");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->at("a").at(1).at("a"), 2);
  EXPECT_TRUE(read_json("null"));
}

TEST(ReadJson, RefusesInvalidAndAmbiguousTexts) {
  for (const char* text : {"", "{", "NaN", "1e999", R"({"a": 1,})", R"({"a": 1, "a": 2})",
                           R"([{"b": {"a": 1, "c": 2, "a": 1}}])", "\"\xff\""})
    EXPECT_FALSE(read_json(text)) << text;
}

TEST(ReadJson, RefusesDeepNesting) {
  const auto nested = [](int levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(read_json(nested(max_json_levels)));
  EXPECT_FALSE(read_json(nested(max_json_levels + 2)));
  EXPECT_FALSE(read_json(nested(1000000)));
  EXPECT_FALSE(read_json(std::string(1000000, '[')));
}

TEST(ReadJson, ReadsRegularFiles) {
  const test::ScratchFolder scratch;
  std::ofstream(scratch.file("a.json")) << "[3]";
  EXPECT_EQ(read_json_file(scratch.file("a.json")), nlohmann::ordered_json({3}));
  EXPECT_FALSE(read_json_file(scratch.file("none.json")));
  // Nobody writes to the pipe, so opening it would block.
  ASSERT_EQ(mkfifo(scratch.file("pipe.json").c_str(), 0600), 0);
  EXPECT_FALSE(read_json_file(scratch.file("pipe.json")));
  EXPECT_FALSE(read_json_file("/dev/null"));
}

}  // namespace
}  // namespace spex::bench
