// Files that are shipped with spex-bench: golden cases and plans.
#pragma once

#include <string>

namespace spex::bench {

/// The folder of shipped files, relative to this program: share/spexbench of its installation,
/// which may have been moved, or of its build folder. It has the repository's layout.
[[nodiscard]] std::string shipped_folder();

/// The list of the shipped golden cases, cases.json.
[[nodiscard]] std::string shipped_golden_cases();

/// The file of a plan: `name` is a path or the name of a shipped plan, `ci` for ci.json. Otherwise
/// returns `name`.
[[nodiscard]] std::string plan_file(const std::string& name);

}  // namespace spex::bench
