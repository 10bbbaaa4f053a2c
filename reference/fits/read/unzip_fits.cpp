#include "reference/fits/read/unzip_fits.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/big_endian.hpp"
#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/read/gzip_reader.hpp"

namespace spex {
namespace {

constexpr std::size_t pixel_piece = std::size_t{1} << 18;  // bytes that fit in the cache

template <class T>
std::span<unsigned char> bytes_of(std::span<T> numbers) {
  return {reinterpret_cast<unsigned char*>(numbers.data()), numbers.size_bytes()};
}

class Unzipping {
 public:
  Unzipping(const ReadAt& read_at, std::size_t size, const std::string& path,
            const std::vector<std::string>& images, const InflateThreads& threads)
      : path_(path),
        images_(images),
        reader_(read_at, size, path, max_unzipped, threads),
        expected_(reader_.expected_size()) {}

  UnzippedFits run() {
    try {
      const ReadAt headers = [&](long long /*offset*/, char* to, long long count) {
        return static_cast<long long>(read({to, static_cast<std::size_t>(count)}));
      };
      const std::vector<FitsHdu> hdus =
          check_headers(headers, unknown_size, path_, [&](const FitsHdu& hdu) { take(hdu); });
    } catch (const Error&) {
      // Read the rest first: a damaged stream can look like a wrong header.
      reader_.skip_rest();
      throw;
    }
    size_ += reader_.skip_rest();
    return {std::move(hdus_), static_cast<long long>(size_)};
  }

 private:
  std::size_t read(std::span<char> to) {
    const std::size_t count = reader_.read(to);
    size_ += count;
    return count;
  }

  // Reads `count` elements in pieces to the end of `to` and calls `use` with each pixel_piece.
  // Memory grows with the actual content; what the file states is reserved, because untouched
  // memory costs nothing. Returns false if the file ends early.
  template <class Vector, class Use>
  bool read_pieces(std::size_t count, Vector& to, const Use& use) {
    constexpr std::size_t size = sizeof(typename Vector::value_type);
    to.reserve(std::min(count, expected_ / size));
    while (to.size() < count) {
      const std::size_t first = to.size();
      to.resize(first + std::min(pixel_piece / size, count - first));
      const auto next = std::span(to).subspan(first);
      if (read({reinterpret_cast<char*>(next.data()), next.size_bytes()}) < next.size_bytes())
        return false;
      use(next);
    }
    return true;
  }

  template <class T>
  bool take_pixels(std::size_t count, std::vector<T>& pixels, FitsSum& sum) {
    return read_pieces(count, pixels, [&](std::span<T> next) {
      sum.add(bytes_of(next));
      turn_numbers(next.data(), next.size());
    });
  }

  // The next bytes, for a table. Returns false if the file ends early.
  bool take_bytes(std::size_t count, Bytes& bytes, FitsSum& sum) {
    return read_pieces(count, bytes, [&](std::span<char> next) { sum.add(bytes_of(next)); });
  }

  bool skip(std::size_t count) {
    Bytes ignored(std::min(count, pixel_piece));
    while (count > 0) {
      const std::size_t next = std::min(count, pixel_piece);
      if (read({ignored.data(), next}) < next) return false;
      count -= next;
    }
    return true;
  }

  // Takes the data of `hdu` and their padding. Returns false if the file ends early.
  bool take_data(const FitsHdu& hdu, SourceHdu& one) {
    const auto size = static_cast<std::size_t>(hdu.data_size);
    const auto padded = static_cast<std::size_t>(hdu.end - hdu.data);
    if (!hdu.is_table() && !is_wanted(hdu, images_)) return skip(padded);
    FitsSum sum;
    bool whole = false;
    if (hdu.in_table) {
      whole = take_bytes(padded, one.data.emplace<Bytes>(), sum);
    } else {
      StoredPixels& pixels = one.data.emplace<StoredPixels>(
          pixels_of_type(static_cast<int>(hdu.header.number("BITPIX", -64, 64))));
      Bytes padding;
      whole = std::visit([&](auto& of) { return take_pixels(size / sizeof(of[0]), of, sum); },
                         pixels) &&
              take_bytes(padded - size, padding, sum);
    }
    one.datasum = sum.value();
    return whole;
  }

  void take(const FitsHdu& hdu) {
    SourceHdu& one = hdus_.emplace_back(SourceHdu{.hdu = hdu});
    if (!take_data(hdu, one))
      throw data_error(path_, fmt::format("is cut short within HDU number {}", hdus_.size()),
                       fmt::format("{} bytes", hdu.end));
  }

  const std::string& path_;
  const std::vector<std::string>& images_;
  GzipReader reader_;
  std::size_t expected_;
  std::size_t size_ = 0;
  std::vector<SourceHdu> hdus_;
};

}  // namespace

UnzippedFits unzip_fits(const ReadAt& read_at, std::size_t size, const std::string& path,
                        const std::vector<std::string>& images, const InflateThreads& threads) {
  return Unzipping(read_at, size, path, images, threads).run();
}

}  // namespace spex
