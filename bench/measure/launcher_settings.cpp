#include "bench/measure/launcher_settings.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<const char*, const char*> files[] = {{".openmpi/mca-params.conf", "OMPI_MCA_"},
                                                         {".pmix/mca-params.conf", "PMIX_MCA_"},
                                                         {".prte/mca-params.conf", "PRTE_MCA_"}};

std::string trimmed(const std::string& text) {
  constexpr const char* blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

}  // namespace

std::map<std::string, std::string> settings_of_open_mpi(const std::string& home) {
  std::map<std::string, std::string> found;
  for (const auto& [file, prefix] : files) {
    const fs::path path = fs::path(home) / file;
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;  // a pipe would be waited for
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      line = line.substr(0, line.find('#'));
      const std::size_t equals = line.find('=');
      if (equals == std::string::npos) continue;
      // The last of several holds.
      found[prefix + trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
    }
  }
  return found;
}

}  // namespace spex::bench
