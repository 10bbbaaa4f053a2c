#include "reference/io/packed_columns.hpp"

#include <bit>
#include <cstdint>

#include <fmt/format.h>

namespace spex {
namespace {

constexpr std::size_t block_size = 2880;

}  // namespace

PackedColumns::PackedColumns(const FitsHdu& hdu, std::span<const char> data)
    : hdu_(&hdu), data_(reinterpret_cast<const unsigned char*>(data.data()), data.size()) {
  width_ = hdu.header.number("NAXIS1", 0, longest_size);
  const long long rows = hdu.header.number("NAXIS2", 0, longest_size);
  heap_ = static_cast<std::size_t>(hdu.header.number("THEAP", 0, hdu.data_size, width_ * rows));
  std::size_t offset = 0;
  for (const TableForm& column : hdu.columns) {
    offsets_.push_back(offset);
    offset += static_cast<std::size_t>(column.bytes);
  }
}

std::optional<int> PackedColumns::find(const std::string& name) const {
  for (std::size_t i = 1; i <= hdu_->columns.size(); ++i)
    if (hdu_->header.string(fmt::format("TTYPE{}", i)) == name) return static_cast<int>(i);
  return {};
}

const TableForm& PackedColumns::form(int column) const {
  return hdu_->columns.at(static_cast<std::size_t>(column) - 1);
}

void PackedColumns::check(int column, bool right, const char* expected) const {
  const std::string key = fmt::format("TFORM{}", column);
  if (!right)
    throw hdu_->header.error(fmt::format("{} = '{}'", key, hdu_->header.string(key)), expected);
}

void PackedColumns::check_bytes(int column) const {
  const TableForm& f = form(column);
  check(column, f.varies() && f.repeat == 1 && f.type == 'B', "1PB or 1QB, compressed bytes");
}

void PackedColumns::check_real(int column) const {
  const TableForm& f = form(column);
  check(column, !f.varies() && f.repeat == 1 && (f.type == 'D' || f.type == 'E'), "1D or 1E");
}

void PackedColumns::check_integer(int column) const {
  const TableForm& f = form(column);
  check(column, !f.varies() && f.repeat == 1 && f.type == 'J', "1J");
}

std::span<const unsigned char> PackedColumns::cell(int column, long long row) const {
  const std::size_t at = static_cast<std::size_t>((row - 1) * width_) +
                         offsets_.at(static_cast<std::size_t>(column) - 1);
  return data_.subspan(at, static_cast<std::size_t>(form(column).bytes));
}

std::span<const unsigned char> PackedColumns::bytes(int column, long long row) const {
  const std::span<const unsigned char> descriptor = cell(column, row);
  const std::size_t half = descriptor.size() / 2;
  const auto length = load_big_endian<std::uint64_t>(descriptor.first(half));
  const auto offset = load_big_endian<std::uint64_t>(descriptor.subspan(half));
  const std::uint64_t heap = data_.size() - heap_;
  if (length > heap || offset > heap - length)
    throw hdu_->header.error(fmt::format("compressed tile {} lies outside its HDU", row),
                             fmt::format("within {} bytes", heap));
  return data_.subspan(heap_ + offset, length);
}

double PackedColumns::real(int column, long long row) const {
  const std::span<const unsigned char> bytes = cell(column, row);
  if (form(column).type == 'D') return std::bit_cast<double>(load_big_endian<std::uint64_t>(bytes));
  return std::bit_cast<float>(load_big_endian<std::uint32_t>(bytes));
}

std::int32_t PackedColumns::integer(int column, long long row) const {
  return static_cast<std::int32_t>(load_big_endian<std::uint32_t>(cell(column, row)));
}

void append_header(std::vector<char>& out, const std::vector<std::string>& cards) {
  const std::size_t begin = out.size();
  for (const std::string& card : cards) out.insert(out.end(), card.begin(), card.end());
  const std::string end = "END";
  out.insert(out.end(), end.begin(), end.end());
  const std::size_t size = out.size() - begin;
  out.resize(begin + (size + block_size - 1) / block_size * block_size, ' ');
}

void pad_data(std::vector<char>& out, std::size_t begin) {
  const std::size_t size = out.size() - begin;
  out.resize(begin + (size + block_size - 1) / block_size * block_size, '\0');
}

std::span<unsigned char> append_data(std::vector<char>& out, long long size) {
  const std::size_t begin = out.size();
  out.resize(begin + static_cast<std::size_t>(size), '\0');
  return {reinterpret_cast<unsigned char*>(out.data()) + begin, static_cast<std::size_t>(size)};
}

}  // namespace spex
