// A build without libdeflate.
#include "reference/io/inflate_fast.hpp"

namespace spex {

std::optional<std::vector<char>> inflate_fast(std::span<const char> /*bytes*/,
                                              std::size_t /*most*/) {
  return std::nullopt;
}

}  // namespace spex
