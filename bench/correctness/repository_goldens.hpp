// The golden cases of the repository that this program was built from, by their bytes.
#pragma once

#include <string>

namespace spex::bench {

/// Whether the list of cases `cases` and all files that it may name beside it, images, PSFs and
/// frames, are those of the repository.
[[nodiscard]] bool are_repository_goldens(const std::string& cases);

/// The sha256 of the repository's golden frame of a case; "" where it has no such case.
[[nodiscard]] std::string repository_golden_sha256(const std::string& name);

}  // namespace spex::bench
