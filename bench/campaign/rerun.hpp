// An archive of results, measured again.
#pragma once

#include <string>
#include <vector>

#include "bench/run/signals.hpp"

namespace spex::bench {

struct RerunSettings {
  std::string archive;
  std::string source = ".";  ///< a clone of the repository, which has the archive's commit
  std::string programs;      ///< folder of programs that were built of it already; else it is built
  std::string out;           ///< folder of the new results, and of the build
  std::vector<std::string> words;  ///< more words for spex-bench
};

/// Builds the archive's commit, spex-bench and extractor, runs its plan on this machine with drawn
/// seeds, and prints whether the archive's times lie within the intervals of the new ones. The
/// exit status: 0 all do, 3 a frame of the rerun is wrong, 4 the archive claims more than the
/// rerun, 6 it claims less, or too few runs to say, 1 something could not be run. Throws Error.
[[nodiscard]] int rerun_archive(const RerunSettings& settings, Signals& signals);

}  // namespace spex::bench
