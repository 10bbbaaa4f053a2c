// Fuzz target: read_preproc of arbitrary bytes, and the copy of its fibermap that a frame gets, end
// in data or in a spex::Error, and in nothing else.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/core/error.hpp"
#include "reference/io/copy_fibermap.hpp"
#include "reference/io/fits_file.hpp"
#include "reference/io/fits_write.hpp"
#include "reference/io/read_preproc.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  try {
    spex::FitsReader file(bytes, "fuzz");
    const spex::Preproc preproc = spex::read_preproc(file);
    if (preproc.fibermap.fiber.empty()) return 0;
    constexpr std::size_t small_file = std::size_t{1} << 16;
    spex::FitsMemory out("fuzz", small_file);
    spex::create_image(out, BYTE_IMG, {});
    const auto half = static_cast<int>((preproc.fibermap.fiber.size() + 1) / 2);
    spex::copy_fibermap(out, preproc.fibermap, half / 2, half / 2);
    static_cast<void>(out.take());
  } catch (const spex::Error&) {
    // What the readers promise for a damaged file.
  }
  return 0;
}
