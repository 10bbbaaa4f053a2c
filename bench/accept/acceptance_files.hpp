// The files of an acceptance: for programs, people, tables and test harnesses.
#pragma once

#include <string>
#include <vector>

#include "bench/accept/judgment.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

inline constexpr const char* acceptance_name = "acceptance.json";

/// The judgments of OUT/acceptance.json, oldest first; none without that file. Throws Error(data)
/// if it is not such a file.
[[nodiscard]] std::vector<Judgment> read_judgments(const std::string& out);

/// The JSON schema of acceptance.json, which bench/acceptance.schema.json holds.
[[nodiscard]] std::string acceptance_schema();

/// Writes OUT/acceptance.json (bench/acceptance.schema.json: all judgments, the entries and the
/// system), acceptance.md (a page of the last judgment), acceptance.csv (its names and one line)
/// and acceptance.xml (JUnit: tests of each entry). There is at least one record and one judgment.
void write_acceptance(const std::string& out, const std::vector<Record>& records,
                      const std::vector<Judgment>& judgments);

}  // namespace spex::bench
