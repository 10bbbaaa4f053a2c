// Replaces archive.cpp in builds without libarchive.

#include "bench/result/archive.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

Error not_built(const std::string& path) {
  return data_error(path, "spex-bench was built without libarchive",
                    "a build with its headers installed");
}

}  // namespace

void write_archive(const std::string& path, const Files& /*files*/) {
  throw not_built(path);
}

Files read_archive(const std::string& path) {
  throw not_built(path);
}

}  // namespace spex::bench
