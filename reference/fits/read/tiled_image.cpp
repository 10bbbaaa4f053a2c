#include "reference/fits/read/tiled_image.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "reference/fits/plain_hdu.hpp"

namespace spex {
namespace {

TileAlgorithm algorithm_of(const FitsHeader& header) {
  const std::string name = header.string("ZCMPTYPE");
  if (name == "RICE_1" || name == "RICE_ONE") return TileAlgorithm::rice;
  if (name == "GZIP_1") return TileAlgorithm::gzip;
  if (name == "GZIP_2") return TileAlgorithm::gzip_shuffled;
  throw header.error(fmt::format("ZCMPTYPE = '{}'", name), "RICE_1, GZIP_1 or GZIP_2");
}

// The compression parameter `name`: the ZVALn whose ZNAMEn equals `name`.
long long parameter(const FitsHeader& header, const std::string& name,
                    std::span<const long long> allowed, long long fallback) {
  constexpr int max_parameters = 9;
  long long value = fallback;
  for (int i = 1; i <= max_parameters; ++i)
    if (header.string(fmt::format("ZNAME{}", i)) == name)
      value = header.number(fmt::format("ZVAL{}", i), allowed.front(), allowed.back());
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
    throw header.error(fmt::format("{} = {}", name, value),
                       fmt::format("{}", fmt::join(allowed, ", ")));
  return value;
}

Dither dither_of(const FitsHeader& header) {
  const std::string name = header.string("ZQUANTIZ");
  if (name.empty() || name == "NO_DITHER") return Dither::none;
  if (name == "SUBTRACTIVE_DITHER_1") return Dither::subtractive_1;
  if (name == "SUBTRACTIVE_DITHER_2") return Dither::subtractive_2;
  throw header.error(fmt::format("ZQUANTIZ = '{}'", name),
                     "NONE, NO_DITHER or SUBTRACTIVE_DITHER_1 or _2");
}

void read_quantization(const FitsHeader& header, const TableCells& columns, TiledImage& image) {
  if (header.has("ZSCALE") || header.has("ZZERO"))
    throw header.error("ZSCALE or ZZERO is a keyword", "a column");
  const bool scaled = columns.find("ZSCALE") || columns.find("ZZERO");
  const int bitpix = image.form.bitpix;
  image.quantized = bitpix < 0 && scaled && header.string("ZQUANTIZ") != "NONE";
  if (bitpix > 0 && scaled)
    throw header.error(fmt::format("column ZSCALE with ZBITPIX = {}", bitpix), "none");
  if (!image.quantized) return;
  constexpr long long max_seed = 10000;
  image.quantization.dither = dither_of(header);
  image.quantization.seed = header.number("ZDITHER0", 1, max_seed, 1);
  using Limits = std::numeric_limits<std::int32_t>;
  if (header.has("ZBLANK"))
    image.quantization.blank =
        static_cast<std::int32_t>(header.number("ZBLANK", Limits::min(), Limits::max()));
}

}  // namespace

TiledImage describe_tiles(const FitsHdu& hdu, const TableCells& columns) {
  const FitsHeader& header = hdu.header;
  TiledImage image;
  image.algorithm = algorithm_of(header);
  ImageForm& form = image.form;
  form.bitpix = static_cast<int>(header.number("ZBITPIX", -64, 64));
  static constexpr std::array<int, 6> known{8, 16, 32, 64, -32, -64};
  if (std::find(known.begin(), known.end(), form.bitpix) == known.end())
    throw header.error(fmt::format("ZBITPIX = {}", form.bitpix), "8, 16, 32, 64, -32 or -64");
  const long long naxis = header.number("ZNAXIS", 1, max_tiled_axes);
  const long long pixels = header.product("ZNAXIS", naxis, 1);
  for (long long i = 1; i <= naxis; ++i) {
    const long long axis = header.number(fmt::format("ZNAXIS{}", i), 1, longest_size);
    const long long tile = header.number(fmt::format("ZTILE{}", i), 1, axis, i == 1 ? axis : 1);
    form.axes.push_back(axis);
    image.tile.push_back(tile);
    image.tiles *= (axis + tile - 1) / tile;
  }
  const long long rows = header.number("NAXIS2", 0, longest_size);
  if (image.tiles != rows)
    throw header.error(fmt::format("{} compressed tiles in {} rows", image.tiles, rows),
                       "one row per tile");
  if (pixels / max_unpacked_a_byte > hdu.data_size / (std::abs(form.bitpix) / 8))
    throw header.error(fmt::format("{} pixels compressed to {} bytes", pixels, hdu.data_size),
                       fmt::format("at most {} bytes a byte", max_unpacked_a_byte));
  if (image.algorithm == TileAlgorithm::rice) {
    static constexpr std::array<long long, 2> blocks{16, 32};
    static constexpr std::array<long long, 3> sizes{1, 2, 4};
    image.rice_block = parameter(header, "BLOCKSIZE", blocks, 32);
    image.rice_bytes = parameter(header, "BYTEPIX", sizes, 4);
  }
  read_quantization(header, columns, image);
  read_scale(header, form);
  // A keyword ZBLANK of integers precedes BLANK, as in CFITSIO.
  using Limits = std::numeric_limits<std::int64_t>;
  if (form.bitpix > 0 && header.has("ZBLANK"))
    form.blank = header.number("ZBLANK", Limits::min(), Limits::max());
  if (form.bitpix == 64 && columns.find("ZBLANK"))
    throw header.error("column ZBLANK with ZBITPIX = 64", "at most 32 bits");
  return image;
}

std::vector<std::string> image_cards(const FitsHeader& header, const ImageForm& form) {
  static constexpr std::array<std::string_view, 31> replaced{
      "XTENSION", "BITPIX",  "NAXIS",   "PCOUNT",   "GCOUNT",   "TFIELDS",  "THEAP",   "TTYPE",
      "TFORM",    "TUNIT",   "TDIM",    "ZIMAGE",   "ZSIMPLE",  "ZTENSION", "ZEXTEND", "ZBLOCKED",
      "ZBITPIX",  "ZNAXIS",  "ZPCOUNT", "ZGCOUNT",  "ZTILE",    "ZCMPTYPE", "ZNAME",   "ZVAL",
      "ZQUANTIZ", "ZDITHER", "ZBLANK",  "ZHECKSUM", "ZDATASUM", "CHECKSUM", "DATASUM"};
  std::vector<std::string> cards{"XTENSION= 'IMAGE   '", integer_card("BITPIX", form.bitpix),
                                 integer_card("NAXIS", 0)};
  cards[0].resize(FitsHeader::card_size, ' ');
  cards.push_back(integer_card("PCOUNT", 0));
  cards.push_back(integer_card("GCOUNT", 1));
  for (const std::string& card : header.cards()) {
    const std::string name = card_name(card);
    const std::string stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
    // The name that compression gives to an unnamed image.
    const bool unnamed = card.starts_with("EXTNAME = 'COMPRESSED_IMAGE'");
    if (!unnamed && std::find(replaced.begin(), replaced.end(), stem) == replaced.end())
      cards.push_back(card);
  }
  return cards;
}

}  // namespace spex
