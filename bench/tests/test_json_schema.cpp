#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "bench/accept/acceptance_files.hpp"
#include "bench/plan/json_schema.hpp"
#include "bench/result/result_file.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Inner {
  bool flag = false;
  SPEX_MEMBERS(flag)
};

struct Outer {
  int count = 0;
  std::optional<double> seconds;
  std::optional<std::string> word;
  std::vector<Inner> list;
  std::optional<Inner> inner;
  std::map<std::string, std::string> hashes;
  Json any;
  SPEX_ROWS((count, "how many", Minimum{1}, Maximum{9}), (seconds, added_later),
            (word, one_of("a", "b")), (list, Minimum{2}), (inner, "described"),
            (hashes, sha256_form), (any, NumberOrText()))
};

TEST(JsonSchema, OfEachKindOfMember) {
  SchemaMaker maker;
  const Json object = maker.object_of<Outer>();
  EXPECT_EQ(object.at("required"), Json({"count", "word", "list", "inner", "hashes", "any"}));
  EXPECT_EQ(object.at("additionalProperties"), false);
  EXPECT_EQ(object.at("properties"), Json::parse(R"({
    "count": {"type": "integer", "description": "how many", "minimum": 1, "maximum": 9},
    "seconds": {"type": ["number", "null"]},
    "word": {"type": ["string", "null"], "enum": ["a", "b", null]},
    "list": {"type": "array", "items": {"$ref": "#/$defs/Inner"}, "minItems": 2},
    "inner": {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}], "description": "described"},
    "hashes": {"type": "object",
               "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
    "any": {"type": ["number", "string"]}})"));
  EXPECT_EQ(maker.definitions().at("Inner").at("properties"),
            Json::parse(R"({"flag": {"type": "boolean"}})"));
}

TEST(JsonSchema, CommittedSchemasAreGenerated) {
  for (const auto& [name, text] :
       {std::pair{"result", result_schema()}, std::pair{"acceptance", acceptance_schema()}}) {
    const std::string file = std::string("bench/") + name + ".schema.json";
    EXPECT_TRUE(test::read_file(std::string(SPEX_SOURCE_DIR "/") + file) == text)
        << "write it again: spex-bench schema " << name << " > " << file;
    EXPECT_TRUE(Json::accept(text));
  }
}

}  // namespace
}  // namespace spex::bench
