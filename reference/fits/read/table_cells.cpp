#include "reference/fits/read/table_cells.hpp"

#include <bit>
#include <cstdint>

#include <fmt/format.h>

namespace spex {
TableCells::TableCells(const FitsHdu& hdu, std::span<const char> data)
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

std::optional<int> TableCells::find(const std::string& name) const {
  for (std::size_t i = 1; i <= hdu_->columns.size(); ++i)
    if (hdu_->header.string(fmt::format("TTYPE{}", i)) == name) return static_cast<int>(i);
  return {};
}

const TableForm& TableCells::form(int column) const {
  return hdu_->columns.at(static_cast<std::size_t>(column) - 1);
}

void TableCells::check(int column, bool right, const char* expected) const {
  const std::string key = fmt::format("TFORM{}", column);
  if (!right)
    throw hdu_->header.error(fmt::format("{} = '{}'", key, hdu_->header.string(key)), expected);
}

void TableCells::check_bytes(int column) const {
  const TableForm& f = form(column);
  check(column, f.varies() && f.repeat == 1 && f.type == 'B', "1PB or 1QB, compressed bytes");
}

void TableCells::check_real(int column) const {
  const TableForm& f = form(column);
  check(column, !f.varies() && f.repeat == 1 && (f.type == 'D' || f.type == 'E'), "1D or 1E");
}

void TableCells::check_integer(int column) const {
  const TableForm& f = form(column);
  check(column, !f.varies() && f.repeat == 1 && f.type == 'J', "1J");
}

std::span<const unsigned char> TableCells::cell(int column, long long row) const {
  const std::size_t at = static_cast<std::size_t>((row - 1) * width_) +
                         offsets_.at(static_cast<std::size_t>(column) - 1);
  return data_.subspan(at, static_cast<std::size_t>(form(column).bytes));
}

std::span<const unsigned char> TableCells::array(int column, long long row,
                                                 const char* what) const {
  const std::span<const unsigned char> descriptor = cell(column, row);
  const std::size_t half = descriptor.size() / 2;
  const auto count = load_big_endian<std::uint64_t>(descriptor.first(half));
  const auto offset = load_big_endian<std::uint64_t>(descriptor.subspan(half));
  if (count == 0) return {};  // the offset of an empty array is undefined
  const std::uint64_t heap = data_.size() - heap_;
  const auto element = static_cast<std::uint64_t>(element_bytes(form(column).type));
  // Type X counts bits; other types have a size in bytes.
  const std::uint64_t length = element == 0 ? count / 8 + (count % 8 == 0 ? 0 : 1)
                                            : (count > heap ? heap + 1 : count * element);
  if (length > heap || offset > heap - length)
    throw hdu_->header.error(fmt::format("{} {} lies outside its HDU", what, row),
                             fmt::format("within {} bytes", heap));
  return data_.subspan(heap_ + offset, length);
}

std::span<const unsigned char> TableCells::bytes(int column, long long row) const {
  return array(column, row, "compressed tile");
}

void TableCells::check_arrays() const {
  const long long rows = hdu_->header.number("NAXIS2", 0, longest_size);
  const std::size_t heap = data_.size() - heap_;
  std::size_t all = 0;
  for (std::size_t i = 0; i < hdu_->columns.size(); ++i) {
    if (!hdu_->columns[i].varies() || hdu_->columns[i].repeat == 0) continue;
    for (long long row = 1; row <= rows; ++row) {
      all += array(static_cast<int>(i) + 1, row, "the array of row").size();
      if (all > heap)
        throw hdu_->header.error("its arrays of variable length overlap",
                                 fmt::format("{} bytes in all", heap));
    }
  }
}

double TableCells::real(int column, long long row) const {
  const std::span<const unsigned char> bytes = cell(column, row);
  if (form(column).type == 'D') return std::bit_cast<double>(load_big_endian<std::uint64_t>(bytes));
  return std::bit_cast<float>(load_big_endian<std::uint32_t>(bytes));
}

std::int32_t TableCells::integer(int column, long long row) const {
  return static_cast<std::int32_t>(load_big_endian<std::uint32_t>(cell(column, row)));
}

}  // namespace spex
