// The result file of an entry: written after every run, and taken up by --resume.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bench/campaign/entry_run.hpp"

namespace spex::bench {

/// The result file (bench/result.schema.json).
[[nodiscard]] nlohmann::ordered_json result_json(const EntryRun& run, const RunFacts& facts);

/// The file's bytes.
[[nodiscard]] std::string result_text(const EntryRun& run, const RunFacts& facts);

/// Takes up the samples, inputs, validation, health, golden cases and counted work of a result file
/// of the same plan, build, programs, system and source of seeds. Throws Error(data) where it is of
/// another, or was edited.
void resume_from(const std::string& path, const RunFacts& facts, EntryRun& run);

}  // namespace spex::bench
