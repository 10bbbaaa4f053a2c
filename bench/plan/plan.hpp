// A plan file: what spex-bench measures (JSON with comments; docs/benchmark.md).
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
  std::optional<Stopping> until;         ///< absent: exactly `repeats` runs
  std::optional<Quiet> quiet;            ///< absent in the tier ci: all runs count
  std::string tolerance = "production";  ///< of spex-compare
  double time_limit_s = 1800;            ///< of one run, which is then ended and has failed
  std::map<std::string, Case> cases;
  std::optional<Reference> reference;
  std::vector<std::string> goldens;  ///< cases of golden/cases.json that every milestone must pass
  std::optional<Ceilings> gpu_ceilings;
  std::vector<Entry> entries;  ///< sweeps are resolved
  std::string path;
  std::string text;  ///< the whole plan's JSON
};

/// Reads a plan file, merged with the plan that its `base` names. Throws Error(usage) for unknown
/// or missing keys and wrong values.
[[nodiscard]] Plan read_plan(const std::string& path);

/// Reads a plan without `base` from a text; errors name `path`.
[[nodiscard]] Plan parse_plan(const std::string& text, const std::string& path);

}  // namespace spex::bench
