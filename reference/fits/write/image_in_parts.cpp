#include "reference/fits/write/image_in_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>

#include <fitsio.h>
#include <fmt/format.h>

#include "reference/core/parallel.hpp"
#include "reference/fits/big_endian.hpp"
#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/fits_header.hpp"
#include "reference/fits/plain_hdu.hpp"

namespace spex {
namespace {

constexpr std::size_t header_size = fits_block;     // enough for the cards below
constexpr std::size_t part = std::size_t{1} << 16;  // numbers that fit in the cache

std::size_t pixels_of(const ImageInParts& image) {
  return std::accumulate(image.axes.begin(), image.axes.end(), std::size_t{1}, std::multiplies<>());
}

std::span<const char> as_chars(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string card_of(const std::string& text) {
  if (text.size() > FitsHeader::card_size)
    throw std::logic_error("a card of more than 80 characters: " + text);
  return text + std::string(FitsHeader::card_size - text.size(), ' ');
}

std::string number_card(const std::string& name, long value, const char* comment) {
  return card_of(fmt::format("{:<8}= {:>20} / {}", name, value, comment));
}
std::string text_card(const std::string& name, const std::string& value, const char* comment) {
  const std::string quoted = fmt::format("'{:<8}'", value);
  return card_of(fmt::format("{:<8}= {:<20} / {}", name, quoted, comment));
}

// Writes all numbers at `offset` and returns their checksum. Integer sums do not depend on the
// order of the parts.
template <class To, class From>
std::uint32_t put_numbers(const std::vector<From>& values, std::size_t offset, int threads,
                          const PutPart& put) {
  const auto parts = static_cast<int>((values.size() + part - 1) / part);
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(parts));
  std::vector<std::vector<unsigned char>> bytes(
      static_cast<std::size_t>(threads_used(threads, parts)));
  parallel_for(threads, parts, [&](int thread, int k) {
    const std::size_t first = static_cast<std::size_t>(k) * part;
    const std::size_t count = std::min(part, values.size() - first);
    const std::size_t size = count * sizeof(To);
    const From* const mine = values.data() + first;
    // As they are written. Without early exit, so that the loop is vectorized.
    if (std::count_if(mine, mine + count,
                      [](From v) { return !(std::abs(v) <= std::numeric_limits<To>::max()); }) > 0)
      throw std::logic_error("refused to write a frame with a value that is not finite");
    std::vector<unsigned char>& of_thread = bytes[static_cast<std::size_t>(thread)];
    of_thread.resize(std::max(of_thread.size(), size));
    store_big_endian<To>(mine, count, of_thread.data());
    const std::span<const unsigned char> all(of_thread.data(), size);
    sums[static_cast<std::size_t>(k)] = fits_checksum(all);
    put(offset + first * sizeof(To), as_chars(all));
  });
  return std::accumulate(sums.begin(), sums.end(), std::uint32_t{0}, add_checksums);
}

}  // namespace

std::size_t ImageInParts::data_size() const {
  return pixels_of(*this) * (of_double ? sizeof(double) : sizeof(float));
}

std::size_t ImageInParts::size() const {
  return header_size + whole_blocks(data_size());
}

Bytes ImageInParts::header(std::uint32_t datasum) const {
  std::vector<std::string> cards{
      text_card("XTENSION", "IMAGE", "IMAGE extension"),
      number_card("BITPIX", of_double ? DOUBLE_IMG : FLOAT_IMG, "number of bits per data pixel"),
      number_card("NAXIS", static_cast<long>(axes.size()), "number of data axes")};
  for (std::size_t k = 0; k < axes.size(); ++k)
    cards.push_back(number_card(fmt::format("NAXIS{}", k + 1), axes[k],
                                fmt::format("length of data axis {}", k + 1).c_str()));
  cards.push_back(number_card("PCOUNT", 0, "required keyword; must = 0"));
  cards.push_back(number_card("GCOUNT", 1, "required keyword; must = 1"));
  cards.push_back(text_card("EXTNAME", name, "name of this HDU"));
  cards.push_back(text_card("DATASUM", std::to_string(datasum), "data unit checksum"));
  const auto with_checksum = [&](const std::string& checksum) {
    std::vector<std::string> all = cards;
    all.push_back(text_card("CHECKSUM", checksum, "HDU checksum"));
    Bytes header;
    append_header(header, all);
    return header;
  };
  const Bytes zeros = with_checksum("0000000000000000");
  if (zeros.size() != header_size) throw std::logic_error("a header is larger than a block");
  constexpr int complement = 1;
  char encoded[FLEN_VALUE] = "";
  fits_encode_chksum(
      fits_checksum({reinterpret_cast<const unsigned char*>(zeros.data()), zeros.size()}, datasum),
      complement, encoded);
  return with_checksum(encoded);
}

void ImageInParts::put_at(std::size_t offset, int threads, const PutPart& put) const {
  if (pixels_of(*this) != values->size())
    throw std::logic_error("the image and its HDU differ in size");
  const std::size_t data = offset + header_size;
  const std::uint32_t datasum = values->visit([&](const auto& numbers) {
    return of_double ? put_numbers<double>(numbers, data, threads, put)
                     : put_numbers<float>(numbers, data, threads, put);
  });
  const std::size_t end = data + data_size();
  const Bytes padding(offset + size() - end, '\0');
  if (!padding.empty()) put(end, padding);
  put(offset, header(datasum));
}

}  // namespace spex
