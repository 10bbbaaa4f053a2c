// The content of a gzip file, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reference/fits/read/gzip_reader.hpp"

namespace spex::test {

/// The whole content, read in pieces of `piece` bytes. Throws as GzipReader does.
inline std::vector<char> unzip(std::span<const char> bytes, const std::string& path,
                               std::size_t most = max_unzipped, const InflateThreads& threads = {},
                               std::size_t piece = std::size_t{1} << 16) {
  GzipReader reader(read_memory_at(bytes), bytes.size(), path, most, threads);
  std::vector<char> out;
  for (std::size_t made = piece; made == piece;) {
    const std::size_t before = out.size();
    out.resize(before + piece);
    made = reader.read(std::span(out).subspan(before));
    out.resize(before + made);
  }
  return out;
}

}  // namespace spex::test
