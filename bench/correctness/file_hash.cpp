#include "bench/correctness/file_hash.hpp"

#include <filesystem>
#include <fstream>
#include <map>

#include "bench/measure/command.hpp"
#include "reference/core/parallel.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t digits = 64;

}  // namespace

std::vector<std::string> hash_files(const std::vector<std::string>& paths,
                                    const std::string& folder, Signals& signals) {
  if (paths.empty()) return {};
  const std::string list = fs::path(folder) / ".to-hash";
  const std::string log = fs::path(folder) / ".hashes";
  {
    std::ofstream out(list, std::ios::binary);
    for (const std::string& path : paths) out << path << '\0';
  }
  Command command;
  command.argv = {
      "xargs", "--null", "--arg-file=" + list, "--max-procs=" + std::to_string(default_threads()),
      "-n",    "1",      "sha256sum"};
  command.log = log;
  // xargs fails where a file is missing; its line is then missing too.
  static_cast<void>(run_command(command, signals));
  std::map<std::string, std::string> found;
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);)
    if (line.size() > digits + 2 && line.find_first_not_of("0123456789abcdef") == digits)
      found[line.substr(digits + 2)] = line.substr(0, digits);
  fs::remove(list);
  fs::remove(log);
  std::vector<std::string> hashes;
  for (const std::string& path : paths) hashes.push_back(found[path]);
  return hashes;
}

std::string hash_text(const std::string& text, const std::string& folder, Signals& signals) {
  const std::string path = fs::path(folder) / ".text";
  std::ofstream(path, std::ios::binary) << text;
  const std::string hash = hash_files({path}, folder, signals).at(0);
  fs::remove(path);
  return hash;
}

}  // namespace spex::bench
