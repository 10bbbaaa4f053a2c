#include "reference/io/read_preproc.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/fits_header.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/fits/write/fits_memory.hpp"

namespace spex {
namespace {

constexpr long long max_pixels_a_side = 100000;

// Replaces the quoted text of a header card by its header_word; the rest of the card stays in
// place.
void put_word(std::string& card) {
  const std::size_t open = card.find('\'');
  const std::size_t comment = card.find('/', open);
  const std::size_t close = card.rfind('\'', comment);
  if (open == std::string::npos || close <= open) return;
  const std::size_t width = close - open - 1;
  const std::string word = header_word(card.substr(open + 1, width));
  // FITS pads a text within its quotes; blanks after the closing quote mean nothing.
  const std::size_t inside = std::max(word.size(), std::min<std::size_t>(width, 8));
  card.replace(open, width + 2,
               fmt::format("{:<{}}", fmt::format("'{:<{}}'", word, inside), width + 2));
}

void check_shape(FitsReader& file, const char* hdu, const Preproc& preproc) {
  file.move_to_hdu(hdu);
  const std::vector<long long> axes = file.image_axes();
  if (axes != std::vector<long long>{preproc.nx, preproc.ny})
    throw data_error(file.path(),
                     fmt::format("{} has the shape {}", file.hdu_name(), fmt::join(axes, " x ")),
                     fmt::format("{} x {} as IMAGE", preproc.nx, preproc.ny));
}

// Moves to the image. Returns whether it has DESI's name.
bool move_to_image(FitsReader& file) {
  if (file.find_hdu("IMAGE")) return true;
  if (file.find_hdu("CCDIMAGE")) return false;
  file.move_to_primary();
  if (header_word(file.find_string("EXTNAME").value_or("")).empty() && file.is_image() &&
      !file.image_axes().empty())
    return false;
  throw data_error(file.path(), "has no HDU IMAGE",
                   "one; or specter's CCDIMAGE, or an image without a name in the first HDU");
}

// A first column or row that specter's --trimxy states, as a number that is not positive.
int read_first(const FitsReader& file, const char* key) {
  const double stated = file.get_double(key);
  if (!(stated <= 0 && stated >= -max_pixels_a_side) || stated != std::floor(stated))
    throw data_error(file.path(), fmt::format("{}: {} is {:g}", file.hdu_name(), key, stated),
                     "a whole number, 0 or less: specter's offset of a cut-out");
  return static_cast<int>(-stated);
}

// CRPIX1 alone is of the world coordinates.
std::optional<FirstPixel> read_first_pixel(const FitsReader& file) {
  if (!file.find_double("CRPIX0") || !file.find_double("CRPIX1")) return std::nullopt;
  return FirstPixel{read_first(file, "CRPIX0"), read_first(file, "CRPIX1")};
}

// Returns whether the image has DESI's name.
bool read_image_header(FitsReader& file, Preproc& preproc) {
  const bool of_desi = move_to_image(file);
  const std::vector<long long> axes = file.image_axes();
  if (axes.size() != 2 || *std::min_element(axes.begin(), axes.end()) < 1 ||
      *std::max_element(axes.begin(), axes.end()) > max_pixels_a_side)
    throw data_error(file.path(),
                     fmt::format("{} has the shape {}", file.hdu_name(), fmt::join(axes, " x ")),
                     fmt::format("columns x rows, at most {} each", max_pixels_a_side));
  preproc.nx = static_cast<int>(axes[0]);
  preproc.ny = static_cast<int>(axes[1]);
  preproc.camera = header_word(file.find_string("CAMERA").value_or(""));
  preproc.first = read_first_pixel(file);
  preproc.cards = file.user_cards();
  for (std::string& card : preproc.cards)
    if (card_name(card) == "CAMERA") put_word(card);
  return of_desi;
}

}  // namespace

FitsReadOptions preproc_options(bool checksums, int threads, WholeInflater* inflater) {
  return {.checksums = checksums,
          .images = {"IMAGE", "CCDIMAGE", "IVAR", "MASK"},
          .inflate = {.count = threads},
          .inflater = inflater};
}

Fibermap read_fibermap(FitsReader& file) {
  file.move_to_hdu("FIBERMAP");
  Fibermap fibermap;
  constexpr std::size_t table_size = std::size_t{1} << 20;
  file.require_table();
  FitsMemory memory(file.path() + " FIBERMAP", table_size);
  int status = 0;
  fits_create_img(memory.get(), BYTE_IMG, 0, nullptr, &status);
  fits_copy_hdu(file.get(), memory.get(), 0, &status);
  fits_check(status, file.path(), "cannot copy FIBERMAP");
  fibermap.fits = memory.take();
  FitsReader table(fibermap.fits, file.path(), {.checksums = false});
  table.move_to_hdu("FIBERMAP");
  fibermap.fiber = read_integer_column(table, "FIBER");
  return fibermap;
}

Preproc read_preproc_header(FitsReader& file, MaskHdu mask) {
  Preproc preproc;
  const bool of_desi = read_image_header(file, preproc);
  check_shape(file, "IVAR", preproc);
  preproc.has_mask = file.find_hdu("MASK");
  if (!preproc.has_mask && of_desi && mask == MaskHdu::required)
    throw data_error(file.path(), "has no HDU MASK",
                     "one; or --no-mask, which takes all pixels as good");
  if (preproc.has_mask) check_shape(file, "MASK", preproc);
  if (file.find_hdu("FIBERMAP")) preproc.fibermap = read_fibermap(file);
  return preproc;
}

void move_to_pixels(FitsReader& file) {
  static_cast<void>(move_to_image(file));
}

void read_preproc_pixels(FitsReader& file, Preproc& preproc) {
  move_to_pixels(file);
  preproc.image = file.read_reals();
  file.move_to_hdu("IVAR");
  preproc.ivar = file.read_reals();
  if (preproc.has_mask) {
    file.move_to_hdu("MASK");
    preproc.mask = file.read_bits();
  } else {
    preproc.mask.assign(preproc.image.size(), 0);
  }
}

Preproc read_preproc(FitsReader& file, MaskHdu mask) {
  Preproc preproc = read_preproc_header(file, mask);
  read_preproc_pixels(file, preproc);
  return preproc;
}

Preproc read_preproc(const std::string& path, MaskHdu mask, bool checksums, int threads) {
  FitsReader file(path, preproc_options(checksums, threads));
  return read_preproc(file, mask);
}

Fibermap read_fibermap(const std::string& path, bool checksums) {
  FitsReader file(path, {.checksums = checksums, .images = {"FIBERMAP"}});
  return read_fibermap(file);
}

}  // namespace spex
