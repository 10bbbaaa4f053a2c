// The results of a plan as one archive: what is packed, and what it is found to be elsewhere.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/result/archive.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

/// Where a campaign keeps its plan, below --out.
[[nodiscard]] std::string kept_plan_path(const std::string& out);

/// The files of a folder that spex-bench wrote (--out): plan, results, logs; and the file
/// `description`, a text about the system, where that is not empty. Throws Error(data) where there
/// is no plan or result, or a file cannot be read.
[[nodiscard]] Files collect_archive(const std::string& out, const std::string& description);

/// What an archive is found to be. Each line is a reason, and names what it is about.
struct ArchiveCheck {
  std::string about;                      ///< plan, system, commit
  std::vector<std::string> missing;       ///< results or logs that are not there
  std::vector<std::string> inconsistent;  ///< what does not follow from the records, or the plan
  /// By entry, why its result is not complete (docs/benchmark.md, run rules); empty where it is.
  std::map<std::string, std::vector<std::string>> incomplete;
  std::vector<Record> records;  ///< in the order of the plan

  /// 0: consistent, and an entry is complete; 3: inconsistent; 1: something is missing; 6: no entry
  /// is complete.
  [[nodiscard]] int exit_status() const;
  [[nodiscard]] std::string text() const;
};

/// Reads the results of an archive, derives their numbers anew, and holds them to the plan and to
/// each other. It finds honest mistakes; who edits a record is found by `spex-bench rerun`.
[[nodiscard]] ArchiveCheck check_archive(const Files& files);

}  // namespace spex::bench
