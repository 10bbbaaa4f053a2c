// Fuzz target: read_preproc of arbitrary bytes, and the copy of the fibermap for a frame, must
// return data or throw spex::Error, with and without checksums. Pixels read in parts must equal
// pixels read as a whole. An inflater of whole gzip files must change neither pixels nor the
// message with which a file is refused when it is opened.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "reference/core/error.hpp"
#include "reference/extract/weights.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/inflate.hpp"
#include "reference/fits/write/fits_write.hpp"
#include "reference/frame/read_pixels.hpp"
#include "reference/io/copy_fibermap.hpp"
#include "reference/io/fibermap_rows.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/tests/support/zlib_inflater.hpp"

namespace {

void read(const std::vector<char>& bytes, bool checksums) {
  spex::FitsReader file(bytes, "fuzz", spex::preproc_options(checksums));
  spex::Preproc preproc = spex::read_preproc(file, spex::MaskHdu::optional);
  const spex::Preproc header = spex::read_preproc_header(file, spex::MaskHdu::optional);
  const spex::Fibermap fibermap = preproc.fibermap;
  const spex::Pixels whole = spex::make_pixels(std::move(preproc), spex::ccdmask::rejected);
  const spex::Pixels parts = spex::read_pixels(file, header, spex::ccdmask::rejected);
  if (fields(whole) != fields(parts)) throw std::logic_error("pixels read in parts differ");
  if (fibermap.fiber.empty()) return;
  constexpr std::size_t small_file = std::size_t{1} << 16;
  spex::FitsMemory out("fuzz", small_file);
  spex::create_image(out, BYTE_IMG, {});
  const auto half = static_cast<int>((fibermap.fiber.size() + 1) / 2);
  const std::vector<long long> rows = spex::rows_of_places(fibermap, half / 2, half / 2, "fuzz");
  spex::copy_fibermap(out, spex::take_rows(fibermap, rows, "fuzz"));
  static_cast<void>(out.take());
}

struct Outcome {
  std::string refused;  // the message with which the file was refused when it was opened
  bool failed = false;  // later
  spex::Pixels pixels = {};
  std::vector<std::string> cards = {};
  std::vector<char> fibermap = {};
};

Outcome outcome(const std::vector<char>& bytes, spex::WholeInflater* inflater) {
  Outcome one;
  bool is_open = false;
  try {
    spex::FitsReader file(bytes, "fuzz", spex::preproc_options(true, 1, inflater));
    is_open = true;
    spex::Preproc preproc = spex::read_preproc_header(file, spex::MaskHdu::optional);
    one.pixels = spex::read_pixels(file, preproc, spex::ccdmask::rejected);
    one.cards = std::move(preproc.cards);
    one.fibermap = std::move(preproc.fibermap.fits);
  } catch (const spex::Error& error) {
    one.failed = true;
    if (!is_open) one.refused = error.what();
  }
  return one;
}

void expect_same_with_inflater(const std::vector<char>& bytes) {
  spex::test::ZlibInflater inflater;
  const Outcome alone = outcome(bytes, nullptr), inflated = outcome(bytes, &inflater);
  if (alone.failed != inflated.failed || alone.refused != inflated.refused)
    throw std::logic_error("with an inflater: another message");
  if (!alone.failed && (fields(alone.pixels) != fields(inflated.pixels) ||
                        alone.cards != inflated.cards || alone.fibermap != inflated.fibermap))
    throw std::logic_error("with an inflater: another image");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  for (const bool checksums : {true, false}) {
    try {
      read(bytes, checksums);
    } catch (const spex::Error&) {
      // The documented error of a damaged file.
    }
  }
  if (spex::is_gzip(bytes)) expect_same_with_inflater(bytes);
  return 0;
}
