#include "reference/fits/read/unpack_image.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "reference/fits/big_endian.hpp"
#include "reference/fits/read/dequantize.hpp"
#include "reference/fits/read/inflate.hpp"
#include "reference/fits/read/rice.hpp"
#include "reference/fits/read/table_cells.hpp"
#include "reference/fits/read/tiled_image.hpp"
#include "reference/fits/read/unshuffle.hpp"

namespace spex {
namespace {

using Position = std::array<long long, max_tiled_axes>;  // axes beyond the image's: 0

// Decodes the tiles of one image to numbers in native byte order.
class TileDecoder {
 public:
  TileDecoder(const FitsHdu& hdu, std::span<const char> data)
      : header_(hdu.header), columns_(hdu, data), image_(describe_tiles(hdu, columns_)) {
    const std::optional<int> compressed = columns_.find("COMPRESSED_DATA");
    if (!compressed) throw header_.error("has no column COMPRESSED_DATA", "one");
    compressed_ = *compressed;
    columns_.check_bytes(compressed_);
    gzipped_ = columns_.find("GZIP_COMPRESSED_DATA");
    if (gzipped_) columns_.check_bytes(*gzipped_);
    blank_ = columns_.find("ZBLANK");
    if (blank_) columns_.check_integer(*blank_);
    if (!image_.quantized) return;
    scale_ = columns_.find("ZSCALE");
    zero_ = columns_.find("ZZERO");
    if (!scale_ || !zero_) throw header_.error("has no column ZSCALE or ZZERO", "both");
    columns_.check_real(*scale_);
    columns_.check_real(*zero_);
  }

  [[nodiscard]] const TiledImage& image() const { return image_; }
  /// Whether each tile of integers has its own blank value.
  [[nodiscard]] bool has_blanks() const { return blank_ && image_.form.bitpix > 0; }

  /// Decodes tile `tile`, counted from 1.
  template <class Stored>
  void decode(long long tile, std::span<Stored> to) {
    const std::span<const unsigned char> stream = columns_.bytes(compressed_, tile);
    if (stream.empty())
      decode_whole(tile, to);
    else if (image_.quantized)
      decode_quantized(stream, tile, to);
    else if (image_.algorithm == TileAlgorithm::rice)
      decode_integers(stream, tile, to);
    else
      decode_gzip(stream, tile, to);
  }

  /// The same of integers; NaN where they are the tile's blank value.
  template <std::integral Stored>
  void decode_with_blanks(long long tile, std::span<double> to) {
    std::vector<Stored> integers(to.size());
    decode(tile, std::span(integers));
    const std::int32_t blank = columns_.integer(*blank_, tile);
    std::transform(integers.begin(), integers.end(), to.begin(), [&](Stored integer) {
      return integer == blank ? std::numeric_limits<double>::quiet_NaN()
                              : static_cast<double>(integer);
    });
  }

 private:
  [[nodiscard]] Error damaged(long long tile, const std::string& expected) const {
    return header_.error(fmt::format("compressed tile {} is damaged", tile), expected);
  }

  template <class Stored>
  static std::span<unsigned char> bytes_of(std::span<Stored> numbers) {
    return {reinterpret_cast<unsigned char*>(numbers.data()), numbers.size_bytes()};
  }

  // Tiles that could not be quantized are in a separate column, never shuffled.
  template <class Stored>
  void decode_whole(long long tile, std::span<Stored> to) {
    const std::span<const unsigned char> whole =
        gzipped_ ? columns_.bytes(*gzipped_, tile) : std::span<const unsigned char>();
    if (whole.empty())
      throw header_.error(fmt::format("compressed tile {} is empty", tile), "compressed data");
    if (!inflater_.inflate(whole, bytes_of(to))) throw damaged(tile, "a whole gzip stream");
    turn_numbers(to.data(), to.size());
  }

  template <class Stored>
  void decode_gzip(std::span<const unsigned char> stream, long long tile, std::span<Stored> to) {
    const bool shuffled = image_.algorithm == TileAlgorithm::gzip_shuffled;
    shuffled_.resize(shuffled ? to.size_bytes() : 0);
    if (!inflater_.inflate(stream, shuffled ? std::span(shuffled_) : bytes_of(to)))
      throw damaged(tile, "a whole gzip stream of its pixels");
    if (shuffled) unshuffle(shuffled_, sizeof(Stored), bytes_of(to));
    turn_numbers(to.data(), to.size());
  }

  template <class Coded>
  void decode_rice(std::span<const unsigned char> stream, long long tile,
                   std::span<Coded> to) const {
    if (!rice_decode(stream, static_cast<int>(image_.rice_block), to))
      throw damaged(tile, "a whole Rice stream");
  }

  template <class Coded, class Stored>
  void decode_rice_as(std::span<const unsigned char> stream, long long tile,
                      std::span<Stored> to) const {
    if constexpr (std::is_same_v<Coded, Stored>) {
      decode_rice(stream, tile, to);
    } else {
      std::vector<Coded> coded(to.size());
      decode_rice(stream, tile, std::span(coded));
      for (std::size_t i = 0; i < to.size(); ++i) {
        if (!std::in_range<Stored>(coded[i]))
          throw damaged(tile, fmt::format("pixels that fit ZBITPIX = {}", image_.form.bitpix));
        to[i] = static_cast<Stored>(coded[i]);
      }
    }
  }

  template <class Stored>
  void decode_integers(std::span<const unsigned char> stream, long long tile,
                       std::span<Stored> to) const {
    if constexpr (std::is_integral_v<Stored> && sizeof(Stored) <= sizeof(std::int32_t)) {
      switch (image_.rice_bytes) {
        case 1:
          return decode_rice_as<std::uint8_t>(stream, tile, to);
        case 2:
          return decode_rice_as<std::int16_t>(stream, tile, to);
        default:
          return decode_rice_as<std::int32_t>(stream, tile, to);
      }
    } else {
      throw header_.error(fmt::format("RICE_1 with ZBITPIX = {}", image_.form.bitpix),
                          "8, 16, 32 or quantized pixels");
    }
  }

  template <class Stored>
  void decode_quantized(std::span<const unsigned char> stream, long long tile,
                        std::span<Stored> to) {
    if constexpr (std::is_floating_point_v<Stored>) {
      std::vector<std::int32_t> integers(to.size());
      if (image_.algorithm == TileAlgorithm::rice)
        decode_integers(stream, tile, std::span(integers));
      else
        decode_gzip(stream, tile, std::span(integers));
      Quantization how = image_.quantization;
      how.scale = columns_.real(*scale_, tile);
      how.zero = columns_.real(*zero_, tile);
      if (blank_) how.blank = columns_.integer(*blank_, tile);
      std::vector<double> values(to.size());
      dequantize(integers, tile, how, values);
      std::transform(values.begin(), values.end(), to.begin(),
                     [](double value) { return static_cast<Stored>(value); });
    } else {
      throw std::logic_error("quantized integers");
    }
  }

  const FitsHeader& header_;
  TableCells columns_;
  TiledImage image_;
  int compressed_ = 0;
  std::optional<int> gzipped_, scale_, zero_, blank_;
  Inflater inflater_;
  std::vector<unsigned char> shuffled_;
};

// Iterates over the tiles of an image, the first axis fastest.
class TileWalk {
 public:
  explicit TileWalk(const TiledImage& image) : image_(image), naxis_(image.form.axes.size()) {}

  /// Size of the tile along axis `i`, pixels; smaller at the image's edge.
  [[nodiscard]] long long length(std::size_t i) const {
    return std::min(image_.tile[i], image_.form.axes[i] - origin_[i]);
  }
  [[nodiscard]] std::size_t pixels() const {
    long long product = 1;
    for (std::size_t i = 0; i < naxis_; ++i) product *= length(i);
    return static_cast<std::size_t>(product);
  }
  void next() {
    for (std::size_t i = 0; i < naxis_; ++i) {
      origin_[i] += image_.tile[i];
      if (origin_[i] < image_.form.axes[i]) return;
      origin_[i] = 0;
    }
  }
  /// The tile's pixels in the image if the tile is a part of a row; else nothing.
  template <class Stored>
  [[nodiscard]] std::span<Stored> of_row(std::span<Stored> all) const {
    const auto row = static_cast<std::size_t>(length(0));
    return pixels() == row ? all.subspan(pixel({}), row) : std::span<Stored>();
  }
  /// Copies the tile's rows along the first axis to their positions.
  template <class Stored>
  void place(std::span<const Stored> tile, std::span<Stored> all) const {
    const auto row = static_cast<std::size_t>(length(0));
    Position at{};  // position in the tile
    for (std::size_t done = 0; done < tile.size(); done += row) {
      std::copy_n(tile.begin() + static_cast<std::ptrdiff_t>(done), row,
                  all.subspan(pixel(at), row).begin());
      for (std::size_t i = 1; i < naxis_; ++i) {
        if (++at[i] < length(i)) break;
        at[i] = 0;
      }
    }
  }

 private:
  // The number in the image of the pixel at position `at` in the tile.
  [[nodiscard]] std::size_t pixel(const Position& at) const {
    long long pixel = 0;
    for (std::size_t i = naxis_; i-- > 0;) pixel = pixel * image_.form.axes[i] + origin_[i] + at[i];
    return static_cast<std::size_t>(pixel);
  }

  const TiledImage& image_;
  std::size_t naxis_;
  Position origin_{};  // position of the tile in the image
};

// Calls decode(number, pixels) for each tile, and returns the image.
template <class Stored, class Decode>
std::vector<Stored> assemble(const TiledImage& image, const Decode& decode) {
  std::vector<Stored> all(image.form.pixels()), tile;
  TileWalk walk(image);
  for (long long number = 1; number <= image.tiles; ++number, walk.next()) {
    if (const std::span<Stored> row = walk.of_row(std::span(all)); !row.empty()) {
      decode(number, row);
      continue;
    }
    tile.resize(walk.pixels());
    decode(number, std::span(tile));
    walk.place(std::span<const Stored>(tile), std::span(all));
  }
  return all;
}

template <class Stored>
StoredPixels decode_all(TileDecoder& decoder) {
  if constexpr (std::is_integral_v<Stored>)
    if (decoder.has_blanks())
      return assemble<double>(decoder.image(), [&](long long tile, std::span<double> to) {
        decoder.decode_with_blanks<Stored>(tile, to);
      });
  return assemble<Stored>(decoder.image(),
                          [&](long long tile, std::span<Stored> to) { decoder.decode(tile, to); });
}

}  // namespace

UnpackedHeader unpacked_header(const FitsHdu& hdu) {
  const TiledImage image = describe_tiles(hdu, TableCells(hdu, {}));
  return {image.form, image_cards(hdu.header, image.form)};
}

StoredPixels unpack_image(const FitsHdu& hdu, std::span<const char> data) {
  TileDecoder decoder(hdu, data);
  const StoredPixels type = pixels_of_type(decoder.image().form.bitpix);
  return std::visit(
      [&](const auto& of) {
        return decode_all<typename std::decay_t<decltype(of)>::value_type>(decoder);
      },
      type);
}

}  // namespace spex
