// A build without libdeflate.
#include "reference/fits/deflate_fast.hpp"

namespace spex {

std::optional<std::vector<char>> deflate_fast(std::span<const char> /*bytes*/) {
  return std::nullopt;
}

}  // namespace spex
