// The results of a plan, for people.
#pragma once

#include <vector>

#include "bench/result/record.hpp"

namespace spex::bench {

/// A row an entry on stdout: how it was run, its speed where it is right, its verdict, and what was
/// unusual.
void print_table(const std::vector<Record>& records);

}  // namespace spex::bench
