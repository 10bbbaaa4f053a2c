// Facts about a node that decide its speed, as Linux gives them.
#pragma once

#include <string>

#include "bench/result/system_record.hpp"

namespace spex::bench {

/// Reads them below `root`, which is "" outside tests: /sys, /proc, /run and /.dockerenv. Modules
/// and some containers are known by the environment.
[[nodiscard]] SystemFacts read_system_facts(const std::string& root = "");

}  // namespace spex::bench
