// The files that come with the programs: golden cases, plans.
#pragma once

#include <string>

namespace spex::bench {

/// The folder of the files that are shipped, found from where this program is: share/spexbench of
/// its installation, wherever that was moved, or of its build folder. It has the repository's
/// paths.
[[nodiscard]] std::string shipped_folder();

/// The golden cases that are shipped.
[[nodiscard]] std::string shipped_golden_cases();

/// The file of a plan as a command line names it: the path of one, or the name of one that is
/// shipped, `ci` for ci.json. What is neither is returned as it is.
[[nodiscard]] std::string plan_file(const std::string& name);

}  // namespace spex::bench
