#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "bench/run/run_log.hpp"
#include "bench/tests/refusal_of.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

// Two ranks, one frame, three seconds.
Json good_log() {
  return Json::parse(R"({
    "program": "spex-cpu", "milestone": "baseline",
    "ranks": [{"rank": 0, "host": "a", "max_rss_bytes": 5, "seconds": {"read": 1}},
              {"rank": 1, "host": "b", "max_rss_bytes": 7, "seconds": {"read": 2}}],
    "frames": [{"camera": "b0", "input": "i", "output": "o", "patches": 10, "fell_back": 1,
                "failed": 2, "error": null}],
    "events": [{"rank": 1, "stage": "start", "start": 0.25, "end": 0.375},
               {"rank": 1, "stage": "start", "start": 0.375, "end": 0.5},
               {"rank": 0, "stage": "write", "start": 2, "end": 3}]})");
}

std::string refusal(const std::string& text) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("log.json"), text);
  return refusal_of([&] { static_cast<void>(read_run_log(scratch.file("log.json"))); },
                    ErrorKind::data);
}

TEST(RunLog, IsRead) {
  const test::ScratchFolder scratch;
  test::write_file(scratch.file("log.json"), good_log().dump());
  const RunLog log = read_run_log(scratch.file("log.json"));
  EXPECT_EQ(log.end_s, 3);
  EXPECT_EQ(log.max_rss_bytes, 7);
  EXPECT_EQ(log.stages.at("read").sum, 3);
  EXPECT_EQ(log.stages.at("start").max, 0.25) << "from the first start to the last";
  EXPECT_EQ(log.stages.at("start").min, 0);
  EXPECT_EQ(log.frames, 1);
  EXPECT_EQ(log.failed, 2);
}

TEST(RunLog, OtherFilesAreRefused) {
  EXPECT_NE(refusal_of([] { static_cast<void>(read_run_log("none")); }), "");
  for (const std::string text :
       {"", "{}", "[]", "null", "{\"events\"", "[1, 2]", "{\"events\": 3}"})
    EXPECT_THAT(refusal(text), HasSubstr("log.json")) << text;
  for (const char* key : {"program", "milestone", "ranks", "frames", "events"}) {
    Json log = good_log();
    log.erase(key);
    EXPECT_THAT(refusal(log.dump()), HasSubstr(key));
    log[key] = Json::array();
    EXPECT_THAT(refusal(log.dump()), HasSubstr("log.json")) << key;
  }
}

TEST(RunLog, ImpossibleTimesAreRefused) {
  const auto with = [](const char* pointer, const Json& value) {
    Json log = good_log();
    log[Json::json_pointer(pointer)] = value;
    return refusal(log.dump());
  };
  EXPECT_THAT(with("/events/1/start", -2), HasSubstr("'start' is -2"));
  EXPECT_THAT(with("/events/1/end", -3), HasSubstr("'end' is -3"));
  EXPECT_THAT(with("/events/2/end", 1), HasSubstr("begun at 2"));
  EXPECT_THAT(with("/ranks/0/seconds/read", -1), HasSubstr("'read' is -1"));
  EXPECT_THAT(with("/ranks/0/max_rss_bytes", "many"), HasSubstr("log.json"));
  EXPECT_THAT(with("/events/0/rank", 7), HasSubstr("no rank"));
  EXPECT_THAT(with("/frames/0/failed", -1), HasSubstr("'failed' is -1"));
}

}  // namespace
}  // namespace spex::bench
