// A benchmark in one file that can be taken elsewhere: what it holds, and what it is held to there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/submission/archive.hpp"

namespace spex::bench {

/// What an archive is found to be. Each line is a reason, and names what it is about.
struct SubmissionCheck {
  std::string about;                      ///< plan, system, commit
  std::vector<std::string> incomplete;    ///< what is missing
  std::vector<std::string> inconsistent;  ///< what does not fit the rest: the archive is refused
  /// By entry, why its speed may not be published; empty where it may.
  std::map<std::string, std::vector<std::string>> not_published;

  /// 0: complete, consistent, and an entry may be published; 3: inconsistent; 1: incomplete; 6: no
  /// entry may be published.
  [[nodiscard]] int exit_status() const;
  [[nodiscard]] std::string text() const;
};

/// Holds the files of an archive to each other: those that its manifest lists, with their hashes;
/// the plan to the results; the results to their own samples, by making every figure, verdict and
/// seal once more; the run logs to the last samples.
[[nodiscard]] SubmissionCheck check_submission(const Files& files);

/// The files of a folder that spex-bench wrote (--out), with a manifest. `description` is a text
/// about the system, and may be empty. Throws Error(data) where there is no plan or result.
[[nodiscard]] Files collect_submission(const std::string& out, const std::string& description);

}  // namespace spex::bench
