#include "reference/fits/read/unpack_image.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "reference/fits/plain_hdu.hpp"
#include "reference/fits/read/dequantize.hpp"
#include "reference/fits/read/inflate.hpp"
#include "reference/fits/read/rice.hpp"
#include "reference/fits/read/table_cells.hpp"
#include "reference/fits/read/tile_algorithm.hpp"
#include "reference/fits/read/unshuffle.hpp"

namespace spex {
namespace {

// The header of a compressed image.
struct Description {
  TileAlgorithm algorithm = TileAlgorithm::gzip;
  long long bitpix = 0;
  std::vector<long long> axes;
  std::vector<long long> tile;  // size of a whole tile along each axis, pixels
  long long rice_block = 32;
  long long rice_bytes = 4;
  bool quantized = false;
  Quantization quantization;

  [[nodiscard]] long long pixel_bytes() const { return std::abs(bitpix) / 8; }
};

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
  constexpr int most_parameters = 9;
  long long value = fallback;
  for (int i = 1; i <= most_parameters; ++i)
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

void read_quantization(const FitsHeader& header, const TableCells& columns, Description& image) {
  if (header.has("ZSCALE") || header.has("ZZERO"))
    throw header.error("ZSCALE or ZZERO is a keyword", "a column");
  const bool scaled = columns.find("ZSCALE") || columns.find("ZZERO");
  image.quantized = image.bitpix < 0 && scaled && header.string("ZQUANTIZ") != "NONE";
  if (image.bitpix > 0 && scaled)
    throw header.error(fmt::format("column ZSCALE with ZBITPIX = {}", image.bitpix), "none");
  if (!image.quantized) return;
  constexpr long long most_seed = 10000;
  image.quantization.dither = dither_of(header);
  image.quantization.seed = header.number("ZDITHER0", 1, most_seed, 1);
  using Limits = std::numeric_limits<std::int32_t>;
  if (header.has("ZBLANK"))
    image.quantization.blank =
        static_cast<std::int32_t>(header.number("ZBLANK", Limits::min(), Limits::max()));
}

Description describe(const FitsHdu& hdu, const TableCells& columns) {
  const FitsHeader& header = hdu.header;
  Description image;
  image.algorithm = algorithm_of(header);
  image.bitpix = header.number("ZBITPIX", -64, 64);
  static constexpr std::array<long long, 6> known{8, 16, 32, 64, -32, -64};
  if (std::find(known.begin(), known.end(), image.bitpix) == known.end())
    throw header.error(fmt::format("ZBITPIX = {}", image.bitpix), "8, 16, 32, 64, -32 or -64");
  constexpr long long most_tiled_axes = 6;  // CFITSIO's limit for compression
  const long long naxis = header.number("ZNAXIS", 1, most_tiled_axes);
  const long long pixels = header.product("ZNAXIS", naxis, 1);
  long long tiles = 1;
  for (long long i = 1; i <= naxis; ++i) {
    const long long axis = header.number(fmt::format("ZNAXIS{}", i), 1, longest_size);
    const long long tile = header.number(fmt::format("ZTILE{}", i), 1, axis, i == 1 ? axis : 1);
    image.axes.push_back(axis);
    image.tile.push_back(tile);
    tiles *= (axis + tile - 1) / tile;
  }
  const long long rows = header.number("NAXIS2", 0, longest_size);
  if (tiles != rows)
    throw header.error(fmt::format("{} compressed tiles in {} rows", tiles, rows),
                       "one row per tile");
  if (pixels / most_unpacked_a_byte > hdu.data_size / image.pixel_bytes())
    throw header.error(fmt::format("{} pixels compressed to {} bytes", pixels, hdu.data_size),
                       fmt::format("at most {} bytes a byte", most_unpacked_a_byte));
  if (image.algorithm == TileAlgorithm::rice) {
    static constexpr std::array<long long, 2> blocks{16, 32};
    static constexpr std::array<long long, 3> sizes{1, 2, 4};
    image.rice_block = parameter(header, "BLOCKSIZE", blocks, 32);
    image.rice_bytes = parameter(header, "BYTEPIX", sizes, 4);
  }
  read_quantization(header, columns, image);
  return image;
}

// The header of the plain image.
std::vector<std::string> image_cards(const FitsHeader& header, const Description& image) {
  static constexpr std::array<std::string_view, 31> replaced{
      "XTENSION", "BITPIX",  "NAXIS",   "PCOUNT",   "GCOUNT",   "TFIELDS",  "THEAP",   "TTYPE",
      "TFORM",    "TUNIT",   "TDIM",    "ZIMAGE",   "ZSIMPLE",  "ZTENSION", "ZEXTEND", "ZBLOCKED",
      "ZBITPIX",  "ZNAXIS",  "ZPCOUNT", "ZGCOUNT",  "ZTILE",    "ZCMPTYPE", "ZNAME",   "ZVAL",
      "ZQUANTIZ", "ZDITHER", "ZBLANK",  "ZHECKSUM", "ZDATASUM", "CHECKSUM", "DATASUM"};
  std::vector<std::string> cards{"XTENSION= 'IMAGE   '", integer_card("BITPIX", image.bitpix),
                                 integer_card("NAXIS", static_cast<long long>(image.axes.size()))};
  cards[0].resize(FitsHeader::card_size, ' ');
  for (std::size_t i = 0; i < image.axes.size(); ++i)
    cards.push_back(integer_card(fmt::format("NAXIS{}", i + 1), image.axes[i]));
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

template <class T>
void store_big_endian(T value, unsigned char* to) {
  for (int i = static_cast<int>(sizeof(T)) - 1; i >= 0; --i) {
    to[i] = static_cast<unsigned char>(value & 0xFFU);
    value = static_cast<T>(value >> (sizeof(T) > 1 ? 8 : 0));
  }
}

// Decodes the tiles of one image to big-endian pixels.
class TileDecoder {
 public:
  TileDecoder(const FitsHdu& hdu, std::span<const char> data)
      : header_(hdu.header), columns_(hdu, data), image_(describe(hdu, columns_)) {
    const std::optional<int> compressed = columns_.find("COMPRESSED_DATA");
    if (!compressed) throw header_.error("has no column COMPRESSED_DATA", "one");
    compressed_ = *compressed;
    columns_.check_bytes(compressed_);
    gzipped_ = columns_.find("GZIP_COMPRESSED_DATA");
    if (gzipped_) columns_.check_bytes(*gzipped_);
    if (!image_.quantized) return;
    scale_ = columns_.find("ZSCALE");
    zero_ = columns_.find("ZZERO");
    if (!scale_ || !zero_) throw header_.error("has no column ZSCALE or ZZERO", "both");
    columns_.check_real(*scale_);
    columns_.check_real(*zero_);
    blank_ = columns_.find("ZBLANK");
    if (blank_) columns_.check_integer(*blank_);
  }

  [[nodiscard]] const Description& image() const { return image_; }

  /// Decodes tile `tile`, counted from 1, of `pixels` pixels; the result is valid until the next
  /// call.
  std::span<const unsigned char> decode(long long tile, std::size_t pixels) {
    const auto bytes_of = [&](std::size_t size) { return pixels * size; };
    tile_.resize(bytes_of(static_cast<std::size_t>(image_.pixel_bytes())));
    const std::span<const unsigned char> stream = columns_.bytes(compressed_, tile);
    if (!stream.empty()) {
      if (image_.quantized)
        decode_quantized(stream, tile, pixels);
      else if (image_.algorithm == TileAlgorithm::rice)
        decode_integers(stream, tile, pixels);
      else
        decode_gzip(stream, tile, tile_, static_cast<std::size_t>(image_.pixel_bytes()));
      return tile_;
    }
    // Tiles that could not be quantized are in a separate column, never shuffled.
    const std::span<const unsigned char> whole =
        gzipped_ ? columns_.bytes(*gzipped_, tile) : std::span<const unsigned char>();
    if (whole.empty())
      throw header_.error(fmt::format("compressed tile {} is empty", tile), "compressed data");
    if (!inflater_.inflate(whole, tile_)) throw damaged(tile, "a whole gzip stream");
    return tile_;
  }

 private:
  [[nodiscard]] Error damaged(long long tile, const std::string& expected) const {
    return header_.error(fmt::format("compressed tile {} is damaged", tile), expected);
  }

  void decode_gzip(std::span<const unsigned char> stream, long long tile,
                   std::vector<unsigned char>& to, std::size_t element) {
    if (image_.algorithm == TileAlgorithm::gzip) {
      if (!inflater_.inflate(stream, to)) throw damaged(tile, "a whole gzip stream of its pixels");
      return;
    }
    shuffled_.resize(to.size());
    if (!inflater_.inflate(stream, shuffled_))
      throw damaged(tile, "a whole gzip stream of its pixels");
    unshuffle(shuffled_, element, to);
  }

  template <class T>
  std::vector<T> decode_rice(std::span<const unsigned char> stream, long long tile,
                             std::size_t pixels) const {
    std::vector<T> values(pixels);
    if (!rice_decode(stream, static_cast<int>(image_.rice_block), std::span<T>(values)))
      throw damaged(tile, "a whole Rice stream");
    return values;
  }

  // The integers of a Rice-coded tile.
  std::vector<std::int32_t> rice_integers(std::span<const unsigned char> stream, long long tile,
                                          std::size_t pixels) const {
    const auto widened = [](const auto& values) {
      return std::vector<std::int32_t>(values.begin(), values.end());
    };
    if (image_.rice_bytes == 1) return widened(decode_rice<std::uint8_t>(stream, tile, pixels));
    if (image_.rice_bytes == 2) return widened(decode_rice<std::int16_t>(stream, tile, pixels));
    return decode_rice<std::int32_t>(stream, tile, pixels);
  }

  template <class T>
  void store_integers(const std::vector<std::int32_t>& values, long long tile) {
    using Limits = std::numeric_limits<T>;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t value = values[i];
      if (value < static_cast<std::int64_t>(Limits::min()) ||
          value > static_cast<std::int64_t>(Limits::max()))
        throw damaged(tile, fmt::format("pixels that fit ZBITPIX = {}", image_.bitpix));
      store_big_endian(static_cast<std::make_unsigned_t<T>>(value), tile_.data() + i * sizeof(T));
    }
  }

  void decode_integers(std::span<const unsigned char> stream, long long tile, std::size_t pixels) {
    const std::vector<std::int32_t> values = rice_integers(stream, tile, pixels);
    switch (image_.bitpix) {
      case 8:
        return store_integers<std::uint8_t>(values, tile);
      case 16:
        return store_integers<std::int16_t>(values, tile);
      case 32:
        return store_integers<std::int32_t>(values, tile);
      default:
        throw header_.error(fmt::format("RICE_1 with ZBITPIX = {}", image_.bitpix),
                            "8, 16, 32 or quantized pixels");
    }
  }

  void decode_quantized(std::span<const unsigned char> stream, long long tile, std::size_t pixels) {
    std::vector<std::int32_t> integers;
    if (image_.algorithm == TileAlgorithm::rice) {
      integers = rice_integers(stream, tile, pixels);
    } else {
      std::vector<unsigned char> bytes(pixels * sizeof(std::int32_t));
      decode_gzip(stream, tile, bytes, sizeof(std::int32_t));
      integers.resize(pixels);
      for (std::size_t i = 0; i < pixels; ++i)
        integers[i] = static_cast<std::int32_t>(load_big_endian<std::uint32_t>(
            std::span(bytes).subspan(i * sizeof(std::int32_t), sizeof(std::int32_t))));
    }
    Quantization how = image_.quantization;
    how.scale = columns_.real(*scale_, tile);
    how.zero = columns_.real(*zero_, tile);
    if (blank_) how.blank = columns_.integer(*blank_, tile);
    std::vector<double> values(pixels);
    dequantize(integers, tile, how, values);
    for (std::size_t i = 0; i < pixels; ++i) {
      if (image_.bitpix == -64)
        store_big_endian(std::bit_cast<std::uint64_t>(values[i]), tile_.data() + 8 * i);
      else
        store_big_endian(std::bit_cast<std::uint32_t>(static_cast<float>(values[i])),
                         tile_.data() + 4 * i);
    }
  }

  const FitsHeader& header_;
  TableCells columns_;
  Description image_;
  int compressed_ = 0;
  std::optional<int> gzipped_, scale_, zero_, blank_;
  Inflater inflater_;
  std::vector<unsigned char> tile_, shuffled_;
};

// Iterates over the tiles of an image, the first axis fastest.
class TileWalk {
 public:
  explicit TileWalk(const Description& image) : image_(image), origin_(image.axes.size(), 0) {}

  /// Size of the tile along axis `i`, pixels; smaller at the image's edge.
  [[nodiscard]] long long length(std::size_t i) const {
    return std::min(image_.tile[i], image_.axes[i] - origin_[i]);
  }
  [[nodiscard]] std::size_t pixels() const {
    long long product = 1;
    for (std::size_t i = 0; i < origin_.size(); ++i) product *= length(i);
    return static_cast<std::size_t>(product);
  }
  void next() {
    for (std::size_t i = 0; i < origin_.size(); ++i) {
      origin_[i] += image_.tile[i];
      if (origin_[i] < image_.axes[i]) return;
      origin_[i] = 0;
    }
  }
  /// Copies the tile's rows along the first axis to their positions.
  void place(std::span<const unsigned char> tile, std::span<unsigned char> all) const {
    const std::size_t row = length(0) * image_.pixel_bytes();
    std::vector<long long> at(origin_.size(), 0);  // position in the tile
    for (std::size_t done = 0; done < tile.size(); done += row) {
      long long pixel = 0;
      for (std::size_t i = origin_.size(); i-- > 0;)
        pixel = pixel * image_.axes[i] + origin_[i] + at[i];
      const auto to = all.subspan(static_cast<std::size_t>(pixel * image_.pixel_bytes()), row);
      std::copy_n(tile.begin() + static_cast<std::ptrdiff_t>(done), row, to.begin());
      for (std::size_t i = 1; i < at.size(); ++i) {
        if (++at[i] < length(i)) break;
        at[i] = 0;
      }
    }
  }

 private:
  const Description& image_;
  std::vector<long long> origin_;  // position of the tile in the image
};

}  // namespace

void unpack_image(const FitsHdu& hdu, std::span<const char> data, Bytes& out) {
  TileDecoder decoder(hdu, data);
  const Description& image = decoder.image();
  append_header(out, image_cards(hdu.header, image));
  const long long pixels =
      hdu.header.product("ZNAXIS", static_cast<long long>(image.axes.size()), 1);
  const std::size_t begin = out.size();
  const std::span<unsigned char> all = append_data(out, pixels * image.pixel_bytes());
  TileWalk walk(image);
  const long long tiles = hdu.header.number("NAXIS2", 0, longest_size);
  for (long long tile = 1; tile <= tiles; ++tile, walk.next())
    walk.place(decoder.decode(tile, walk.pixels()), all);
  pad_data(out, begin);
}

}  // namespace spex
