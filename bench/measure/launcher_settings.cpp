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
      line = trimmed(line.substr(0, line.find('#')));
      if (line.empty()) continue;
      // Options of mpirun may stand there too (-mca A B, -x A=B), whole.
      const std::size_t equals = line.starts_with("-") ? line.npos : line.find('=');
      const std::string value = equals == line.npos ? "" : trimmed(line.substr(equals + 1));
      // The last of several holds.
      found[prefix + trimmed(line.substr(0, equals))] = value;
    }
  }
  // What lies there is loaded into every rank.
  const fs::path components = fs::path(home) / ".openmpi/components";
  std::error_code error;
  if (fs::exists(components, error) && (!fs::is_empty(components, error) || error))
    found["OMPI_MCA_mca_component_path"] = components;
  return found;
}

}  // namespace spex::bench
