#include "reference/fits/read/pixel_reader.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/big_endian.hpp"
#include "reference/fits/read/fits_sums.hpp"

namespace spex {
PixelReader::PixelReader(const FitsHdu& hdu, const ImageForm& form, ReadAt read_at, bool checksums)
    : hdu_(&hdu),
      form_(&form),
      size_(form.pixels()),
      read_at_(std::move(read_at)),
      checksums_(checksums) {}

PixelReader::PixelReader(const FitsHdu& hdu, const ImageForm& form, StoredPixels& stored)
    : hdu_(&hdu), form_(&form), size_(form.pixels()), stored_(&stored) {
  if (std::visit([](const auto& numbers) { return numbers.size(); }, stored) != size_)
    throw std::logic_error(hdu.title() + ": its pixels were taken");
}

template <class Stored, class Value>
void PixelReader::convert(std::span<const Stored> stored, Value* to) const {
  if constexpr (std::is_same_v<Value, std::uint32_t>) {
    if (!form_->is_whole())
      throw data_error(hdu_->header.path(), hdu_->title() + " holds floating-point numbers",
                       "32-bit integers");
    if (const auto wrong = convert_pixels(stored, *form_, to))
      throw data_error(hdu_->header.path(), fmt::format("{} holds {}", hdu_->title(), *wrong),
                       "32-bit integers");
  } else {
    convert_pixels(stored, *form_, to);
  }
}

// Reads the next numbers of the file, and after the last also their padding, for the checksum.
template <class Stored>
void PixelReader::read(std::span<Stored> to) {
  const auto read = [&](long long offset, std::span<unsigned char> bytes) {
    const auto count = static_cast<long long>(bytes.size());
    if (read_at_(offset, reinterpret_cast<char*>(bytes.data()), count) != count)
      throw data_error(hdu_->header.path() + ": " + hdu_->title(), "cannot read its pixels");
    if (checksums_) sum_.add(bytes);
  };
  const std::span<unsigned char> bytes(reinterpret_cast<unsigned char*>(to.data()),
                                       to.size_bytes());
  read(hdu_->data + static_cast<long long>(at_ * sizeof(Stored)), bytes);
  turn_numbers(to.data(), to.size());
  if (at_ + to.size() < size_ || !checksums_) return;
  const long long end = hdu_->data + hdu_->data_size;
  std::vector<unsigned char> padding(static_cast<std::size_t>(hdu_->end - end));
  read(end, padding);
  require_sums(*hdu_, sum_.value());
}

template <class Stored, class Value>
void PixelReader::append_from_file(std::size_t count, Value* to) {
  // Bits of plain 32-bit integers are those integers, and need no second array.
  constexpr bool bits =
      std::is_same_v<Value, std::uint32_t> && std::is_same_v<Stored, std::int32_t>;
  if (bits && form_->is_plain()) {
    read(std::span(to, count));
  } else if constexpr (std::is_same_v<Stored, Value>) {
    read(std::span(to, count));
    if (!form_->is_plain()) convert(std::span<const Stored>(to, count), to);
  } else {
    std::vector<Stored> stored(count);
    read(std::span(stored));
    convert(std::span<const Stored>(stored), to);
  }
}

template <class Value>
void PixelReader::append(std::vector<Value>& to) {
  const std::size_t count = std::min(part, size_ - at_);
  to.resize(to.size() + count);
  Value* const values = to.data() + to.size() - count;
  if (stored_ != nullptr) {
    std::visit(
        [&](const auto& numbers) {
          using Stored = typename std::decay_t<decltype(numbers)>::value_type;
          convert(std::span<const Stored>(numbers).subspan(at_, count), values);
        },
        *stored_);
  } else if (count > 0) {
    std::visit(
        [&](const auto& type) {
          using Stored = typename std::decay_t<decltype(type)>::value_type;
          append_from_file<Stored>(count, values);
        },
        pixels_of_type(form_->bitpix));
  }
  at_ += count;
}

template <class Value>
std::vector<Value> PixelReader::all() {
  std::vector<Value> values;
  values.reserve(size_);
  while (values.size() < size_) append(values);
  return values;
}

template <class Value>
std::vector<Value> PixelReader::take() {
  auto* const values = stored_ == nullptr ? nullptr : std::get_if<std::vector<Value>>(stored_);
  if (values == nullptr || !form_->is_plain()) return {};
  at_ = size_;
  return std::exchange(*values, {});
}

template void PixelReader::append(std::vector<float>&);
template void PixelReader::append(std::vector<double>&);
template void PixelReader::append(std::vector<std::uint32_t>&);
template std::vector<float> PixelReader::all();
template std::vector<double> PixelReader::all();
template std::vector<std::uint32_t> PixelReader::all();
template std::vector<float> PixelReader::take();
template std::vector<double> PixelReader::take();

}  // namespace spex
