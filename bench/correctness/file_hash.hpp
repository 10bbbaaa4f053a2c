// SHA-256 of files, by coreutils' sha256sum.
#pragma once

#include <string>
#include <vector>

#include "bench/measure/signals.hpp"

namespace spex::bench {

/// Of each path, in order, several at a time; empty for a file that cannot be read. `folder` takes
/// temporary files.
[[nodiscard]] std::vector<std::string> hash_files(const std::vector<std::string>& paths,
                                                  const std::string& folder, Signals& signals);

/// Of a text.
[[nodiscard]] std::string hash_text(const std::string& text, const std::string& folder,
                                    Signals& signals);

}  // namespace spex::bench
