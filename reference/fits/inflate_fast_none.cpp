// A build without libdeflate.
#include "reference/fits/inflate_fast.hpp"

namespace spex {

std::optional<Bytes> inflate_fast(std::span<const char> /*bytes*/, std::size_t /*most*/) {
  return std::nullopt;
}

}  // namespace spex
