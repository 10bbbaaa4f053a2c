#include <functional>

#include <gmock/gmock.h>

#include "bench/result/check_archive.hpp"
#include "bench/result/file_hash.hpp"
#include "bench/result/result_file.hpp"
#include "bench/tests/records.hpp"
#include "bench/tests/refusal_of.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Record complete_record() {
  Record record = good_record({10, 11, 12, 13, 14});
  Sample& sample = record.timing.samples[1];
  sample.phases["solve"] = {1, 2, 3, 4};
  sample.joules = {1.5, 2.5};
  sample.warnings = {"noise"};
  sample.sustained = LongRun{9, 3, LongPart{1, 2, 0.1, {{1, 0, 0.1}}}, {}, 2};
  record.timing.until = Stopping{0.9, 9};
  record.scaling = {"ranks", "strong", 4, 20};
  record.threshold.emplace().fpnh_effective = 1;
  return record;
}

TEST(Record, IsReadAsItWasWritten) {
  const test::ScratchFolder scratch;
  const Record record = complete_record();
  test::write_file(scratch.file("r.json"), result_text(record));
  const Record again = read_record(scratch.file("r.json"));
  EXPECT_EQ(json_of(again), json_of(record));
  EXPECT_EQ(result_text(again), result_text(record));
}

TEST(Record, FaultyMembersAreNamed) {
  const auto refusal = [](const std::function<void(Json&)>& change) {
    Json json = result_json(complete_record());
    change(json);
    return refusal_of([&] { static_cast<void>(record_of(json, "r.json")); });
  };
  EXPECT_EQ(refusal([](Json&) {}), "");
  EXPECT_THAT(refusal([](Json& j) { j["record"].erase("tier"); }), HasSubstr("object with tier"));
  EXPECT_THAT(refusal([](Json& j) { j["record"]["more"] = 1; }), HasSubstr("only these members"));
  EXPECT_THAT(refusal([](Json& j) { j["record"]["timing"]["samples"][0]["seed"] = "x"; }),
              HasSubstr("r.json/timing/samples/0/seed: is not a whole number"));
  EXPECT_THAT(refusal([](Json& j) { j["record"]["timing"]["warmups"] = 1.5; }),
              HasSubstr("is not a whole number"));
  EXPECT_THAT(refusal([](Json& j) { j["schema"]["major"] = 1; }), HasSubstr("schema 2.0"));
  EXPECT_THAT(refusal([](Json& j) { j = Json::array(); }), HasSubstr("schema 2.0"));
}

TEST(Record, DerivedNumbersFollow) {
  Json json = result_json(complete_record());
  EXPECT_THAT(wrongly_derived(json, complete_record()), IsEmpty());
  json["derived"]["fom"]["effective"]["seconds"]["median"] = 3.0;
  EXPECT_THAT(wrongly_derived(json, complete_record()),
              ElementsAre("fom/effective/seconds/median is 3.0 (expected 12.0, by the record)"));
}

TEST(Record, LaterMembersMayBeMissing) {
  Json json = result_json(complete_record());
  json["record"]["work"].erase("compression");
  EXPECT_FALSE(record_of(json, "r.json").work.compression);
  json["derived"].erase("sustained");
  EXPECT_THAT(wrongly_derived(json, complete_record()), IsEmpty());
  json["derived"]["more"] = 1;
  EXPECT_THAT(wrongly_derived(json, complete_record()), testing::Not(IsEmpty()));
}

// An archive of one entry whose record belongs to the plan.
Files archive_of(Record record) {
  const std::string plan = R"({"name": "p", "description": "d", "tier": "acceptance",
    "reference": {}, "cases": {"c": {}},
    "entries": [{"id": "pipeline", "case": "c", "milestone": "pipeline", "gpus": 1}]})";
  record.plan = {"p", hash_text(plan)};
  Files files{{"plan.json", plan}, {"results/pipeline.json", result_text(record)}};
  for (const Sample& sample : record.timing.samples)
    files["logs/pipeline-" + std::to_string(sample.index) + ".log"] = "";
  return files;
}

TEST(CheckArchive, NamesCompleteEntries) {
  const ArchiveCheck found = check_archive(archive_of(complete_record()));
  EXPECT_EQ(found.exit_status(), 0) << found.text();
  EXPECT_THAT(found.text(), HasSubstr("consistent\nall files are there\ncomplete: pipeline\n"));
  Record record = complete_record();
  record.inputs.seeds = "plan";
  const ArchiveCheck planned = check_archive(archive_of(record));
  EXPECT_EQ(planned.exit_status(), 6);
  EXPECT_THAT(planned.text(), HasSubstr("not complete: pipeline\n    its seeds are the plan's"));
}

TEST(CheckArchive, FindsMistakes) {
  Files files = archive_of(complete_record());
  files.erase("logs/pipeline-3.log");
  EXPECT_EQ(check_archive(files).exit_status(), 1);
  EXPECT_THAT(check_archive(files).missing, ElementsAre("logs/pipeline-3.log is missing"));
  files = archive_of(complete_record());
  files.erase("results/pipeline.json");
  EXPECT_EQ(check_archive(files).exit_status(), 1);
  EXPECT_THAT(check_archive(files).missing, ElementsAre("the plan's entry pipeline has no result"));
  files = archive_of(complete_record());
  files["results/other.json"] = "{}";
  EXPECT_THAT(check_archive(files).inconsistent,
              ElementsAre("results/other.json does not belong to any entry of the plan"));
  files = archive_of(complete_record());
  files["plan.json"] += " ";
  EXPECT_THAT(check_archive(files).inconsistent, Contains(HasSubstr("belongs to another plan")));
  files = archive_of(complete_record());
  Json json = Json::parse(files["results/pipeline.json"]);
  json["record"]["timing"]["samples"][1]["effective_s"] = 5;
  files["results/pipeline.json"] = json.dump();
  EXPECT_EQ(check_archive(files).exit_status(), 3);
  EXPECT_THAT(check_archive({}).inconsistent, ElementsAre("plan.json is missing"));
  files = archive_of(complete_record());
  files["results/pipeline.json"] = std::string(100000, '[');
  EXPECT_EQ(check_archive(files).exit_status(), 3);
}

}  // namespace
}  // namespace spex::bench
