// Fuzz target: read_psf of arbitrary bytes ends in data or in a spex::Error, and in nothing else.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/core/error.hpp"
#include "reference/fits/fits_file.hpp"
#include "reference/io/read_psf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  try {
    spex::FitsReader file(bytes, "fuzz");
    static_cast<void>(spex::read_psf(file));
  } catch (const spex::Error&) {
    // What the readers promise for a damaged file.
  }
  return 0;
}
