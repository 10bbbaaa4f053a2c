#include "bench/correctness/repository_goldens.hpp"

#include <algorithm>
#include <filesystem>

#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/golden_turn.hpp"
#include "spex_repository_goldens.hpp"

namespace spex::bench {

namespace fs = std::filesystem;

bool are_repository_goldens(const std::string& cases) {
  const GoldenTurn turn(cases);
  const fs::path folder = fs::path(cases).parent_path();
  return fs::path(cases).filename() == "cases.json" &&
         std::all_of(std::begin(repository_goldens), std::end(repository_goldens),
                     [&](const RepositoryGolden& file) {
                       return hash_file(folder / file.path) == file.sha256;
                     });
}

std::string repository_golden_sha256(const std::string& name) {
  for (const RepositoryGolden& file : repository_goldens)
    if (fs::path(file.path).filename() == "frame-" + name + ".fits") return file.sha256;
  return {};
}

}  // namespace spex::bench
