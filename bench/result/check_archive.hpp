// Packs the results of a plan into an archive, and checks such archives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/result/archive.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

/// The path of a campaign's plan in --out.
[[nodiscard]] std::string kept_plan_path(const std::string& out);

/// The files of a folder that spex-bench wrote (--out): plan, results, logs, acceptance, and the
/// file `description`, a text about the system, if not empty. Throws Error(data) if there is no
/// plan or result, or a file cannot be read.
[[nodiscard]] Files collect_archive(const std::string& out, const std::string& description);

/// What check_archive found. Each text is one line that names its subject.
struct ArchiveCheck {
  std::string about;                 ///< plan, system, commit
  std::vector<std::string> missing;  ///< results or logs that do not exist
  /// members that do not follow from the record or the plan
  std::vector<std::string> inconsistent;
  /// By entry: why its result is not complete (docs/benchmark.md, run rules); empty if it is.
  std::map<std::string, std::vector<std::string>> incomplete;
  std::vector<Record> records;         ///< in the order of the plan
  std::vector<std::string> judgments;  ///< of spex-bench accept, oldest first

  /// 0: consistent, and an entry is complete; 3: inconsistent; 1: files are missing; 6: no entry is
  /// complete.
  [[nodiscard]] int exit_status() const;
  [[nodiscard]] std::string text() const;
};

/// Reads the results of an archive, derives their numbers again, and checks them against the plan
/// and each other. This finds mistakes; only `spex-bench rerun` detects edited records.
[[nodiscard]] ArchiveCheck check_archive(const Files& files);

}  // namespace spex::bench
