#include "reference/fits/read/unzip_fits.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/big_endian.hpp"
#include "reference/fits/read/inflate.hpp"

namespace spex {
namespace {

constexpr std::size_t converted_piece = std::size_t{1} << 18;  // bytes that fit in the cache

// The native type of an HDU's pixels; nothing if the pixels are not converted.
std::optional<NativePixels> native_form(const FitsHdu& hdu) {
  const FitsHeader& header = hdu.header;
  for (const char* key : {"XTENSION", "BSCALE", "BZERO", "BLANK"}) {
    if (!header.has(key)) continue;
    if (std::string(key) != "XTENSION" || header.string(key) != "IMAGE") return std::nullopt;
  }
  switch (header.number("BITPIX", -64, 64)) {
    case -32:
      return std::vector<float>();
    case 32:
      return std::vector<std::uint32_t>();
    default:
      return std::nullopt;
  }
}

class Unzipping {
 public:
  Unzipping(const ReadAt& read_at, std::size_t size, const std::string& path)
      : path_(path), reader_(read_at, size, path), expected_(reader_.expected_size()) {
    file_.bytes.reserve(expected_);
  }

  UnzippedFits run() {
    try {
      const ReadAt headers = [&](long long /*offset*/, char* to, long long count) {
        const std::span<const char> bytes = keep(static_cast<std::size_t>(count));
        std::copy(bytes.begin(), bytes.end(), to);
        return static_cast<long long>(bytes.size());
      };
      file_.hdus =
          check_headers(headers, unknown_size, path_, [&](const FitsHdu& hdu) { take_data(hdu); });
    } catch (const Error&) {
      // Read the rest first: a damaged stream can look like a wrong header.
      reader_.skip_rest();
      throw;
    }
    reader_.skip_rest();
    return std::move(file_);
  }

 private:
  // The next bytes, unconverted; fewer if the file ends.
  std::span<const char> keep(std::size_t count) {
    Bytes& bytes = file_.bytes;
    const std::size_t begin = bytes.size();
    std::size_t made = 0, room = 0;
    do {
      room = std::min(count, made + converted_piece);
      bytes.resize(begin + room);
      made += reader_.read({bytes.data() + begin + made, room - made});
    } while (made == room && made < count);
    bytes.resize(begin + made);
    return {bytes.data() + begin, made};
  }

  // Reads the next pixels. Returns false if the file ends before them.
  template <class T>
  bool take_pixels(std::size_t count, std::vector<T>& pixels) {
    static_assert(sizeof(T) == 4);
    // Reserve what the header states, because untouched memory costs nothing.
    pixels.reserve(std::min(count, expected_ / sizeof(T)));
    while (pixels.size() < count) {
      const std::size_t first = pixels.size();
      const std::size_t n = std::min(converted_piece / sizeof(T), count - first);
      pixels.resize(first + n);
      auto* const words = reinterpret_cast<char*>(pixels.data() + first);
      if (reader_.read({words, n * sizeof(T)}) < n * sizeof(T)) return false;
      turn_words(reinterpret_cast<unsigned char*>(words), n);
    }
    return true;
  }

  void take_data(const FitsHdu& hdu) {
    const int index = nhdus_++;
    const auto size = static_cast<std::size_t>(hdu.data_size);
    const auto padding = static_cast<std::size_t>(hdu.end - hdu.data - hdu.data_size);
    bool whole = false;
    if (std::optional<NativePixels> pixels = native_form(hdu)) {
      whole = std::visit([&](auto& of) { return take_pixels(size / sizeof(of[0]), of); }, *pixels);
      // Untouched memory costs nothing.
      if (whole) file_.bytes.resize(file_.bytes.size() + size);
      file_.images.emplace(index, *std::move(pixels));
    } else {
      whole = keep(size).size() == size;
    }
    if (!whole || keep(padding).size() < padding)
      throw data_error(path_, fmt::format("is cut short within HDU number {}", index + 1),
                       fmt::format("{} bytes", hdu.end));
  }

  const std::string& path_;
  GzipReader reader_;
  std::size_t expected_;
  int nhdus_ = 0;
  UnzippedFits file_;
};

}  // namespace

UnzippedFits unzip_fits(const ReadAt& read_at, std::size_t size, const std::string& path) {
  return Unzipping(read_at, size, path).run();
}

}  // namespace spex
