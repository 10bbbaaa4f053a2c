// Fuzz target: read_psf of arbitrary bytes must return data or throw spex::Error.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/io/read_psf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  for (const bool checksums : {true, false}) {
    try {
      spex::FitsReader file(bytes, "fuzz", {.checksums = checksums});
      static_cast<void>(spex::read_psf(file));
    } catch (const spex::Error&) {
      // The documented error of a damaged file.
    }
  }
  return 0;
}
