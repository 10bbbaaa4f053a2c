// The result file of an entry (bench/result.schema.json): a record and the numbers derived from it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bench/result/record.hpp"

namespace spex::bench {

/// The file's JSON: schema, record, derived.
[[nodiscard]] nlohmann::ordered_json result_json(const Record& record);

[[nodiscard]] std::string result_text(const Record& record);

/// The JSON schema of result files, which bench/result.schema.json holds.
[[nodiscard]] std::string result_schema();

/// The record in a result file's JSON. Throws Error(data), which names `where`, if it is not a
/// result of this version.
[[nodiscard]] Record record_of(const nlohmann::ordered_json& json, const std::string& where);

/// Reads a result file. Also throws if its derived numbers do not follow from its record.
[[nodiscard]] Record read_record(const std::string& path);

/// The members of the derived part of `json` that do not follow from its record, one per line.
[[nodiscard]] std::vector<std::string> wrongly_derived(const nlohmann::ordered_json& json,
                                                       const Record& record);

}  // namespace spex::bench
