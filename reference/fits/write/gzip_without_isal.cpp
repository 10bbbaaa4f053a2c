// Stub for builds without ISA-L.
#include "reference/fits/write/gzip.hpp"

namespace spex {

bool deflate_by_isal(std::span<const char> /*piece*/, bool /*last*/, DeflatedPiece& /*to*/) {
  return false;
}

}  // namespace spex
