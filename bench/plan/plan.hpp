// What a run of spex-bench measures: a plan file (JSON, comments allowed; docs/benchmark.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan/entry.hpp"

namespace spex::bench {

struct Plan {
  std::string name;
  std::string description;
  std::string tier = "ci";
  std::string division = "ported";
  int warmups = 1;
  int repeats = 5;
  std::optional<Stopping> until;         ///< none: exactly that many
  std::string tolerance = "production";  ///< of spex-compare
  double time_limit_s = 1800;            ///< of one run; it is ended then, and has failed
  std::map<std::string, Case> cases;
  std::optional<Reference> reference;
  std::vector<std::string> goldens;  ///< cases of golden/cases.json that every milestone must pass
  std::optional<Ceilings> gpu_ceilings;
  std::vector<Entry> entries;  ///< sweeps are resolved
  std::string path;
  std::string text;  ///< of the whole plan
};

/// A plan file, merged with the plan that its `base` names. Throws Error(usage) where the file is
/// no plan: unknown keys, missing ones, wrong values.
[[nodiscard]] Plan read_plan(const std::string& path);

/// The same of a text without `base`, which errors call `path`.
[[nodiscard]] Plan parse_plan(const std::string& text, const std::string& path);

/// The folder of the files that are shipped, found from where this program is: share/spexbench of
/// its installation, wherever that was moved, or of its build folder. It has the repository's
/// paths.
[[nodiscard]] std::string shipped_folder();

[[nodiscard]] std::string shipped_golden_cases();

/// The file of a plan as a command line names it: the path of one, or the name of one that is
/// shipped, `ci` for ci.json. What is neither is returned as it is.
[[nodiscard]] std::string plan_file(const std::string& name);

}  // namespace spex::bench
